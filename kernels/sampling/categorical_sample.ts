/** Draws actions from logits, or takes the most likely ones. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { Random } from '../random/threefry';
import threefry from '../random/threefry.wgsl?raw';
import { ALL_LEGAL, categorical, categoricalChoice, categoricalLogProb, categoricalMode } from './categorical';
import shared from './categorical.wgsl?raw';
import code from './categorical_sample.wgsl?raw';

/**
 * `logits` [rows, actions]; `masks`, `actions` and `log_probs` are used from entry `first` on. Masks are read
 * only if `masked` is 1; bit a is action a, and a row without any gives action 0.
 */
export const categoricalSample = defineKernel({
  name: 'sampling/categorical_sample',
  wgsl: wgsl(threefry, shared, code),
  bindings: { logits: 'read', masks: 'read', actions: 'write', log_probs: 'write' },
  uniforms: {
    rows: 'u32',
    actions: 'u32',
    first: 'u32',
    seed: 'u32',
    stream: 'u32',
    step: 'u32',
    greedy: 'u32',
    masked: 'u32',
  },
  workgroups: ({ rows }) => ceilDiv(rows, 64),
  reference({ logits, masks, actions, log_probs }, u) {
    for (let i = 0; i < u.rows; i++) {
      const legal = u.masked === 1 ? masks[u.first + i] : ALL_LEGAL;
      const policy = categorical(logits, i * u.actions, u.actions, legal);
      const action =
        u.greedy === 1
          ? categoricalMode(policy)
          : categoricalChoice(policy, new Random(u.seed, u.stream, i, u.step).uniform());
      actions[u.first + i] = action;
      log_probs[u.first + i] = categoricalLogProb(policy, action);
    }
  },
});
