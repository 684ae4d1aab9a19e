/** The elementwise half of a gated recurrent unit; its two products are linear layers. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { ACTIVATIONS, SIGMOID, TANH } from './activation';
import begin from './gru_begin.wgsl?raw';
import forward from './gru_gates.wgsl?raw';
import backward from './gru_gates_backward.wgsl?raw';

const sigmoid = ACTIVATIONS.sigmoid.forward;

/** One step: formula, shapes and addresses in gru_gates.wgsl. `running` [S], or one flag for all with stride 0. */
export const gruGates = defineKernel({
  name: 'layer/gru_gates',
  wgsl: wgsl(TANH, SIGMOID, forward),
  bindings: { inputs: 'read', tokens: 'read', recurrent: 'read', running: 'read', states: 'write', gates: 'write' },
  uniforms: {
    sequences: 'u32',
    hidden: 'u32',
    token_first: 'u32',
    token_stride: 'u32',
    running_stride: 'u32',
    first: 'u32',
    after: 'u32',
  },
  workgroups: ({ sequences, hidden }) => ceilDiv(sequences * hidden, 64),
  reference({ inputs, tokens, recurrent, running, states, gates }, u) {
    const size = u.hidden;
    for (let s = 0; s < u.sequences; s++) {
      const keeps = running[s * u.running_stride] === 0;
      for (let j = 0; j < size; j++) {
        const a = tokens[u.token_first + s * u.token_stride] * 3 * size + j;
        const c = s * 3 * size + j;
        const h = states[(u.first + s) * size + j];
        const r = sigmoid(inputs[a] + recurrent[c]);
        const z = sigmoid(inputs[a + size] + recurrent[c + size]);
        const c_n = recurrent[c + 2 * size];
        const n = Math.tanh(inputs[a + 2 * size] + r * c_n);
        for (const [k, kept] of [r, z, n, c_n].entries()) gates[((u.first + s) * 4 + k) * size + j] = kept;
        states[(u.after + s) * size + j] = keeps ? h : (1 - z) * n + z * h;
      }
    }
  },
});

/** Gradient of one step; `carry` [S, H] goes in from the next step and out, less W_hᵀ d c, to the one before. */
export const gruGatesBackward = defineKernel({
  name: 'layer/gru_gates_backward',
  wgsl: backward,
  bindings: {
    gates: 'read',
    states: 'read',
    state_gradient: 'read',
    carry: 'write',
    input_gradient: 'write',
    recurrent_gradient: 'write',
  },
  uniforms: { sequences: 'u32', hidden: 'u32', first: 'u32', last: 'u32' },
  workgroups: ({ sequences, hidden }) => ceilDiv(sequences * hidden, 64),
  reference({ gates, states, state_gradient, carry, input_gradient, recurrent_gradient }, u) {
    const size = u.hidden;
    for (let s = 0; s < u.sequences; s++)
      for (let j = 0; j < size; j++) {
        const row = u.first + s;
        const [r, z, n, c_n] = [0, 1, 2, 3].map((k) => gates[(row * 4 + k) * size + j]);
        const dh = state_gradient[row * size + j] + (u.last === 1 ? 0 : carry[s * size + j]);
        const dn = dh * (1 - z) * (1 - n * n);
        const dz = dh * (states[row * size + j] - n) * z * (1 - z);
        const dr = dn * c_n * r * (1 - r);
        for (const [k, d] of [dr, dz, dn].entries()) input_gradient[(row * 3 + k) * size + j] = d;
        for (const [k, d] of [dr, dz, dn * r].entries()) recurrent_gradient[(row * 3 + k) * size + j] = d;
        carry[s * size + j] = dh * z;
      }
  },
});

/** Active sequences at position 0 begin: their `states` [S, H] become 0. */
export const gruBegin = defineKernel({
  name: 'layer/gru_begin',
  wgsl: begin,
  bindings: { positions: 'read', running: 'read', states: 'write' },
  uniforms: { sequences: 'u32', hidden: 'u32' },
  workgroups: ({ sequences, hidden }) => ceilDiv(sequences * hidden, 64),
  reference({ positions, running, states }, { sequences, hidden }) {
    for (let s = 0; s < sequences; s++)
      if (positions[s] === 0 && running[s] !== 0) states.fill(0, s * hidden, (s + 1) * hidden);
  },
});
