/** Kullback-Leibler divergence from a reference policy, and its gradient. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { ALL_LEGAL, categorical, categoricalLegal, categoricalLogProb } from './categorical';
import shared from './categorical.wgsl?raw';
import code from './categorical_kl.wgsl?raw';

/** `kl` [rows] = KL(p ‖ q) with p from `logits`, q from `reference_logits`; `logits_gradient` is of Σ kl. */
export const categoricalKl = defineKernel({
  name: 'sampling/categorical_kl',
  wgsl: wgsl(shared, code),
  bindings: { logits: 'read', reference_logits: 'read', masks: 'read', kl: 'write', logits_gradient: 'write' },
  uniforms: { rows: 'u32', actions: 'u32', masked: 'u32' },
  workgroups: ({ rows }) => ceilDiv(rows, 64),
  reference({ logits, reference_logits, masks, kl, logits_gradient }, u) {
    for (let i = 0; i < u.rows; i++) {
      const legal = u.masked === 1 ? masks[i] : ALL_LEGAL;
      const p = categorical(logits, i * u.actions, u.actions, legal);
      const q = categorical(reference_logits, i * u.actions, u.actions, legal);
      const logP = (a: number) => categoricalLogProb(p, a);
      const logRatio = (a: number) => logP(a) - categoricalLogProb(q, a);
      let sum = 0;
      for (let a = 0; a < u.actions; a++) if (categoricalLegal(p, a)) sum += Math.exp(logP(a)) * logRatio(a);
      kl[i] = sum;
      for (let a = 0; a < u.actions; a++)
        logits_gradient[p.first + a] = categoricalLegal(p, a) ? Math.exp(logP(a)) * (logRatio(a) - sum) : 0;
    }
  },
});
