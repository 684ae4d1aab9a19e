import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../../../kernels/agree';
import { Random } from '../../../../kernels/random/threefry';
import { type AnyParameters, defaultsOf } from '../../parameters';
import { ROLE, type Trajectory } from '../../text/trajectory';
import { hasSignal } from './dynamic_sampling';
import { dapoExtras, simpletirVoidTurn } from './golden';
import { FILTER_CHOICES, keepGroups } from './index';
import { keptCounts, penalty } from './resample';
import { softOverlongPenalty } from './soft_overlong';

const SIGNALS = ['calls', 'errors', 'answered', 'void'].map((name) => ({ name }));

/** An episode of one turn a list of signals. */
function episode(
  number: number,
  reward: number,
  signals: readonly (readonly number[])[] = [[1, 0, 1, 0]],
  truncated = false,
): Trajectory {
  const last = signals.length - 1;
  return {
    episode: number,
    task: 0,
    group: 0,
    tokens: [1, 2],
    roles: [ROLE.observation, ROLE.action],
    states: [0, 0],
    logProbs: [0, -1],
    versions: signals.map(() => 0),
    turns: signals.map((values, i) => ({
      from: 1,
      to: 2,
      next: 2,
      signals: values,
      reward: i === last ? reward : 0,
      anchor: 0,
      complete: true,
    })),
    terminated: !truncated,
    truncated,
    success: reward > 0,
  };
}

const settings = (own: AnyParameters): AnyParameters => ({ ...defaultsOf(FILTER_CHOICES.filters.parameters), ...own });
const keep = (groups: readonly (readonly Trajectory[])[], own: AnyParameters, seed = 0) =>
  keepGroups(groups, settings(own), new Random(seed, 0, 0, 0), SIGNALS);
const numbersOf = (groups: readonly (readonly Trajectory[])[]) =>
  groups.map((group) => group.map((one) => one.episode));
const teaches = (trajectory: Trajectory) => trajectory.roles.includes(ROLE.action);

const wrong = episode(1, 0);
const right = episode(2, 1);

describe('filters', () => {
  it('agree with DAPO', () => expectGolden('dapo_extras', dapoExtras));
  it('agree with SimpleTIR', () => expectGolden('simpletir_void_turn', simpletirVoidTurn));

  it('leave everything where none is on', () => {
    expect(numbersOf(keepGroups([[wrong, right]], {}, new Random(0, 0, 0, 0), SIGNALS).kept)).toEqual([[1, 2]]);
    expect(keep([[wrong, right], [wrong]], {})).toMatchObject({ kept: [[wrong, right], [wrong]], rounds: 1 });
  });

  it('dynamic sampling drops groups of equal scores and asks for more', () => {
    const { kept, rounds } = keep([[wrong, wrong], [wrong, right], [right, right], [right]], {
      dynamic_sampling: true,
    });
    expect(numbersOf(kept)).toEqual([[1, 2], [2]]);
    expect(rounds).toBe(4);
    expect(hasSignal([0.1 + 0.2, 0.3])).toBe(false);
    expect(hasSignal([0, 1e-3])).toBe(true);
  });

  it('the success range drops what is too hard and too easy', () => {
    const groups = [
      [wrong, wrong],
      [wrong, right, right],
      [right, right],
    ];
    expect(numbersOf(keep(groups, { success_range: true }).kept)).toEqual([[1, 2, 2]]);
  });

  it('void and truncated episodes stay in their group but teach nothing', () => {
    const emptyTalk = episode(3, 0, [
      [0, 0, 0, 1],
      [1, 0, 1, 0],
    ]);
    const cut = episode(4, 0, undefined, true);
    const [group] = keep([[right, emptyTalk, cut]], { void_turn: true, overlong: true }).kept;
    expect(group.map(teaches)).toEqual([true, false, false]);
    expect(group.map(({ turns }) => turns.length)).toEqual([1, 2, 1]);
    expect(keep([[right, emptyTalk, cut]], { void_turn: true }).kept[0].map(teaches)).toEqual([true, false, true]);
  });

  it('rejection keeps successes only', () => {
    expect(numbersOf(keep([[wrong, right], [wrong]], { rejection: true }).kept)).toEqual([[2]]);
  });

  it('resampling keeps the ratio, and the cleanest of the correct', () => {
    const group = [
      ...[0, 1, 2, 3].map((i) => episode(i, 0)),
      episode(4, 1, [[2, 2, 1, 0]]),
      episode(5, 1, [[2, 0, 1, 0]]),
      episode(6, 1, [[0, 0, 1, 0]]),
      episode(7, 1, [[4, 1, 1, 0]]),
    ];
    const seen = new Set<number>();
    for (let seed = 0; seed < 30; seed++) {
      const [kept] = numbersOf(keep([group], { resample: 'correct' }, seed).kept);
      expect(kept).toHaveLength(4);
      expect(kept.slice(0, 2)).toEqual([5, 7]);
      for (const number of kept.slice(2)) seen.add(number);
    }
    expect([...seen].sort()).toEqual([0, 1, 2, 3]);
    expect(keep([group], { resample: 'random' }).kept[0]).toHaveLength(4);
    expect(keep([group], { resample: 'correct', resample_share: 1 }).kept[0]).toEqual(group);
    const failures = [0, 1, 2, 3].map((i) => episode(i, 0));
    expect(keep([failures], { resample: 'correct' }).kept[0]).toHaveLength(2);
  });

  it("rounds and fills up as GRPO-RoC's code does", () => {
    expect(keptCounts(10, 22, 16, 2)).toEqual({ positives: 5, negatives: 11 });
    expect(keptCounts(1, 31, 16, 2)).toEqual({ positives: 1, negatives: 15 });
    expect(keptCounts(31, 1, 16, 2)).toEqual({ positives: 15, negatives: 1 });
    expect(keptCounts(3, 29, 16, 2)).toEqual({ positives: 2, negatives: 14 });
    expect(keptCounts(32, 0, 16, 2)).toEqual({ positives: 16, negatives: 0 });
    for (let positives = 0; positives <= 32; positives++) {
      const kept = keptCounts(positives, 32 - positives, 16, 2);
      expect(kept.positives + kept.negatives).toBe(16);
      expect(kept.positives).toBeLessThanOrEqual(positives);
      expect(kept.negatives).toBeLessThanOrEqual(32 - positives);
    }
    expect(penalty({ calls: 0, errors: 0, answers: 0, turns: 3 })).toBe(1.5);
    expect(penalty({ calls: 4, errors: 1, answers: 1, turns: 5 })).toBe(0.25);
    expect(penalty({ calls: 1, errors: 0, answers: 3, turns: 4 })).toBe(0.5);
  });

  it('the soft penalty begins before the limit', () => {
    expect([10, 16, 18, 20, 24].map((n) => softOverlongPenalty(n, 20, 4))).toEqual([0, 0, -0.5, -1, -2]);
  });
});
