/** What the advantage stages over tokens have in common: recipes of a few kernels, with scratch buffers of the stage. */
import {
  GROUP_BASELINE,
  GROUP_SCALE,
  GROUP_STATISTICS,
  groupAdvantage,
  groupStatistics,
  LONE,
  WEIGHTING,
} from '../../../../kernels/advantage/group_advantage';
import { returnsToGo, TOKEN_BASELINE } from '../../../../kernels/advantage/returns_to_go';
import { sequenceScores } from '../../../../kernels/advantage/sequence_scores';
import { groupLinks, turnGroupAdvantage } from '../../../../kernels/advantage/turn_group_advantage';
import { spreadTurns, turnPick, turnSums } from '../../../../kernels/advantage/turns';
import { MASKED_PARTIALS, maskedMoments, maskedPartials, whiten } from '../../../../kernels/advantage/whiten';
import type { Kernel } from '../../../../kernels/kernel';
import type { DeviceBuffer } from '../../device/executor';
import type { NumberField } from '../../parameters';
import type { TokenRollout, TokenStageContext } from '../token_stage';

/** Kernels of each recipe, for the stages' lists. */
export const RETURNS_KERNELS = [returnsToGo as unknown as Kernel];
export const WHITEN_KERNELS = [maskedPartials, maskedMoments, whiten] as unknown as Kernel[];
export const SCORE_KERNELS = [sequenceScores as unknown as Kernel];
export const GROUP_KERNELS = [groupStatistics, groupAdvantage, spreadTurns] as unknown as Kernel[];
export const TURN_KERNELS = [turnSums, turnPick, spreadTurns] as unknown as Kernel[];
export const TURN_GROUP_KERNELS = [groupLinks, turnGroupAdvantage] as unknown as Kernel[];

/** What references add to a deviation before they divide by it. */
export const EPSILON = { verl: 1e-6, mtGrpo: 1e-4 } as const;

export const GAMMA: NumberField = {
  kind: 'number',
  label: 'γ',
  help: 'Discount of later rewards for each token: 1 lets every token share the episode’s reward in full.',
  default: 1,
  min: 0,
  max: 1,
  step: 0.01,
  live: true,
};

/** Sequences and length: the uniforms that every kernel over tokens takes. */
export function shapeOf({ sequences, length }: TokenRollout) {
  return { sequences, length };
}

/** Scratch of a stage: by token or turn [S, L], or by sequence [S]. */
export function scratch({ pool, rollout }: TokenStageContext, id: string) {
  return {
    tokens: (name: string) => pool.f32(`${id}/${name}`, rollout.sequences * rollout.length),
    indices: (name: string) => pool.u32(`${id}/${name}`, rollout.sequences * rollout.length),
    sequences: (name: string) => pool.f32(`${id}/${name}`, rollout.sequences),
    counts: (name: string) => pool.u32(`${id}/${name}`, rollout.sequences),
  };
}

interface ReturnOptions {
  readonly gamma: number;
  /** From a turn to the next; γ where not given. */
  readonly turnGamma?: number;
  readonly baseline?: keyof typeof TOKEN_BASELINE;
  /** Observations cut the return. */
  readonly reset?: boolean;
}

/** Writes returns from each token on, and their advantages over the baseline. */
export function runReturns({ executor, rollout }: TokenStageContext, options: ReturnOptions): void {
  const { rewards, mask, turns, finalValues, values, baselines, returns, advantages } = rollout;
  const { gamma, turnGamma = gamma, baseline = 'none', reset = false } = options;
  executor.run(
    returnsToGo,
    { rewards, mask, turns, final_values: finalValues, values, baselines, returns, advantages },
    { ...shapeOf(rollout), gamma, turn_gamma: turnGamma, baseline: TOKEN_BASELINE[baseline], reset: Number(reset) },
  );
}

/** Centres the advantages over all tokens that teach, and divides them by their deviation unless `scale` is false. */
export function whitenAdvantages({ executor, pool, rollout }: TokenStageContext, id: string, scale = true): void {
  const { advantages: values, mask, sequences, length } = rollout;
  const partials = pool.f32(`${id}/partials`, MASKED_PARTIALS * 3);
  const moments = pool.f32(`${id}/moments`, 3);
  const count = sequences * length;
  executor.run(maskedPartials, { values, mask, partials }, { count, partials: MASKED_PARTIALS });
  executor.run(maskedMoments, { partials, moments }, { partials: MASKED_PARTIALS });
  executor.run(whiten, { mask, moments, values }, { count, center: 1, scale: Number(scale) });
}

/** Sum of rewards and number of entries of mask 1, by sequence; of tokens, or of turn arrays. */
export function runScores(
  context: TokenStageContext,
  id: string,
  { rewards, mask }: { readonly rewards: DeviceBuffer; readonly mask: DeviceBuffer } = context.rollout,
) {
  const own = scratch(context, id);
  const buffers = { scores: own.sequences('scores'), lengths: own.sequences('lengths') };
  context.executor.run(sequenceScores, { rewards, mask, ...buffers }, shapeOf(context.rollout));
  return buffers;
}

interface GroupOptions {
  readonly baseline?: keyof typeof GROUP_BASELINE;
  readonly scale?: keyof typeof GROUP_SCALE;
  /** The scale is that of the whole batch, not of the group. */
  readonly batchScale?: boolean;
  readonly weighting?: keyof typeof WEIGHTING;
  readonly weights?: DeviceBuffer;
  readonly lone?: keyof typeof LONE;
  readonly epsilon?: number;
}

/** Advantages [S] of the episodes' scores [S] over their groups. `id` may name one of several in a stage. */
export function runGroups(
  context: TokenStageContext,
  id: string,
  scores: DeviceBuffer,
  options: GroupOptions,
): DeviceBuffer {
  const { executor, pool, rollout } = context;
  const { sequences, groups } = rollout;
  const { baseline = 'mean', scale = 'none', weighting = 'none', weights = scores, lone = 'zero' } = options;
  const statistics = (name: string, whole: number) => {
    const buffer = pool.f32(`${id}/${name}`, sequences * GROUP_STATISTICS);
    const uniforms = { sequences, whole, weighting: WEIGHTING[weighting] };
    executor.run(groupStatistics, { scores, weights, groups, statistics: buffer }, uniforms);
    return buffer;
  };
  const own = statistics('statistics', 0);
  const scaling = options.batchScale ? statistics('batch-statistics', 1) : own;
  const advantages = scratch(context, id).sequences('group-advantages');
  executor.run(
    groupAdvantage,
    { scores, weights, own, scaling, advantages },
    {
      sequences,
      weighted: Number(weighting === 'counts'),
      baseline: GROUP_BASELINE[baseline],
      scale: GROUP_SCALE[scale],
      lone: LONE[lone],
      epsilon: options.epsilon ?? EPSILON.verl,
      variance_floor: 0,
    },
  );
  return advantages;
}

/** The rollout by turn: rewards and mask [S, L], number of turns and reward of the last one [S]. */
export function runTurnSums(context: TokenStageContext, id: string) {
  const { executor, rollout } = context;
  const { rewards, mask, turns } = rollout;
  const own = scratch(context, id);
  const byTurn = {
    rewards: own.tokens('turn-rewards'),
    mask: own.tokens('turn-mask'),
    counts: own.counts('turn-counts'),
    outcomes: own.sequences('outcomes'),
  };
  executor.run(
    turnSums,
    {
      rewards,
      mask,
      turns,
      turn_rewards: byTurn.rewards,
      turn_mask: byTurn.mask,
      turn_counts: byTurn.counts,
      outcomes: byTurn.outcomes,
    },
    shapeOf(rollout),
  );
  return byTurn;
}

/** Writes into `picked` what stands at the first (or last) token of each turn. */
export function runTurnPick(
  { executor, rollout }: TokenStageContext,
  source: DeviceBuffer,
  picked: DeviceBuffer,
  last = false,
): DeviceBuffer {
  const { mask, turns } = rollout;
  executor.run(turnPick, { source, mask, turns, picked }, { ...shapeOf(rollout), last: Number(last) });
  return picked;
}

interface TurnGroupOptions {
  readonly scores: DeviceBuffer;
  readonly mask: DeviceBuffer;
  readonly counts: DeviceBuffer;
  /** Compare turns of equal key; turns of the same number where there is none. */
  readonly keys?: DeviceBuffer;
  readonly beforeLast?: boolean;
  readonly scale?: boolean;
  readonly epsilon?: number;
}

/** Advantages of turns [S, L] over the turns of their group that they are compared with. */
export function runTurnGroups(context: TokenStageContext, id: string, options: TurnGroupOptions): DeviceBuffer {
  const { executor, rollout } = context;
  const own = scratch(context, id);
  const turn_advantages = own.tokens('turn-advantages');
  const links = context.pool.u32(`${id}/links`, rollout.sequences * 2);
  executor.run(groupLinks, { groups: rollout.groups, links }, { sequences: rollout.sequences });
  executor.run(
    turnGroupAdvantage,
    {
      turn_scores: options.scores,
      turn_mask: options.mask,
      keys: options.keys ?? rollout.turns,
      links,
      turn_counts: options.counts,
      turn_advantages,
      step_groups: own.indices('step-groups'),
    },
    {
      ...shapeOf(rollout),
      by_key: Number(options.keys !== undefined),
      before_last: Number(options.beforeLast ?? false),
      scale: Number(options.scale ?? false),
      epsilon: options.epsilon ?? EPSILON.verl,
    },
  );
  return turn_advantages;
}

interface SpreadOptions {
  readonly bySequence?: DeviceBuffer;
  readonly byTurn?: DeviceBuffer;
  readonly turnWeight?: number;
  /** Only at the last token of each turn. */
  readonly lastOnly?: boolean;
}

/** Gives each token that teaches what its episode and its turn have; what is not given does not count. */
export function runSpread(
  { executor, rollout }: TokenStageContext,
  output: DeviceBuffer,
  { bySequence, byTurn, turnWeight = 1, lastOnly = false }: SpreadOptions,
): void {
  const { mask, turns } = rollout;
  executor.run(
    spreadTurns,
    { by_sequence: bySequence ?? mask, by_turn: byTurn ?? mask, mask, turns, output },
    {
      ...shapeOf(rollout),
      sequence_weight: bySequence ? 1 : 0,
      turn_weight: byTurn ? turnWeight : 0,
      last_only: Number(lastOnly),
    },
  );
}
