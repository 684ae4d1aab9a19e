/**
 * The linear layer: forward, gradient of its input, gradient of its weights. Each has a plain form
 * to read (linear*.wgsl) and a tuned form to run (linear_tiles.ts), with the same bindings, uniforms
 * and reference. Which runs is measured on the adapter at start (src/engine/device/tuning.ts). On the CPU the
 * reference is the form to read, and linear_simd.ts the form to run.
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { ACTIVATIONS, type ActivationName } from './activation';
import forward from './linear.wgsl?raw';
import backwardInput from './linear_backward_input.wgsl?raw';
import backwardWeight from './linear_backward_weight.wgsl?raw';
import { linearBackwardInputSimd, linearBackwardWeightSimd, linearForwardSimd } from './linear_simd';
import {
  type ArrayLengths,
  invocationsAPart,
  type LinearOptions,
  linearBackwardInputTuned,
  linearBackwardWeightTuned,
  linearForwardTuned,
  type Role,
  type Shape,
  type Tile,
} from './linear_tiles';

export type LinearShape = Shape;
export type LinearForm = 'plain' | Tile;

/** The part of a module before its entry point: the struct and the bindings. */
export function interfaceOf(module: string): string {
  return module.slice(module.indexOf('struct Uniforms'), module.indexOf('@compute'));
}

const bendOf = (activation: ActivationName) => ({ ...ACTIVATIONS[activation], bent: activation !== 'identity' });

function nameOf(kind: string, { inputs, outputs }: LinearShape, form: LinearForm, activation = ''): string {
  const tile = form === 'plain' ? 'plain' : `${form.rows} rows${form.quads ? ' by quads' : ''}`;
  return `layer/${kind}[${inputs}→${outputs}${activation && ` ${activation}`}, ${tile}]`;
}

/** y = f(x Wᵀ + b), or y += x Wᵀ + b; shapes in linear.wgsl. */
export function linearForward(
  shape: LinearShape,
  activation: ActivationName,
  form: LinearForm,
  lengths: ArrayLengths = {},
  options: LinearOptions = {},
) {
  const { bias = true, accumulate = false } = options;
  const constants = `const BIAS = ${bias}; const ACCUMULATE = ${accumulate};`;
  const { wgsl: activationWgsl, forward: activate } = ACTIVATIONS[activation];
  return defineKernel({
    name: nameOf('linear', shape, form, `${activation}${bias ? '' : ' without bias'}${accumulate ? ' added' : ''}`),
    wgsl:
      form === 'plain'
        ? wgsl(constants, activationWgsl, forward)
        : linearForwardTuned(shape, form, bendOf(activation), lengths, options, interfaceOf(forward)),
    bindings: { parameters: 'read', input: 'read', indices: 'read', output: 'write' },
    uniforms: {
      rows: 'u32',
      inputs: 'u32',
      outputs: 'u32',
      weight: 'u32',
      bias: 'u32',
      input_first: 'u32',
      gather: 'u32',
      indices_first: 'u32',
      output_first: 'u32',
      pre_offset: 'u32',
    },
    workgroups: ({ rows, outputs }) =>
      form === 'plain' ? ceilDiv(rows * outputs, 64) : ceilDiv(ceilDiv(rows, form.rows), form.workgroup),
    reference({ parameters, input, indices, output }, u) {
      const { inputs, outputs } = u;
      for (let r = 0; r < u.rows; r++) {
        const x = (u.gather ? indices[u.indices_first + r] : u.input_first + r) * inputs;
        for (let j = 0; j < outputs; j++) {
          const w = u.weight + j * inputs;
          const out = (u.output_first + r) * outputs + j;
          let z = (bias ? parameters[u.bias + j] : 0) + (accumulate ? output[out] : 0);
          for (let k = 0; k < inputs; k++) z += input[x + k] * parameters[w + k];
          if (u.pre_offset > 0) output[u.pre_offset + r * outputs + j] = z;
          output[out] = activate(z);
        }
      }
    },
    simd: (machine, buffers, u) => linearForwardSimd(machine, buffers, u, activation, options),
  });
}

/** d(input) = f'(z_input) ⊙ dz W; shapes in linear_backward_input.wgsl. `activation` is the one that made the input. */
export function linearBackwardInput(
  shape: LinearShape,
  activation: ActivationName,
  form: LinearForm,
  role: Role = 'alone',
  lengths: ArrayLengths = {},
) {
  const constants = `const ACCUMULATE = ${role === 'last'}; const DIFFERENTIATE = ${role !== 'first'};`;
  const { wgsl: activationWgsl, gradient: derivative } = ACTIVATIONS[activation];
  return defineKernel({
    name: nameOf('linear_backward_input', shape, form, `${activation} ${role}`),
    wgsl:
      form === 'plain'
        ? wgsl(constants, activationWgsl, backwardInput)
        : linearBackwardInputTuned(shape, form, bendOf(activation), role, lengths, interfaceOf(backwardInput)),
    bindings: { parameters: 'read', gradient: 'read', made: 'read', result: 'write' },
    uniforms: {
      rows: 'u32',
      inputs: 'u32',
      outputs: 'u32',
      weight: 'u32',
      gradient_first: 'u32',
      pre_offset: 'u32',
    },
    workgroups: ({ rows, inputs }) =>
      form === 'plain' ? ceilDiv(rows * inputs, 64) : ceilDiv(ceilDiv(rows, form.rows), form.workgroup),
    reference({ parameters, gradient, made, result }, u) {
      const { inputs, outputs } = u;
      const row = new Float64Array(inputs);
      for (let r = 0; r < u.rows; r++) {
        row.fill(0);
        for (let j = 0; j < outputs; j++) {
          const d = gradient[u.gradient_first + r * outputs + j];
          const w = u.weight + j * inputs;
          for (let k = 0; k < inputs; k++) row[k] += d * parameters[w + k];
        }
        for (let k = 0; k < inputs; k++) {
          const i = r * inputs + k;
          const d = row[k] + (role === 'last' ? result[i] : 0);
          result[i] = role !== 'first' ? d * derivative(made[u.pre_offset + i], made[i]) : d;
        }
      }
    },
    simd: (machine, buffers, u) => linearBackwardInputSimd(machine, buffers, u, activation, role),
  });
}

/** dW = dzᵀ x and db = Σ dz, in parts; shapes in linear_backward_weight.wgsl. */
export function linearBackwardWeight(
  shape: LinearShape,
  form: LinearForm,
  gather: boolean,
  lengths: ArrayLengths = {},
  { bias = true }: Pick<LinearOptions, 'bias'> = {},
) {
  return defineKernel({
    name: nameOf('linear_backward_weight', shape, form, `${gather ? 'gathered' : ''}${bias ? '' : ' without bias'}`),
    wgsl:
      form === 'plain'
        ? wgsl(`const GATHER = ${gather}; const BIAS = ${bias};`, backwardWeight)
        : linearBackwardWeightTuned(shape, form, gather, lengths, bias, interfaceOf(backwardWeight)),
    bindings: { gradient: 'read', input: 'read', indices: 'read', partials: 'write' },
    uniforms: {
      rows: 'u32',
      inputs: 'u32',
      outputs: 'u32',
      weight: 'u32',
      bias: 'u32',
      gradient_first: 'u32',
      input_first: 'u32',
      indices_first: 'u32',
      parts: 'u32',
      part_rows: 'u32',
      stride: 'u32',
    },
    workgroups: ({ parts, inputs, outputs }) =>
      form === 'plain'
        ? ceilDiv(parts * outputs * (inputs + 1), 64)
        : ceilDiv(parts * invocationsAPart({ inputs, outputs }, form), form.workgroup),
    reference({ gradient, input, indices, partials }, u) {
      const { inputs, outputs } = u;
      for (let part = 0; part < u.parts; part++) {
        const to = part * u.stride;
        partials.fill(0, to + u.weight, to + u.weight + inputs * outputs);
        if (bias) partials.fill(0, to + u.bias, to + u.bias + outputs);
        for (let r = part * u.part_rows; r < Math.min(u.rows, (part + 1) * u.part_rows); r++) {
          const x = (gather ? indices[u.indices_first + r] : u.input_first + r) * inputs;
          for (let j = 0; j < outputs; j++) {
            const d = gradient[u.gradient_first + r * outputs + j];
            const w = to + u.weight + j * inputs;
            for (let k = 0; k < inputs; k++) partials[w + k] += d * input[x + k];
            if (bias) partials[to + u.bias + j] += d;
          }
        }
      }
    },
    simd: (machine, buffers, u) => linearBackwardWeightSimd(machine, buffers, u, gather, bias),
  });
}
