import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../kernels/agree';
import { defaultsOf } from '../parameters';
import { describeSequencePolicy } from './sequence_contract';
import type { SequencePolicy } from './sequence_policies';
import { TRANSFORMER } from './transformer';
import { grpoTransformer } from './transformer_golden';

const policy = TRANSFORMER as unknown as SequencePolicy;
const gpt = {
  layers: 1,
  width: 8,
  heads: 2,
  mlp: 12,
  norm: 'layer',
  positions: 'learned',
  activation: 'gelu',
  tied: false,
};
const llama = {
  layers: 2,
  width: 4,
  heads: 1,
  mlp: 6,
  norm: 'rms',
  positions: 'rotary',
  activation: 'swiglu',
  tied: true,
};

describe('transformer as GPT-2', () => describeSequencePolicy(policy, gpt));
describe('transformer as Llama', () => describeSequencePolicy(policy, llama));

describe.each(['plain', 'tuned'] as const)(
  'a complete update with the %s kernels agrees with verl and PyTorch',
  (form) => {
    it.each(['e2e_grpo_transformer', 'e2e_drgrpo_transformer'])('%s', (name) =>
      expectGolden(name, grpoTransformer(form)),
    );
  },
);

describe('a transformer that cannot be', () => {
  const room = { vocabulary: 6, context: 7, sequences: 4, length: 7 };
  it.each([
    [{ width: 10, heads: 4 }, room, 'policy.width'],
    [{ width: 6, heads: 2, positions: 'rotary' }, room, 'policy.width'],
    [{ width: 8, heads: 4, critic: 'separate', critic_width: 18 }, room, 'policy.critic_width'],
    [{ width: 8, heads: 4 }, { ...room, vocabulary: 513 }, 'policy'],
    [{ width: 8, heads: 4 }, { ...room, context: 1025 }, 'policy'],
  ])('is said at its setting: %j', (settings, of, path) => {
    const given = { ...defaultsOf(TRANSFORMER.parameters), ...settings };
    expect(TRANSFORMER.problems(given, of, 'policy').map((problem) => problem.path)).toEqual([path]);
  });

  it('is none of the defaults', () => {
    expect(TRANSFORMER.problems(defaultsOf(TRANSFORMER.parameters), room, 'policy')).toEqual([]);
  });
});
