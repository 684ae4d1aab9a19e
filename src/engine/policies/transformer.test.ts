import { describe } from 'vitest';
import { describeSequencePolicy } from './sequence_contract';
import type { SequencePolicy } from './sequence_policies';
import { TRANSFORMER } from './transformer';

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
