/** What a person's keys come to in a step: pure, so that the rules can be tested without a clock. */
import type { View } from '../../engine/view';
import { boardOf } from './board';
import { describePlace } from './describe';
import { idleAction } from './keys';
import type { PlayState, WorldActions } from './props';

/** Worlds that move on whether or not a key is held. */
export function movesOnItsOwn(view: View): boolean {
  return (
    view.kind === 'cartpole' || view.kind === 'mountain-car' || view.kind === 'acrobot' || view.kind === 'pendulum'
  );
}

/** Playing at the world's own pace is hard: the first choice of speed is slower. */
export function firstSpeed(view: View): number {
  return view.kind === 'cartpole' ? 0.25 : 0.5;
}

/**
 * The action of a step in a world that moves on by itself. `held` are the entries of the key map that
 * are down, the last one pressed last; `sliders` has one number a dimension. With nothing held it is
 * the action that does nothing; where there is none (CartPole), the actions take turns and cancel out.
 */
export function actionNow(
  actions: WorldActions,
  held: readonly number[],
  sliders: readonly number[],
  step: number,
): readonly number[] {
  if (!actions.continuous)
    return [held[held.length - 1] ?? idleAction(actions) ?? step % Math.max(actions.names.length, 1)];
  return sliders.map((value, dimension) => {
    const last = held.findLast((entry) => Math.floor(entry / 2) === dimension);
    if (last === undefined) return value;
    return (last % 2 === 0 ? actions.low : actions.high)[dimension];
  });
}

/** What no key held means, for the person; null when the world waits for each action. */
export function restText(view: View, actions: WorldActions): string | null {
  if (!movesOnItsOwn(view)) return null;
  if (actions.continuous) return 'No key held: the slider’s value.';
  const idle = idleAction(actions);
  return idle === null ? 'No key held: the pushes take turns and cancel out.' : `No key held: ${actions.names[idle]}.`;
}

/** One sentence on how the episode stands; also what is announced at its end. */
export function outcomeText(play: PlayState, returnText: string): string {
  const after = `after ${play.step} ${play.step === 1 ? 'step' : 'steps'}, return ${returnText}`;
  if (play.ended === 'no') {
    if (play.success) return `Success ${after}.`;
    return movesOnItsOwn(play.view) ? 'Running.' : 'Your move.';
  }
  if (play.success) return `Episode over ${after}: success.`;
  return play.ended === 'truncated' ? `Time limit ${after}: no success.` : `Episode over ${after}: no success.`;
}

/** What a screen reader hears of a step: every step where the world waits, only the end where it does not. */
export function announcement(play: PlayState, rewardText: string, returnText: string): string {
  if (play.ended !== 'no') return outcomeText(play, returnText);
  if (movesOnItsOwn(play.view)) return '';
  if (play.step === 0) return 'A new episode. Your move.';
  const place =
    boardOf(play.view) === null ? '' : `, agent ${describePlace(play.view as Parameters<typeof describePlace>[0])}`;
  return `Step ${play.step}: reward ${rewardText}${place}.`;
}
