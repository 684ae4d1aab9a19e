/**
 * The kinds of policy over tokens to choose from. A choice says what it is made of and builds models; how
 * an actor and its critic are put together is the same for all (`buildPolicy`).
 */
import type { BufferPool } from '../device/pool';
import type { Parameters, Problem, Schema } from '../parameters';
import type { Described } from '../stages/stage';
import { Layout } from './layout';
import type { MlpForms } from './mlp';
import type { SequenceHeads, SequenceModel } from './sequence';

/** What a model has to fit. */
export interface SequenceRoom {
  readonly vocabulary: number;
  /** Longest episode, in tokens. */
  readonly context: number;
  /** Sequences of one pass at most; a pass is sequences × length rows. */
  readonly sequences: number;
  /** Longest length of a pass. */
  readonly length: number;
}

export interface Build {
  readonly room: SequenceRoom;
  readonly heads: SequenceHeads;
  readonly pool: BufferPool;
  readonly layout: Layout;
  /** Names of tensors and buffers begin with it: `actor`, `critic`. */
  readonly prefix: string;
  readonly forms: MlpForms;
}

export interface SequencePolicy<S extends Schema = Schema> extends Described<S> {
  problems(parameters: Parameters<S>, room: SequenceRoom, path: string): Problem[];
  /** The linear layer that costs most: by it the kernels' forms are chosen. */
  widest(parameters: Parameters<S>, vocabulary: number): { readonly inputs: number; readonly outputs: number };
  build(parameters: Parameters<S>, build: Build): SequenceModel;
}

/** What every kind has in common: how long it can read, and whether the critic is a head of the actor or a model of its own. */
export const COMMON = {
  context: {
    kind: 'number',
    label: 'Context',
    help: 'Tokens that it can read; 0: as many as the longest episode has.',
    default: 0,
    min: 0,
    max: 1024,
    integer: true,
    unit: 'tokens',
  },
  critic: {
    kind: 'choice',
    label: 'Critic',
    help: 'A head on the actor learns from it and disturbs it; apart, it has its own size. Only built where a stage needs values.',
    default: 'shared',
    options: [
      { value: 'shared', label: 'head of the actor' },
      { value: 'separate', label: 'apart' },
    ],
  },
  critic_width: {
    kind: 'number',
    label: 'Critic’s width',
    help: 'Width of a critic apart; 0: as wide as the actor.',
    default: 0,
    min: 0,
    max: 256,
    integer: true,
  },
} as const satisfies Schema;

export interface ActorCritic {
  readonly layout: Layout;
  readonly actor: SequenceModel;
  /** Absent: no critic. The actor itself: its value head. */
  readonly critic?: SequenceModel;
}

/** The models in one layout: parameters, gradients and moments of both are one buffer each. */
export function buildPolicy(
  policy: SequencePolicy,
  parameters: Readonly<Record<string, unknown>>,
  needsCritic: boolean,
  build: Omit<Build, 'heads' | 'layout' | 'prefix'>,
): ActorCritic {
  const layout = new Layout();
  const apart = needsCritic && parameters.critic === 'separate';
  const actor = policy.build(parameters as never, {
    ...build,
    layout,
    prefix: 'actor',
    heads: { logits: true, value: needsCritic && !apart },
  });
  if (!needsCritic) return { layout, actor };
  if (!apart) return { layout, actor, critic: actor };
  const width = Number(parameters.critic_width) || Number(parameters.width);
  const critic = policy.build({ ...parameters, width } as never, {
    ...build,
    layout,
    prefix: 'critic',
    heads: { logits: false, value: true },
  });
  return { layout, actor, critic };
}
