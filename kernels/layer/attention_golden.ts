/** Golden vectors of causal attention between its linear layers. */
import { floats, type GoldenAdapter } from '../golden/adapter';
import { numbers, scalar, shapeOf } from '../golden/read';
import { attentionBackwardKey, attentionBackwardQuery, attentionForward } from './attention';
import { type LinearForm, linearBackwardInput, linearBackwardWeight, linearForward } from './linear';

/** torch_attention: torch.nn.MultiheadAttention, its probabilities, and the gradients of sum(y·dy). */
export function torchAttention(form: LinearForm): GoldenAdapter {
  return async ({ inputs: given }, bench) => {
    const [sequences, length, width] = shapeOf(given.x) as [number, number, number];
    const heads = scalar(given.heads);
    const dim = width / heads;
    const rows = sequences * length;
    const parameters = bench.buffer(
      Float32Array.of(
        ...floats(given.in_proj_weight),
        ...floats(given.in_proj_bias),
        ...floats(given.out_proj_weight),
        ...floats(given.out_proj_bias),
      ),
    );
    const [in_, out_] = [
      { inputs: width, outputs: 3 * width, weight: 0, bias: 3 * width * width },
      { inputs: width, outputs: width, weight: 3 * width * (width + 1), bias: 3 * width * (width + 1) + width * width },
    ];
    const stride = out_.bias + width;
    const padding = given.key_padding === undefined ? [] : numbers(given.key_padding);
    const lengths = bench.buffer(
      Uint32Array.from({ length: sequences }, (_, s) => {
        const padded = padding.slice(s * length, (s + 1) * length).reduce((sum, p) => sum + p, 0);
        return length - padded;
      }),
    );
    const x = bench.buffer(floats(given.x));
    const dy = bench.buffer(floats(given.dy));
    const indices = bench.zeros(1, 'u32');
    const [qkv, dqkv] = [bench.zeros(rows * 3 * width), bench.zeros(rows * 3 * width)];
    const [o, dO, y, dx] = [0, 0, 0, 0].map(() => bench.zeros(rows * width));
    const [log_sums, deltas, partials] = [bench.zeros(rows * heads), bench.zeros(rows * heads), bench.zeros(stride)];
    const whole = { rows, input_first: 0, gather: 0, indices_first: 0, output_first: 0, pre_offset: 0 };
    const backward = { rows, gradient_first: 0, pre_offset: 0 };
    const weights = { rows, gradient_first: 0, input_first: 0, indices_first: 0, parts: 1, part_rows: rows, stride };
    const scale = 1 / Math.sqrt(dim);

    bench.run(
      linearForward(in_, 'identity', form),
      { parameters, input: x, indices, output: qkv },
      { ...whole, ...in_ },
    );
    bench.run(
      attentionForward({ heads, dim }, form, false),
      { queries: qkv, keys: qkv, extents: lengths, output: o, log_sums },
      {
        rows,
        length,
        heads,
        query_stride: 3 * width,
        key_rows: length,
        key_stride: 3 * width,
        key_first: width,
        value_first: 2 * width,
        scale,
      },
    );
    bench.run(
      linearForward(out_, 'identity', form),
      { parameters, input: o, indices, output: y },
      { ...whole, ...out_ },
    );
    bench.run(
      linearBackwardInput(out_, 'identity', form),
      { parameters, gradient: dy, made: o, result: dO },
      { ...backward, ...out_ },
    );
    bench.run(
      linearBackwardWeight(out_, form, false),
      { gradient: dy, input: o, indices, partials },
      { ...weights, ...out_ },
    );
    const batch = { sequences, length, heads, scale };
    const made = { qkv, lengths, gradient: dO, log_sums, deltas, result: dqkv };
    bench.run(attentionBackwardQuery({ heads, dim }, form), { ...made, output: o }, batch);
    bench.run(attentionBackwardKey({ heads, dim }, form), made, batch);
    bench.run(
      linearBackwardInput(in_, 'identity', form),
      { parameters, gradient: dqkv, made: x, result: dx },
      { ...backward, ...in_ },
    );
    bench.run(
      linearBackwardWeight(in_, form, false),
      { gradient: dqkv, input: x, indices, partials },
      { ...weights, ...in_ },
    );

    const gradients = await bench.read(partials);
    return {
      y: await bench.read(y),
      attn: probabilities(await bench.read(qkv), await bench.read(log_sums), await bench.read(lengths), {
        sequences,
        length,
        heads,
        dim,
        scale,
      }),
      grad_x: await bench.read(dx),
      grad_in_proj_weight: gradients.slice(0, in_.bias),
      grad_in_proj_bias: gradients.slice(in_.bias, out_.weight),
      grad_out_proj_weight: gradients.slice(out_.weight, out_.bias),
      grad_out_proj_bias: gradients.slice(out_.bias),
    };
  };
}

/** [S, heads, L, L], from what the kernels keep: exp(score - log Σ). */
function probabilities(
  qkv: ArrayLike<number>,
  logSums: ArrayLike<number>,
  lengths: ArrayLike<number>,
  { sequences, length, heads, dim, scale }: Record<'sequences' | 'length' | 'heads' | 'dim' | 'scale', number>,
): number[] {
  const width = heads * dim;
  const result: number[] = [];
  for (let s = 0; s < sequences; s++)
    for (let head = 0; head < heads; head++)
      for (let t = 0; t < length; t++)
        for (let j = 0; j < length; j++) {
          const row = s * length + t;
          let score = 0;
          for (let c = 0; c < dim; c++)
            score += qkv[row * 3 * width + head * dim + c] * qkv[(s * length + j) * 3 * width + width + head * dim + c];
          result.push(j > t || j >= lengths[s] ? 0 : Math.exp(scale * score - logSums[row * heads + head]));
        }
  return result;
}
