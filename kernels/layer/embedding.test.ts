import { describe, expect, it } from 'vitest';
import { agree, expectGolden, normals } from '../agree';
import { Random } from '../random/threefry';
import { embedding, embeddingBackward, embeddingBackwardAdded } from './embedding';
import { torchEmbedding } from './embedding_golden';

describe('embedding', () => {
  it('agrees with PyTorch', () =>
    expectGolden('torch_linear_embedding', torchEmbedding, (testCase) => testCase.function === 'embedding'));

  it.each([
    [1, 1, 1, 1, 1],
    [3, 5, 4, 7, 2],
    [33, 9, 20, 65, 3],
    // More parts than sequences: the last are empty.
    [1, 3, 6, 5, 8],
  ])(
    'agrees on both executors for %i × %i tokens of %i, width %i, %i parts',
    async (sequences, length, vocabulary, width, parts) => {
      const count = sequences * length;
      const tokens = Uint32Array.from({ length: count }, (_, i) => new Random(1, 1, i, 0).below(vocabulary));
      const batch = { sequences, length, sequence_stride: 1, position_stride: sequences, width, table: 3 };
      const output = new Float32Array(count * width + 1);
      const rows = await agree(embedding, { parameters: normals(3 + vocabulary * width), tokens, output }, batch);
      expect(rows.output[count * width]).toBe(0);

      const stride = 3 + vocabulary * width;
      const partials = new Float32Array(parts * stride).fill(9);
      const part_sequences = Math.ceil(sequences / parts);
      const written = await agree(
        embeddingBackward,
        { gradient: normals(count * width, 2), tokens, partials },
        { ...batch, vocabulary, parts, part_sequences, stride },
      );
      expect([...written.partials.subarray(0, 3)]).toEqual([9, 9, 9]);
      const added = await agree(
        embeddingBackwardAdded,
        { gradient: normals(count * width, 2), tokens, partials },
        { ...batch, vocabulary, parts, part_sequences, stride },
      );
      for (let i = 3; i < stride; i++) expect(added.partials[i]).toBeCloseTo(9 + written.partials[i], 4);
    },
  );
});
