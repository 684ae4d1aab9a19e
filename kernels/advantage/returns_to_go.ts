/** Discounted Monte-Carlo returns over episodes of tokens, [sequences, length]. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './returns_to_go.wgsl?raw';

/** What is subtracted from the return: nothing, values [S, L], or baselines [S]. */
export const TOKEN_BASELINE = { none: 0, token: 1, sequence: 2 } as const;

/**
 * rewards, mask, turns, values [S, L], final_values, baselines [S] → returns, advantages [S, L]. gamma discounts within
 * a turn, turn_gamma to the next turn and to final_values; equal where time is counted in tokens. `reset` 1: a token of
 * mask 0 cuts. Mask 0: advantage 0, and the return of the next token. Without a critic bind zeros as final_values;
 * values and baselines are read only as `baseline` says.
 */
export const returnsToGo = defineKernel({
  name: 'advantage/returns_to_go',
  wgsl: code,
  bindings: {
    rewards: 'read',
    mask: 'read',
    turns: 'read',
    final_values: 'read',
    values: 'read',
    baselines: 'read',
    returns: 'write',
    advantages: 'write',
  },
  uniforms: {
    sequences: 'u32',
    length: 'u32',
    gamma: 'f32',
    turn_gamma: 'f32',
    baseline: 'u32',
    reset: 'u32',
  },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference(buffers, { sequences, length, gamma, turn_gamma, baseline, reset }) {
    const { rewards, mask, turns, final_values, values, baselines, returns, advantages } = buffers;
    for (let s = 0; s < sequences; s++) {
      let following = final_values[s];
      let turnAfter = -1;
      for (let i = (s + 1) * length - 1; i >= s * length; i--) {
        advantages[i] = 0;
        if (mask[i] !== 0) {
          following = rewards[i] + (turns[i] !== turnAfter ? turn_gamma : gamma) * following;
          turnAfter = turns[i];
          advantages[i] = following;
          if (baseline === TOKEN_BASELINE.token) advantages[i] = following - values[i];
          if (baseline === TOKEN_BASELINE.sequence) advantages[i] = following - baselines[s];
        } else if (reset) {
          following = 0;
        }
        returns[i] = following;
      }
    }
  },
});
