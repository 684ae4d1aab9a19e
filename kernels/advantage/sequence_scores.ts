/** Score and length of each episode. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './sequence_scores.wgsl?raw';

/** rewards, mask [S, L] → scores [S]: sum of all rewards; lengths [S]: how many entries have mask 1. */
export const sequenceScores = defineKernel({
  name: 'advantage/sequence_scores',
  wgsl: code,
  bindings: { rewards: 'read', mask: 'read', scores: 'write', lengths: 'write' },
  uniforms: { sequences: 'u32', length: 'u32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference({ rewards, mask, scores, lengths }, { sequences, length }) {
    for (let s = 0; s < sequences; s++) {
      let score = 0;
      let n = 0;
      for (let i = s * length; i < (s + 1) * length; i++) {
        score += rewards[i];
        n += Number(mask[i] !== 0);
      }
      scores[s] = score;
      lengths[s] = n;
    }
  },
});
