/** Golden vectors of the token embedding. */
import { floats, type GoldenAdapter, numberOr } from '../golden/adapter';
import { numbers, shapeOf } from '../golden/read';
import { sum } from '../reduce/sum';
import { embedding, embeddingBackward } from './embedding';

/** Two parts of any case, so that their sum is tested too. */
const PARTS = 2;

/** torch_linear_embedding, embedding. The reference's padding_idx stands for rows whose gradient is 0. */
export const torchEmbedding: GoldenAdapter = async ({ inputs }, bench) => {
  const [vocabulary, width] = shapeOf(inputs.weight) as [number, number];
  const ids = numbers(inputs.ids);
  const padding = numberOr(inputs.padding_idx, -1);
  const dy = floats(inputs.dy).map((d, i) => (ids[Math.floor(i / width)] === padding ? 0 : d));
  const tokens = bench.buffer(Uint32Array.from(ids));
  const output = bench.zeros(ids.length * width);
  const stride = vocabulary * width;
  const [partials, sums] = [bench.zeros(PARTS * stride), bench.zeros(stride)];
  const batch = { sequences: ids.length, length: 1, sequence_stride: 1, position_stride: 0, width, table: 0 };
  bench.run(embedding, { parameters: bench.buffer(floats(inputs.weight)), tokens, output }, batch);
  bench.run(
    embeddingBackward,
    { gradient: bench.buffer(dy), tokens, partials },
    { ...batch, vocabulary, parts: PARTS, part_sequences: Math.ceil(ids.length / PARTS), stride },
  );
  bench.run(sum, { input: partials, sums }, { rows: PARTS, columns: stride, partials: 1 });
  return { y: await bench.read(output), grad_weight: await bench.read(sums) };
};
