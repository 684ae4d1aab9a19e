/** Pairs of episodes of one task, of which one is the better: what preference learning learns from. */
import { score, type Trajectory } from './trajectory';

export interface Pair {
  readonly chosen: Trajectory;
  readonly rejected: Trajectory;
}

/** From each group, episodes of higher and lower rank side by side: best with worst, second with second worst, … */
export function rankedPairs(groups: readonly (readonly Trajectory[])[], by: 'reward' | 'success'): Pair[] {
  const rank = (trajectory: Trajectory) => (by === 'reward' ? score(trajectory) : Number(trajectory.success));
  return groups.flatMap((group) => {
    const ranked = [...group].sort((a, b) => rank(b) - rank(a));
    return ranked
      .slice(0, ranked.length >> 1)
      .map((chosen, i) => ({ chosen, rejected: ranked[ranked.length - 1 - i] }))
      .filter(({ chosen, rejected }) => rank(chosen) > rank(rejected));
  });
}
