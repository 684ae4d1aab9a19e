/**
 * Causal attention over a batch of sequences or over a key-value cache: forward, and the gradients of queries,
 * keys and values. As the linear layer, each has a plain form to read (attention*.wgsl) and a tuned form to run
 * (attention_tiles.ts), with the same bindings, uniforms and reference; attention_simd.ts is what the CPU runs.
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import forward from './attention.wgsl?raw';
import backwardKey from './attention_backward_key.wgsl?raw';
import backwardQuery from './attention_backward_query.wgsl?raw';
import { attentionBackwardKeySimd, attentionBackwardQuerySimd, attentionForwardSimd } from './attention_simd';
import {
  type AttentionLengths,
  attentionBackwardKeyTuned,
  attentionBackwardQueryTuned,
  attentionForwardTuned,
  type HeadShape,
} from './attention_tiles';
import { interfaceOf, type LinearForm } from './linear';

function nameOf(kind: string, { heads, dim }: HeadShape, form: LinearForm): string {
  const tile = form === 'plain' ? 'plain' : `${form.rows} rows${form.quads ? ' by quads' : ''}`;
  return `layer/${kind}[${heads}×${dim}, ${tile}]`;
}

/** A workgroup of the tuned forms takes neighbouring rows of one sequence and head. */
function workgroupsOf(form: LinearForm, sequences: number, length: number, heads: number): number {
  if (form === 'plain') return ceilDiv(sequences * length * heads, 64);
  return sequences * heads * ceilDiv(length, form.rows * form.workgroup);
}

/** Queries [rows, heads · D] over the keys before them, `stepwise` over those of a cache; shapes in attention.wgsl. */
export function attentionForward(
  shape: HeadShape,
  form: LinearForm,
  stepwise: boolean,
  lengths: Pick<AttentionLengths, 'keys' | 'output'> = {},
) {
  const { heads, dim } = shape;
  return defineKernel({
    name: nameOf(stepwise ? 'attention_step' : 'attention', shape, form),
    wgsl:
      form === 'plain'
        ? wgsl(`const DIM = ${dim}u; const STEPWISE = ${stepwise};`, forward)
        : attentionForwardTuned(shape, form, stepwise, lengths, interfaceOf(forward)),
    bindings: { queries: 'read', keys: 'read', extents: 'read', output: 'write', log_sums: 'write' },
    uniforms: {
      rows: 'u32',
      length: 'u32',
      heads: 'u32',
      query_stride: 'u32',
      key_rows: 'u32',
      key_stride: 'u32',
      key_first: 'u32',
      value_first: 'u32',
      scale: 'f32',
    },
    workgroups: ({ rows, length }) =>
      stepwise && form !== 'plain'
        ? ceilDiv(rows * heads, form.workgroup)
        : workgroupsOf(form, rows / length, length, heads),
    reference({ queries, keys, extents, output, log_sums }, u) {
      for (let i = 0; i < u.rows * heads; i++) {
        const [r, head] = [Math.floor(i / heads), i % heads];
        const s = Math.floor(r / u.length);
        const seen = stepwise ? Math.min(extents[s] + 1, u.key_rows) : Math.min((r % u.length) + 1, extents[s]);
        const q = queries.subarray(r * u.query_stride + head * dim);
        const rowOf = (j: number) => (s * u.key_rows + j) * u.key_stride + head * dim;
        const scores = Array.from(
          { length: seen },
          (_, j) => u.scale * dot(q, keys.subarray(rowOf(j) + u.key_first), dim),
        );
        const largest = Math.max(...scores);
        const weights = scores.map((score) => Math.exp(score - largest));
        const sum = weights.reduce((total, weight) => total + weight, 0);
        for (let c = 0; c < dim; c++) {
          let o = 0;
          for (const [j, weight] of weights.entries()) o += weight * keys[rowOf(j) + u.value_first + c];
          output[i * dim + c] = seen > 0 ? o / sum : 0;
        }
        log_sums[i] = seen > 0 ? largest + Math.log(sum) : 0;
      }
    },
    simd: (machine, buffers, u) => attentionForwardSimd(machine, buffers, u, shape, stepwise),
  });
}

const BATCH = { sequences: 'u32', length: 'u32', heads: 'u32', scale: 'f32' } as const;

/** d(queries), and the `deltas` that the keys' gradient needs; shapes in attention_backward_query.wgsl. */
export function attentionBackwardQuery(
  shape: HeadShape,
  form: LinearForm,
  lengths: Pick<AttentionLengths, 'qkv' | 'result'> = {},
) {
  const { heads, dim } = shape;
  return defineKernel({
    name: nameOf('attention_backward_query', shape, form),
    wgsl:
      form === 'plain'
        ? wgsl(`const DIM = ${dim}u;`, backwardQuery)
        : attentionBackwardQueryTuned(shape, form, lengths, interfaceOf(backwardQuery)),
    bindings: {
      qkv: 'read',
      lengths: 'read',
      output: 'read',
      gradient: 'read',
      log_sums: 'read',
      deltas: 'write',
      result: 'write',
    },
    uniforms: BATCH,
    workgroups: ({ sequences, length }) => workgroupsOf(form, sequences, length, heads),
    reference({ qkv, lengths, output, gradient, log_sums, deltas, result }, { sequences, length, scale }) {
      const width = heads * dim;
      for (let i = 0; i < sequences * length * heads; i++) {
        const [r, head] = [Math.floor(i / heads), i % heads];
        const [s, t] = [Math.floor(r / length), r % length];
        const q = r * 3 * width + head * dim;
        const dq = new Float64Array(dim);
        const d = gradient.subarray(i * dim);
        deltas[i] = dot(d, output.subarray(i * dim), dim);
        for (let j = 0; j < Math.min(t + 1, lengths[s]); j++) {
          const k = qkv.subarray((s * length + j) * 3 * width + width + head * dim);
          const p = Math.exp(Math.min(scale * dot(qkv.subarray(q), k, dim) - log_sums[i], 0));
          const slope = p * (dot(d, k.subarray(width), dim) - deltas[i]) * scale;
          for (let c = 0; c < dim; c++) dq[c] += slope * k[c];
        }
        result.set(dq, q);
      }
    },
    simd: (machine, buffers, u) => attentionBackwardQuerySimd(machine, buffers, u, shape),
  });
}

/** d(keys) and d(values), after `attentionBackwardQuery`; shapes in attention_backward_key.wgsl. */
export function attentionBackwardKey(
  shape: HeadShape,
  form: LinearForm,
  lengths: Pick<AttentionLengths, 'qkv' | 'result'> = {},
) {
  const { heads, dim } = shape;
  return defineKernel({
    name: nameOf('attention_backward_key', shape, form),
    wgsl:
      form === 'plain'
        ? wgsl(`const DIM = ${dim}u;`, backwardKey)
        : attentionBackwardKeyTuned(shape, form, lengths, interfaceOf(backwardKey)),
    bindings: { qkv: 'read', lengths: 'read', gradient: 'read', log_sums: 'read', deltas: 'read', result: 'write' },
    uniforms: BATCH,
    workgroups: ({ sequences, length }) => workgroupsOf(form, sequences, length, heads),
    reference({ qkv, lengths, gradient, log_sums, deltas, result }, { sequences, length, scale }) {
      const width = heads * dim;
      for (let i = 0; i < sequences * length * heads; i++) {
        const [r, head] = [Math.floor(i / heads), i % heads];
        const s = Math.floor(r / length);
        const k = r * 3 * width + width + head * dim;
        const [dk, dv] = [new Float64Array(dim), new Float64Array(dim)];
        for (let t = r % length < lengths[s] ? r % length : length; t < length; t++) {
          const row = s * length + t;
          const q = qkv.subarray(row * 3 * width + head * dim);
          const d = gradient.subarray(row * width + head * dim);
          const p = Math.exp(Math.min(scale * dot(q, qkv.subarray(k), dim) - log_sums[row * heads + head], 0));
          const slope = p * (dot(d, qkv.subarray(k + width), dim) - deltas[row * heads + head]) * scale;
          for (let c = 0; c < dim; c++) {
            dv[c] += p * d[c];
            dk[c] += slope * q[c];
          }
        }
        result.set(dk, k);
        result.set(dv, k + width);
      }
    },
    simd: (machine, buffers, u) => attentionBackwardKeySimd(machine, buffers, u, shape),
  });
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += a[i] * b[i];
  return sum;
}
