/** Log-probability and entropy of a categorical policy, and their gradients. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { ALL_LEGAL, categorical, categoricalGradient, categoricalLogProb } from './categorical';
import shared from './categorical.wgsl?raw';
import backward from './categorical_backward.wgsl?raw';
import evaluate from './categorical_evaluate.wgsl?raw';

/** `logits` [rows, actions], `masks` and `actions` [rows] → `log_probs`, `entropies` [rows]. */
export const categoricalEvaluate = defineKernel({
  name: 'sampling/categorical_evaluate',
  wgsl: wgsl(shared, evaluate),
  bindings: { logits: 'read', masks: 'read', actions: 'read', log_probs: 'write', entropies: 'write' },
  uniforms: { rows: 'u32', actions: 'u32', masked: 'u32' },
  workgroups: ({ rows }) => ceilDiv(rows, 64),
  reference({ logits, masks, actions, log_probs, entropies }, u) {
    for (let i = 0; i < u.rows; i++) {
      const policy = categorical(logits, i * u.actions, u.actions, u.masked === 1 ? masks[i] : ALL_LEGAL);
      log_probs[i] = categoricalLogProb(policy, actions[i]);
      entropies[i] = policy.entropy;
    }
  },
});

/** Gradient of Σ log_prob_gradient · log_prob + entropy_gradient · entropy: `logits_gradient` [rows, actions]. */
export const categoricalBackward = defineKernel({
  name: 'sampling/categorical_backward',
  wgsl: wgsl(shared, backward),
  bindings: {
    logits: 'read',
    masks: 'read',
    actions: 'read',
    log_prob_gradient: 'read',
    entropy_gradient: 'read',
    logits_gradient: 'write',
  },
  uniforms: { rows: 'u32', actions: 'u32', masked: 'u32' },
  workgroups: ({ rows }) => ceilDiv(rows, 64),
  reference({ logits, masks, actions, log_prob_gradient, entropy_gradient, logits_gradient }, u) {
    for (let i = 0; i < u.rows; i++) {
      const legal = u.masked === 1 ? masks[i] : ALL_LEGAL;
      const policy = categorical(logits, i * u.actions, u.actions, legal);
      const chosen = actions[i];
      const upstream = [log_prob_gradient[i], entropy_gradient[i]] as const;
      for (let a = 0; a < u.actions; a++)
        logits_gradient[policy.first + a] = categoricalGradient(policy, a, chosen, ...upstream);
    }
  },
});
