/**
 * Advantages of whole episodes over their group, in two steps; the scale's statistics may be the group's own:
 *
 *     run(groupStatistics, { scores, weights, groups, statistics }, { sequences, whole: 0, weighting });
 *     run(groupAdvantage, { scores, weights, own: statistics, scaling: statistics, advantages }, { sequences, … });
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { deviationIsZero } from '../reduce/chan';
import chan from '../reduce/chan.wgsl?raw';
import code from './group_advantage.wgsl?raw';
import statisticsCode from './group_statistics.wgsl?raw';

/** What `weights` are: unread, how often each sequence counts, or its share in the mean alone. */
export const WEIGHTING = { none: 0, counts: 1, mean: 2 } as const;
export const GROUP_BASELINE = { mean: 0, leaveOneOut: 1, bestOther: 2 } as const;
export const GROUP_SCALE = { none: 0, deviation: 1, nonzero: 2 } as const;
/** What a group of one gets: 0, or its score as it is. */
export const LONE = { zero: 0, score: 1 } as const;

/** Columns of a row of `statistics`. */
const COLUMN = { n: 0, mean: 1, deviation: 2, bestOther: 3, nonzero: 4 } as const;
export const GROUP_STATISTICS = 5;

/**
 * scores, weights, groups [S] → statistics [S, 5]: n, mean, sample deviation, best score of another member, number
 * of scores that are not 0, all of the sequence's group (`whole` 1: of all sequences).
 */
export const groupStatistics = defineKernel({
  name: 'advantage/group_statistics',
  wgsl: wgsl(chan, statisticsCode),
  bindings: { scores: 'read', weights: 'read', groups: 'read', statistics: 'write' },
  uniforms: { sequences: 'u32', whole: 'u32', weighting: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference({ scores, weights, groups, statistics }, { sequences, whole, weighting }) {
    const times = (o: number) => (weighting === WEIGHTING.counts ? weights[o] : 1);
    const share = (o: number) => (weighting === WEIGHTING.mean ? weights[o] : times(o));
    for (let s = 0; s < sequences; s++) {
      const members: number[] = [];
      for (let o = 0; o < sequences; o++) if ((whole || groups[o] === groups[s]) && times(o) !== 0) members.push(o);
      const sum = (of: (o: number) => number) => members.reduce((total, o) => total + of(o), 0);
      const n = sum(times);
      const weight = sum(share);
      const mean = weight > 0 ? sum((o) => share(o) * scores[o]) / weight : 0;
      const deviation = Math.sqrt(sum((o) => times(o) * (scores[o] - mean) ** 2) / Math.max(n - 1, 1));
      const row = s * GROUP_STATISTICS;
      statistics[row + COLUMN.n] = n;
      statistics[row + COLUMN.mean] = mean;
      statistics[row + COLUMN.deviation] = n < 2 || deviationIsZero(deviation, mean) ? 0 : deviation;
      statistics[row + COLUMN.bestOther] = Math.max(-3.4e38, ...members.filter((o) => o !== s).map((o) => scores[o]));
      statistics[row + COLUMN.nonzero] = sum((o) => (scores[o] !== 0 ? times(o) : 0));
    }
  },
});

/**
 * scores, weights [S] (read where `weighted`: 0 gives 0), own and scaling [S, 5] → advantages [S]. `lone`: what a
 * group of one gets. epsilon is added to the deviation; variance_floor 0 is none.
 */
export const groupAdvantage = defineKernel({
  name: 'advantage/group_advantage',
  wgsl: code,
  bindings: { scores: 'read', weights: 'read', own: 'read', scaling: 'read', advantages: 'write' },
  uniforms: {
    sequences: 'u32',
    weighted: 'u32',
    baseline: 'u32',
    scale: 'u32',
    lone: 'u32',
    epsilon: 'f32',
    variance_floor: 'f32',
  },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference({ scores, weights, own, scaling, advantages }, u) {
    for (let s = 0; s < u.sequences; s++) {
      const group = own.subarray(s * GROUP_STATISTICS, (s + 1) * GROUP_STATISTICS);
      const scale = scaling.subarray(s * GROUP_STATISTICS, (s + 1) * GROUP_STATISTICS);
      const n = group[COLUMN.n];
      let advantage = 0;
      if (n < 2) advantage = u.lone === LONE.score ? scores[s] : 0;
      else if (group[COLUMN.deviation] > 0) {
        const over = scores[s] - group[COLUMN.mean];
        if (u.baseline === GROUP_BASELINE.leaveOneOut) advantage = (over * n) / (n - 1);
        else if (u.baseline === GROUP_BASELINE.bestOther) advantage = Math.max(0, scores[s] - group[COLUMN.bestOther]);
        else advantage = over;
      }
      if (u.scale === GROUP_SCALE.deviation && scale[COLUMN.deviation] > 0)
        advantage /= Math.sqrt(Math.max(scale[COLUMN.deviation] ** 2, u.variance_floor)) + u.epsilon;
      if (u.scale === GROUP_SCALE.nonzero) advantage *= scale[COLUMN.n] / Math.max(scale[COLUMN.nonzero], 1);
      advantages[s] = u.weighted && weights[s] === 0 ? 0 : advantage;
    }
  },
});
