/**
 * Normalisation of rows, LayerNorm or RMSNorm: forward, gradient of the input, gradient of weight and bias. The
 * first two have a tuned form beside the plain one (norm_tiles.ts), as the linear layer has.
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { interfaceOf, type LinearForm } from './linear';
import { sized } from './linear_tiles';
import forward from './norm.wgsl?raw';
import backwardInput from './norm_backward_input.wgsl?raw';
import backwardWeight from './norm_backward_weight.wgsl?raw';
import { isTunable, normBackwardInputTuned, normForwardTuned } from './norm_tiles';

/** RMSNorm has a weight and no bias. */
export type NormKind = 'layer' | 'rms';

const constants = (kind: NormKind) => `const LAYER = ${kind === 'layer'};`;

/** The form that a width allows. */
function formOf(form: LinearForm, width: number): LinearForm {
  return isTunable(width) ? form : 'plain';
}

function nameOf(kernel: string, kind: NormKind, width: number, form: LinearForm): string {
  return `layer/${kernel}[${kind} ${width}, ${form === 'plain' ? 'plain' : 'held'}]`;
}

function workgroupsOf(rows: number, form: LinearForm): number {
  return form === 'plain' ? ceilDiv(rows, 16) : ceilDiv(rows, form.workgroup);
}

/** `input` [rows, width] → `output`, and what the gradients need of each row in `statistics` [rows, 2]. */
export function normForward(kind: NormKind, ofWidth: number, wanted: LinearForm) {
  const form = formOf(wanted, ofWidth);
  return defineKernel({
    name: nameOf('norm', kind, ofWidth, form),
    wgsl:
      form === 'plain'
        ? wgsl(constants(kind), forward)
        : normForwardTuned(kind === 'layer', ofWidth, form, interfaceOf(forward)),
    bindings: { parameters: 'read', input: 'read', output: 'write', statistics: 'write' },
    uniforms: { rows: 'u32', width: 'u32', weight: 'u32', bias: 'u32', epsilon: 'f32' },
    workgroups: ({ rows }) => workgroupsOf(rows, form),
    reference({ parameters, input, output, statistics }, { rows, width, weight, bias, epsilon }) {
      for (let r = 0; r < rows; r++) {
        const first = r * width;
        let [sum, squares] = [0, 0];
        if (kind === 'layer') for (let k = 0; k < width; k++) sum += input[first + k];
        const mean = sum / width;
        for (let k = 0; k < width; k++) squares += (input[first + k] - mean) * (input[first + k] - mean);
        const factor = 1 / Math.sqrt(squares / width + epsilon);
        for (let k = 0; k < width; k++) {
          const shift = kind === 'layer' ? parameters[bias + k] : 0;
          output[first + k] = (input[first + k] - mean) * factor * parameters[weight + k] + shift;
        }
        statistics[2 * r] = mean;
        statistics[2 * r + 1] = factor;
      }
    },
  });
}

/** d(input) from `gradient` = d(output); added to `result` when `accumulate` is 1. `length` of the three, where known. */
export function normBackwardInput(kind: NormKind, ofWidth: number, wanted: LinearForm, length?: number) {
  const lengths = { gradient: length, input: length, result: length };
  const form = formOf(wanted, ofWidth);
  return defineKernel({
    name: nameOf('norm_backward_input', kind, ofWidth, form),
    wgsl:
      form === 'plain'
        ? wgsl(constants(kind), backwardInput)
        : normBackwardInputTuned(kind === 'layer', ofWidth, form, lengths, interfaceOf(backwardInput)),
    bindings: { parameters: 'read', gradient: 'read', input: 'read', statistics: 'read', result: 'write' },
    uniforms: { rows: 'u32', width: 'u32', weight: 'u32', accumulate: 'u32' },
    workgroups: ({ rows }) => workgroupsOf(rows, form),
    reference({ parameters, gradient, input, statistics, result }, { rows, width, weight, accumulate }) {
      for (let r = 0; r < rows; r++) {
        const first = r * width;
        const [mean, factor] = [statistics[2 * r], statistics[2 * r + 1]];
        let [sum, product] = [0, 0];
        for (let k = 0; k < width; k++) {
          const g = gradient[first + k] * parameters[weight + k];
          sum += g;
          product += g * (input[first + k] - mean) * factor;
        }
        const level = kind === 'layer' ? sum / width : 0;
        const overlap = product / width;
        for (let k = 0; k < width; k++) {
          const g = gradient[first + k] * parameters[weight + k];
          const d = factor * (g - level - (input[first + k] - mean) * factor * overlap);
          result[first + k] = d + (accumulate ? result[first + k] : 0);
        }
      }
    },
  });
}

/** d(weight) and d(bias), in parts; shapes in norm_backward_weight.wgsl. `length` of gradient and input, where known. */
export function normBackwardWeight(kind: NormKind, length?: number) {
  return defineKernel({
    name: `layer/norm_backward_weight[${kind}]`,
    wgsl: wgsl(constants(kind), sized(backwardWeight, { gradient: length, input: length })),
    bindings: { gradient: 'read', input: 'read', statistics: 'read', partials: 'write' },
    uniforms: {
      rows: 'u32',
      width: 'u32',
      weight: 'u32',
      bias: 'u32',
      parts: 'u32',
      part_rows: 'u32',
      stride: 'u32',
    },
    workgroups: ({ parts, width }) => ceilDiv(parts * ceilDiv(width, 4), 16),
    reference({ gradient, input, statistics, partials }, { rows, width, weight, bias, parts, part_rows, stride }) {
      for (let part = 0; part < parts; part++)
        for (let k = 0; k < width; k++) {
          let [dWeight, dBias] = [0, 0];
          for (let r = part * part_rows; r < Math.min(rows, (part + 1) * part_rows); r++) {
            const dy = gradient[r * width + k];
            dWeight += dy * (input[r * width + k] - statistics[2 * r]) * statistics[2 * r + 1];
            dBias += dy;
          }
          partials[part * stride + weight + k] = dWeight;
          if (kind === 'layer') partials[part * stride + bias + k] = dBias;
        }
    },
  });
}
