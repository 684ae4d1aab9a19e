/** Generalised advantage estimation over episodes of tokens, [sequences, length]. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './token_gae.wgsl?raw';

/**
 * rewards, values, mask, turns [S, L], final_values and lambdas [S] → advantages, returns [S, L]. Tokens of mask 0
 * are jumped over: advantage 0, return = value. `dual` 1: the step between two turns (and from the last turn to
 * final_values) takes turn_gamma and turn_lambda. Turn arrays (turn_sums.ts) may stand for token arrays.
 */
export const tokenGae = defineKernel({
  name: 'advantage/token_gae',
  wgsl: code,
  bindings: {
    rewards: 'read',
    values: 'read',
    mask: 'read',
    turns: 'read',
    final_values: 'read',
    lambdas: 'read',
    advantages: 'write',
    returns: 'write',
  },
  uniforms: { sequences: 'u32', length: 'u32', gamma: 'f32', dual: 'u32', turn_gamma: 'f32', turn_lambda: 'f32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference(buffers, { sequences, length, gamma, dual, turn_gamma, turn_lambda }) {
    const { rewards, values, mask, turns, final_values, lambdas, advantages, returns } = buffers;
    for (let s = 0; s < sequences; s++) {
      let advantage = 0;
      let valueAfter = final_values[s];
      let turnAfter = -1;
      for (let i = (s + 1) * length - 1; i >= s * length; i--) {
        if (mask[i] === 0) {
          advantages[i] = 0;
          returns[i] = values[i];
          continue;
        }
        const between = dual !== 0 && turns[i] !== turnAfter;
        const discount = between ? turn_gamma : gamma;
        const lambda = between ? turn_lambda : lambdas[s];
        advantage = rewards[i] + discount * valueAfter - values[i] + discount * lambda * advantage;
        advantages[i] = advantage;
        returns[i] = advantage + values[i];
        valueAfter = values[i];
        turnAfter = turns[i];
      }
    }
  },
});
