/** Token embeddings: rows of a table by token, and the table's gradient in parts. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import forward from './embedding.wgsl?raw';
import backward from './embedding_backward.wgsl?raw';

const BATCH = { sequences: 'u32', length: 'u32', sequence_stride: 'u32', position_stride: 'u32' } as const;

/** `tokens` [S, L] → `output` [rows, width], from the table at `table` of the parameters. */
export const embedding = defineKernel({
  name: 'layer/embedding',
  wgsl: forward,
  bindings: { parameters: 'read', tokens: 'read', output: 'write' },
  uniforms: { ...BATCH, width: 'u32', table: 'u32' },
  workgroups: ({ sequences, length, width }) => ceilDiv(sequences * length * ceilDiv(width, 16), 64),
  reference({ parameters, tokens, output }, u) {
    for (let s = 0; s < u.sequences; s++)
      for (let t = 0; t < u.length; t++) {
        const row = (s * u.sequence_stride + t * u.position_stride) * u.width;
        const from = u.table + tokens[s * u.length + t] * u.width;
        for (let k = 0; k < u.width; k++) output[row + k] = parameters[from + k];
      }
  },
});

function backwardKernel(accumulate: boolean) {
  return defineKernel({
    name: `layer/embedding_backward${accumulate ? '[added]' : ''}`,
    wgsl: wgsl(`const ACCUMULATE = ${accumulate};`, backward),
    bindings: { gradient: 'read', tokens: 'read', partials: 'write' },
    uniforms: {
      ...BATCH,
      vocabulary: 'u32',
      width: 'u32',
      table: 'u32',
      parts: 'u32',
      part_sequences: 'u32',
      stride: 'u32',
    },
    workgroups: ({ parts, width }) => ceilDiv(parts * width, 64),
    reference({ gradient, tokens, partials }, u) {
      for (let part = 0; part < u.parts; part++) {
        const to = part * u.stride + u.table;
        if (!accumulate) partials.fill(0, to, to + u.vocabulary * u.width);
        const end = Math.min(u.sequences, (part + 1) * u.part_sequences);
        for (let s = part * u.part_sequences; s < end; s++)
          for (let t = 0; t < u.length; t++) {
            const row = (s * u.sequence_stride + t * u.position_stride) * u.width;
            const v = tokens[s * u.length + t];
            for (let k = 0; k < u.width; k++) partials[to + v * u.width + k] += gradient[row + k];
          }
      }
    },
  });
}

/** `gradient` [rows, width], `tokens` [S, L] → the table's place in `partials` [parts, stride]. */
export const embeddingBackward = backwardKernel(false);

/** The same, added to what is there: the gradient of a head that shares the table. */
export const embeddingBackwardAdded = backwardKernel(true);
