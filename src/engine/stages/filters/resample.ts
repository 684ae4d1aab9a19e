/** GRPO-RoC: sample more episodes than are learned from, and of those that earned something keep the cleanest. */
import type { Random } from '../../../../kernels/random/threefry';
import { score } from '../../text/trajectory';
import { type Filter, type FilterContext, type Group, signalSum } from './filter';

const parameters = {
  resample: {
    kind: 'choice',
    label: 'Resample',
    help: 'Learn from some of the episodes of each group only.',
    default: 'none',
    options: [
      { value: 'none', label: 'no' },
      {
        value: 'correct',
        label: 'cleanest of the correct',
        help: 'Failures by lot, successes with the fewest tool errors (GRPO-RoC).',
      },
      { value: 'random', label: 'by lot', help: 'As many, whatever they are: what to compare with.' },
    ],
    live: true,
  },
  resample_share: {
    kind: 'number',
    label: 'Share kept',
    help: 'Share of each group’s episodes that is learned from.',
    default: 0.5,
    min: 0.05,
    max: 1,
    step: 0.05,
    live: true,
  },
  resample_least: {
    kind: 'number',
    label: 'Least of each kind',
    help: 'So many failures and so many successes are kept where there are as many.',
    default: 2,
    min: 0,
    max: 64,
    integer: true,
    live: true,
  },
} as const;

/**
 * How unclean an episode is: share of calls that failed (½ without a call), plus 1 without an answer, or the
 * answers beyond the first a turn.
 */
export function penalty(counts: {
  readonly calls: number;
  readonly errors: number;
  readonly answers: number;
  readonly turns: number;
}): number {
  const { calls, errors, answers, turns } = counts;
  const ofCalls = calls === 0 ? 0.5 : errors / calls;
  const ofFormat = answers === 0 || turns === 0 ? 1 : Math.min((answers - 1) / turns, 1);
  return ofCalls + ofFormat;
}

/** How many of `positives` and `negatives` are kept so that `keep` are left in about the same ratio. */
export function keptCounts(
  positives: number,
  negatives: number,
  keep: number,
  least: number,
): { readonly positives: number; readonly negatives: number } {
  const total = positives + negatives;
  let good = roundHalfEven((positives * keep) / total);
  let bad = roundHalfEven((negatives * keep) / total);
  if (good < least && bad < least) return { positives, negatives };
  if (bad <= Math.min(least, negatives)) {
    bad = Math.min(least, negatives);
    good = keep - bad;
  }
  if (good <= Math.min(least, positives)) {
    good = Math.min(least, positives);
    bad = keep - good;
  }
  return { positives: good, negatives: bad };
}

/** As Python rounds: with plain rounding both halves of an odd split would go up, and one too many be kept. */
function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

function drawn<T>(items: readonly T[], count: number, random: Random): T[] {
  const left = [...items];
  return Array.from({ length: Math.min(count, items.length) }, () => left.splice(random.below(left.length), 1)[0]);
}

function penaltyOf(trajectory: Group[number], context: FilterContext): number {
  const sum = (name: string) => signalSum(trajectory, name, context);
  return penalty({
    calls: sum('calls'),
    errors: sum('errors'),
    answers: sum('answered'),
    turns: trajectory.turns.length,
  });
}

export const resample: Filter<typeof parameters> = {
  id: 'resample',
  title: 'Resample on correct',
  summary: 'Keeps failures of every kind by lot, and of the successes the ones with the fewest tool errors.',
  formula: 'n⁺ : n⁻ as sampled; n⁺ by (errors / calls, ½ without a call) + (1 without an answer), lowest first',
  source:
    'Shang et al. 2025 (rStar2-Agent, GRPO-RoC), arXiv:2508.20722; failures by lot as in the paper (its code sorts them too)',
  parameters,
  active: (p) => p.resample === 'correct' || p.resample === 'random',
  apply(group, { resample: how, resample_share, resample_least }, context) {
    const keep = Math.max(1, Math.round(group.length * resample_share));
    if (keep >= group.length) return group;
    if (how === 'random') return drawn(group, keep, context.random);
    const right = group.filter((trajectory) => score(trajectory) > 0);
    const wrong = group.filter((trajectory) => score(trajectory) <= 0);
    const counts = keptCounts(right.length, wrong.length, keep, Math.min(resample_least, keep >> 1));
    const cleanest = right
      .map((trajectory) => ({ trajectory, penalty: penaltyOf(trajectory, context) }))
      .sort((a, b) => a.penalty - b.penalty)
      .slice(0, counts.positives)
      .map(({ trajectory }) => trajectory);
    return [...cleanest, ...drawn(wrong, counts.negatives, context.random)];
  },
};
