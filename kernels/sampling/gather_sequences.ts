/** Minibatches of whole sequences; arrays of one number a sequence have length 1. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import code from './gather_sequences.wgsl?raw';

function gather(element: 'f32' | 'u32') {
  return defineKernel({
    name: `sampling/gather_sequences[${element}]`,
    wgsl: wgsl(`alias Element = ${element};`, code),
    bindings: { input: 'read', indices: 'read', output: 'write' },
    uniforms: { sequences: 'u32', length: 'u32', first: 'u32' },
    workgroups: ({ sequences, length }) => ceilDiv(sequences * length, 64),
    reference({ input, indices, output }, { sequences, length, first }) {
      for (let i = 0; i < sequences; i++) {
        const from = indices[first + i] * length;
        output.set(input.subarray(from, from + length), i * length);
      }
    },
  });
}

/** `input` [*, L], `indices` [*] → `output` [S, L]: row i is row indices[first + i] of the input. */
export const gatherSequences = { f32: gather('f32'), u32: gather('u32') };
