import { describe, expect, it } from 'vitest';
import { executors, runOnce } from '../../src/engine/device/testing';
import { agree, expectGolden, flags, normals } from '../agree';
import { Random } from '../random/threefry';
import { torchSoftmaxCe, verlEntropyLoss, verlLabelLogProbs } from './token_golden';
import { tokenLogProb, tokenLogProbBackward } from './token_log_prob';

const tolerance = { rtol: 2e-5, atol: 5e-6 };
const STATES = 3;

/** A batch whose tokens are legal in their states; token 1 always is. */
function batch(sequences: number, length: number, vocabulary: number) {
  const grammar = Uint32Array.from({ length: STATES * vocabulary }, (_, i) =>
    i % vocabulary === 1 || new Random(2, 1, i, 0).uniform() < 0.6 ? 1 : 0,
  );
  const count = sequences * length;
  const grammar_states = Uint32Array.from({ length: count }, (_, i) => i % STATES);
  const tokens = grammar_states.map((state, i) => {
    const token = new Random(3, 1, i, 0).below(vocabulary);
    return grammar[state * vocabulary + token] ? token : 1;
  });
  return { logits: normals(count * vocabulary, 1, 0, 3), tokens, grammar_states, mask: flags(count, 0.6), grammar };
}

const STRIDES = {
  'by sequence': (_: number, length: number) => ({ sequence_stride: length, position_stride: 1 }),
  'by position': (sequences: number) => ({ sequence_stride: 1, position_stride: sequences }),
};

describe('log-probabilities of tokens', () => {
  it('agree with PyTorch', () => expectGolden('torch_softmax_ce', torchSoftmaxCe));

  it('agree with verl', async () => {
    await expectGolden('verl_entropy_value', verlLabelLogProbs, (c) => c.function === 'logprobs_from_logits');
    await expectGolden('verl_entropy_value', verlEntropyLoss, (c) => c.function === 'compute_entropy_loss');
  });

  describe.each(Object.entries(STRIDES))('rows %s', (_, strides) => {
    it.each([
      [1, 1, 2],
      [3, 5, 7],
      [13, 5, 65],
    ])('agree on both executors for %i × %i tokens of %i', async (sequences, length, vocabulary) => {
      const count = sequences * length;
      const given = batch(sequences, length, vocabulary);
      const shape = { sequences, length, vocabulary, ...strides(sequences, length) };
      for (const [grammar, smoothing] of [
        [0, 0],
        [1, 0],
        [0, 0.1],
        [1, 0.2],
      ]) {
        const uniforms = { ...shape, temperature: 0.8, grammar, smoothing };
        const outputs = { log_probs: new Float32Array(count).fill(9), entropies: new Float32Array(count).fill(9) };
        // Without a grammar token 0 is illegal.
        const tokens = grammar ? given.tokens : given.tokens.map((token) => Math.max(token, 1));
        const { log_probs } = await agree(tokenLogProb, { ...given, tokens, ...outputs }, uniforms, tolerance);
        for (let i = 0; i < count; i++) if (i % length === 0 || given.mask[i] === 0) expect(log_probs[i]).toBe(0);
        const gradients = { log_prob_gradient: normals(count, 5), entropy_gradient: normals(count, 6) };
        const logits_gradient = new Float32Array(count * vocabulary).fill(9);
        await agree(tokenLogProbBackward, { ...given, tokens, ...gradients, logits_gradient }, uniforms, tolerance);
      }
    });
  });

  it('have the gradient of central differences', () => {
    const [sequences, length, vocabulary] = [3, 4, 5];
    const given = batch(sequences, length, vocabulary);
    const uniforms = {
      sequences,
      length,
      vocabulary,
      sequence_stride: 4,
      position_stride: 1,
      temperature: 1.5,
      grammar: 1,
      smoothing: 0.3,
    };
    const [byLogProb, byEntropy] = [normals(12, 5), normals(12, 6)];
    const objective = (logits: Float64Array) => {
      const outputs = { log_probs: new Float64Array(12), entropies: new Float64Array(12) };
      tokenLogProb.reference({ ...given, logits, ...outputs } as never, uniforms);
      return outputs.log_probs.reduce((sum, x, i) => sum + x * byLogProb[i] + outputs.entropies[i] * byEntropy[i], 0);
    };
    const logits_gradient = new Float32Array(60);
    const gradients = { log_prob_gradient: byLogProb, entropy_gradient: byEntropy, logits_gradient };
    tokenLogProbBackward.reference({ ...given, ...gradients }, uniforms);
    for (let i = 0; i < 60; i++) {
      const at = (by: number) => objective(Float64Array.from(given.logits, (x, j) => (j === i ? x + by : x)));
      expect(logits_gradient[i]).toBeCloseTo((at(1e-5) - at(-1e-5)) / 2e-5, 5);
    }
  });

  it('illegal tokens and rows that teach nothing get exactly 0 gradient', async () => {
    const given = {
      logits: Float32Array.of(1, 2, 90, 1, 2, 90, 5, 5, 5),
      tokens: Uint32Array.of(0, 1, 1),
      grammar_states: new Uint32Array(3),
      mask: Float32Array.of(0, 1, 0),
      grammar: Uint32Array.of(1, 1, 0),
      log_prob_gradient: new Float32Array(3).fill(1),
      entropy_gradient: new Float32Array(3).fill(1),
      logits_gradient: new Float32Array(9).fill(9),
    };
    const shape = { sequences: 1, length: 3, vocabulary: 3, sequence_stride: 3, position_stride: 1 };
    for (const executor of await executors()) {
      const uniforms = { ...shape, temperature: 1, grammar: 1, smoothing: 0 };
      const { logits_gradient } = await runOnce(executor, tokenLogProbBackward, given, uniforms);
      expect(logits_gradient[0]).not.toBe(0);
      expect([...logits_gradient.subarray(2)]).toEqual(new Array(7).fill(0));
    }
  });
});
