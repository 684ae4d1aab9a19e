/** How episodes of turns are gathered: all together, or each on its own. */
import type { Parameters, Schema } from '../../parameters';
import type { Described } from '../stage';

const SHARED = {
  groups: {
    kind: 'number',
    label: 'Tasks',
    help: 'Tasks of an update; more make the gradient smoother.',
    default: 12,
    min: 1,
    max: 1024,
    integer: true,
    unit: 'tasks',
  },
  group_size: {
    kind: 'number',
    label: 'Group size',
    help: 'Episodes of each task. Estimators that compare within a group need at least 2.',
    default: 16,
    min: 1,
    max: 256,
    integer: true,
    unit: 'episodes',
  },
  task_selection: {
    kind: 'choice',
    label: 'Tasks drawn',
    help: 'Evenly, or those of the kinds that are solved about half of the time more often (a curriculum by success rate).',
    default: 'even',
    options: [
      { value: 'even', label: 'evenly' },
      { value: 'learnability', label: 'by learnability' },
    ],
    live: true,
  },
  temperature: {
    kind: 'number',
    label: 'Temperature',
    help: 'Above 1 the policy tries more, below 1 it keeps to what it likes. Training sees the same temperature.',
    default: 1,
    min: 0.05,
    max: 10,
    step: 0.1,
    live: true,
  },
  top_k: {
    kind: 'number',
    label: 'Top-k',
    help: 'Only the k likeliest tokens may be written; 0: all.',
    default: 0,
    min: 0,
    max: 512,
    integer: true,
    live: true,
  },
  top_p: {
    kind: 'number',
    label: 'Top-p',
    help: 'Only the likeliest tokens that together have this probability may be written; 1: all.',
    default: 1,
    min: 0.01,
    max: 1,
    step: 0.05,
    live: true,
  },
  grammar: {
    kind: 'flag',
    label: 'Grammar',
    help: 'Illegal tokens cannot be written. Off: the policy must learn the form of a turn by itself.',
    default: true,
  },
  turns: {
    kind: 'number',
    label: 'Turn limit',
    help: 'Turns of an episode at most; 0: as many as the environment allows.',
    default: 0,
    min: 0,
    max: 128,
    integer: true,
    unit: 'turns',
    live: true,
  },
  turn_tokens: {
    kind: 'number',
    label: 'Token limit',
    help: 'Tokens of a turn at most; 0: as many as the environment allows.',
    default: 0,
    min: 0,
    max: 1024,
    integer: true,
    unit: 'tokens',
    live: true,
  },
} as const satisfies Schema;

const SLOTS_FIELD = {
  kind: 'number',
  label: 'Slots',
  help: 'Episodes that run at the same time; 0: all of an update.',
  default: 0,
  min: 0,
  max: 4096,
  integer: true,
  unit: 'slots',
} as const;

export const TOGETHER = {
  id: 'turns',
  title: 'Episodes together',
  summary: 'All episodes of an update begin together with the current policy; the update waits for the longest.',
  formula: 'batch = tasks × group size',
  source: 'Shao et al. 2024, arXiv:2402.03300 (groups of one task)',
  parameters: { ...SHARED, slots: SLOTS_FIELD },
  world: 'text',
} as const satisfies Described;

export const ASYNCHRONOUS = {
  id: 'asynchronous',
  title: 'Episodes on their own',
  summary:
    'Finished episodes leave and new ones join at once; an update begins as soon as enough groups are complete, and the others go on with the new policy.',
  formula: '⌊(episodes begun − 1) / batch⌋ ≤ update + η',
  source: 'Fu et al. 2025 (AReaL), arXiv:2505.24298',
  parameters: {
    ...SHARED,
    slots: { ...SLOTS_FIELD, default: 64 },
    staleness: {
      kind: 'number',
      label: 'Staleness η',
      help: 'Updates by which an episode may run ahead of the policy: bounds how old the policy that wrote it can be.',
      default: 1,
      min: 0,
      max: 64,
      integer: true,
      unit: 'updates',
      live: true,
    },
    delay: {
      kind: 'number',
      label: 'Delivery delay',
      help: 'Episodes are written with the weights of so many updates ago, as if they reached the sampler late.',
      default: 0,
      min: 0,
      max: 16,
      integer: true,
      unit: 'updates',
    },
  },
  world: 'text',
} as const satisfies Described;

/** Complete settings of either; what only the asynchronous form has is 0 in the other. */
export interface TurnRollout extends Parameters<typeof SHARED> {
  readonly slots: number;
  readonly asynchronous: boolean;
  readonly staleness: number;
  readonly delay: number;
}

export function turnRollout(id: string, parameters: Readonly<Record<string, unknown>>): TurnRollout {
  const shared = parameters as Parameters<typeof TOGETHER.parameters>;
  if (id === TOGETHER.id) return { ...shared, asynchronous: false, staleness: 0, delay: 0 };
  return { ...(parameters as Parameters<typeof ASYNCHRONOUS.parameters>), asynchronous: true };
}
