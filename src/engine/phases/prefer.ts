/** Preference learning: of two episodes of one task, the better one becomes likelier. */
import type { AnyParameters, Parameters, Schema } from '../parameters';
import { PREFERENCE_LOSSES, PREFERENCE_SETTINGS } from '../stages/preference_losses';
import { rankedPairs } from '../text/pairs';
import { type PhaseKind, PhaseStopped, START } from './phase';

const OWN = {
  source: {
    kind: 'choice',
    label: 'Pairs from',
    help: 'What says which of two episodes of a task is better.',
    default: 'reward',
    options: [
      { value: 'reward', label: 'higher reward' },
      { value: 'success', label: 'success' },
      { value: 'clicked', label: 'your choices in the page' },
    ],
  },
  loss: {
    kind: 'choice',
    label: 'Loss',
    help: 'How the gap between the two is pushed.',
    default: 'dpo',
    options: Object.values(PREFERENCE_LOSSES).map(({ id, title }) => ({ value: id, label: title })),
  },
  pairs: {
    kind: 'number',
    label: 'Pairs',
    help: 'Pairs gathered with the policy as this phase begins. 0: each update samples anew.',
    default: 2000,
    min: 0,
    max: 20_000,
    integer: true,
  },
  steps: {
    kind: 'number',
    label: 'Steps an update',
    help: 'Gradient steps that count as one update.',
    default: 10,
    min: 1,
    max: 1000,
    integer: true,
  },
  batch: {
    kind: 'number',
    label: 'Pairs a step',
    help: 'Pairs in one gradient step.',
    default: 32,
    min: 1,
    max: 512,
    integer: true,
  },
  ...START,
} as const satisfies Schema;

const parameters: Schema = { ...OWN, ...PREFERENCE_SETTINGS };

export const prefer: PhaseKind = {
  id: 'prefer',
  title: 'Prefer',
  summary: 'Learns from pairs of episodes, without a reward model and, with a fixed set, without new episodes.',
  formula: 'L = −log σ(β [log π(w)/π_ref(w) − log π(l)/π_ref(l)])',
  source: 'Rafailov et al. 2023, arXiv:2305.18290; TRL DPOTrainer',
  parameters,
  world: 'text',
  kernels: Object.values(PREFERENCE_LOSSES).flatMap(({ kernels }) => kernels),
  sequences: ({ batch }) => 2 * Number(batch),
  lacks({ source }, { pairs }) {
    return source === 'clicked' && pairs === 0 ? NO_CHOICE : undefined;
  },
  async update(run, given) {
    const p = given as Parameters<typeof OWN>;
    const pairs =
      p.source === 'clicked'
        ? run.collected.pairs
        : await run.pairs(p.pairs, (groups) => rankedPairs(groups, p.source as 'reward' | 'success'));
    // Sampled anew each time, a batch in which every group agrees teaches nothing; the next may.
    if (pairs.length === 0 && p.source !== 'clicked' && p.pairs === 0) return { 'rollout/pairs': 0 };
    if (pairs.length === 0) throw new PhaseStopped(p.source === 'clicked' ? NO_CHOICE.message : ALL_ALIKE);
    for (let step = 0; step < p.steps; step++)
      await run.prefer(run.draw(pairs, p.batch, step), p.loss, settingsOf(given, p.loss));
    return { 'rollout/pairs': pairs.length };
  },
};

/** Those of the phase's settings that its loss knows. */
function settingsOf(given: AnyParameters, loss: string): AnyParameters {
  const known = Object.keys(PREFERENCE_LOSSES[loss].parameters);
  return Object.fromEntries(Object.entries(given).filter(([key]) => known.includes(key)));
}

const NO_CHOICE = {
  key: 'source',
  message: 'It learns from your choices between two episodes of one task, and you have made none yet.',
} as const;
const ALL_ALIKE =
  'No group of episodes holds a better and a worse one, so there is no pair: use larger groups or easier tasks, and reset.';
