/**
 * Between tokens and turns. A turn array is [S, L] too: column k is turn k of the episode, which has at least one
 * token; the columns that follow the last turn hold 0. Kernels over tokens work on turn arrays as well, with
 * turn_mask as their mask.
 */
import { ceilDiv, defineKernel } from '../kernel';
import spreadCode from './spread_turns.wgsl?raw';
import pickCode from './turn_pick.wgsl?raw';
import sumsCode from './turn_sums.wgsl?raw';

/**
 * rewards, mask, turns [S, L] → turn_rewards [S, L]: sum over the turn's tokens of mask 1; turn_mask [S, L]: 1 where
 * there is one; turn_counts [S]: 1 + last turn; outcomes [S]: reward of the last turn.
 */
export const turnSums = defineKernel({
  name: 'advantage/turn_sums',
  wgsl: sumsCode,
  bindings: {
    rewards: 'read',
    mask: 'read',
    turns: 'read',
    turn_rewards: 'write',
    turn_mask: 'write',
    turn_counts: 'write',
    outcomes: 'write',
  },
  uniforms: { sequences: 'u32', length: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference(buffers, { sequences, length }) {
    const { rewards, mask, turns, turn_rewards, turn_mask, turn_counts, outcomes } = buffers;
    turn_rewards.fill(0, 0, sequences * length);
    turn_mask.fill(0, 0, sequences * length);
    for (let s = 0; s < sequences; s++) {
      let number = 0;
      for (let i = s * length; i < (s + 1) * length; i++) {
        if (mask[i] === 0 || turns[i] >= length) continue;
        turn_rewards[s * length + turns[i]] += rewards[i];
        turn_mask[s * length + turns[i]] = 1;
        number = Math.max(number, turns[i] + 1);
      }
      turn_counts[s] = number;
      outcomes[s] = number > 0 ? turn_rewards[s * length + number - 1] : 0;
    }
  },
});

/** source [S, L] of any 4-byte type → picked [S, L]: its entry at the first token of each turn, or the `last`. */
export const turnPick = defineKernel({
  name: 'advantage/turn_pick',
  wgsl: pickCode,
  bindings: { source: 'read', mask: 'read', turns: 'read', picked: 'write' },
  uniforms: { sequences: 'u32', length: 'u32', last: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference({ source, mask, turns, picked }, { sequences, length, last }) {
    picked.fill(0, 0, sequences * length);
    for (let s = 0; s < sequences; s++) {
      let before = -1;
      for (let i = s * length; i < (s + 1) * length; i++) {
        if (mask[i] === 0 || turns[i] >= length) continue;
        if (last || turns[i] !== before) picked[s * length + turns[i]] = source[i];
        before = turns[i];
      }
    }
  },
});

/**
 * by_sequence [S], by_turn [S, L] (turns), mask, turns [S, L] → output [S, L] (tokens): the weighted sum of the
 * token's episode and turn, 0 where the mask is 0. `last_only`: only at the last token of each turn.
 */
export const spreadTurns = defineKernel({
  name: 'advantage/spread_turns',
  wgsl: spreadCode,
  bindings: { by_sequence: 'read', by_turn: 'read', mask: 'read', turns: 'read', output: 'write' },
  uniforms: { sequences: 'u32', length: 'u32', sequence_weight: 'f32', turn_weight: 'f32', last_only: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference(buffers, { sequences, length, sequence_weight, turn_weight, last_only }) {
    const { by_sequence, by_turn, mask, turns, output } = buffers;
    for (let s = 0; s < sequences; s++) {
      const row = s * length;
      const episode = sequence_weight !== 0 ? sequence_weight * by_sequence[s] : 0;
      let turnAfter = -1;
      for (let i = row + length - 1; i >= row; i--) {
        output[i] = 0;
        if (mask[i] === 0) continue;
        const k = turns[i];
        if (!last_only || k !== turnAfter)
          output[i] = episode + (turn_weight !== 0 && k < length ? turn_weight * by_turn[row + k] : 0);
        turnAfter = k;
      }
    }
  },
});
