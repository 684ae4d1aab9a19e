/** The kinds of policy to choose from. */
import type { Described } from '../stages/stage';
import { GRU } from './gru';
import type { SequencePolicy } from './sequence_policies';
import { TABLE } from './table';
import { TRANSFORMER } from './transformer';

export const MLP = {
  id: 'mlp',
  title: 'MLP',
  summary: 'Fully connected layers from what the agent sees to what it does, and to what it expects.',
  formula: 'h = f(W x + b);  logits = W_a h + b_a;  V = W_c h + b_c',
  source: 'CleanRL ppo.py, ppo_continuous_action.py; orthogonal start: Saxe et al. 2013, arXiv:1312.6120',
  parameters: {
    hidden: {
      kind: 'list',
      label: 'Hidden layers',
      help: 'Width of each hidden layer; empty makes the policy linear.',
      default: [64, 64],
      min: 1,
      max: 1024,
      integer: true,
      minLength: 0,
      maxLength: 8,
    },
    activation: {
      kind: 'choice',
      label: 'Activation',
      help: 'The bend between two layers.',
      default: 'tanh',
      options: [
        { value: 'tanh', label: 'tanh' },
        { value: 'relu', label: 'ReLU' },
        { value: 'gelu', label: 'GELU' },
        { value: 'gelu_tanh', label: 'GELU (tanh form)' },
      ],
    },
    trunk: {
      kind: 'choice',
      label: 'Actor and critic',
      help: 'Apart: they cannot disturb each other. Shared: fewer weights, and one learns from the other.',
      default: 'separate',
      options: [
        { value: 'separate', label: 'apart' },
        { value: 'shared', label: 'shared trunk' },
      ],
    },
    initial_log_std: {
      kind: 'number',
      label: 'Initial log σ',
      help: 'Spread of a continuous policy’s actions at the start; no effect on discrete actions.',
      default: 0,
      min: -5,
      max: 2,
      step: 0.5,
    },
  },
} as const satisfies Described;

export const POLICIES = { mlp: MLP };

/** Policies over tokens. */
export const SEQUENCE_POLICIES = { transformer: TRANSFORMER, gru: GRU, table: TABLE } as unknown as Readonly<
  Record<string, SequencePolicy>
>;
