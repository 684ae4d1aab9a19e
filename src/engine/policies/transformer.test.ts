import { describe, it } from 'vitest';
import { expectGolden } from '../../../kernels/agree';
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
