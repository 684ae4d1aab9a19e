/** Lambda of GAE for each sequence: one number for all, or from its length. */
import { ceilDiv, defineKernel } from '../kernel';
import code from './sequence_lambda.wgsl?raw';

/** What `value` is: lambda itself, alpha of max(0, 1 − 1/(α·n)), or q of q^(1/(n − 1)). */
export const LAMBDA_RULE = { fixed: 0, lengthAdaptive: 1, relativePosition: 2 } as const;

/** mask [S, L] → lambdas [S]; n counts mask 1. Empty sequences: 0, unless fixed. */
export const sequenceLambda = defineKernel({
  name: 'advantage/sequence_lambda',
  wgsl: code,
  bindings: { mask: 'read', lambdas: 'write' },
  uniforms: { sequences: 'u32', length: 'u32', rule: 'u32', value: 'f32' },
  workgroups: ({ sequences }) => ceilDiv(sequences, 64),
  reference({ mask, lambdas }, { sequences, length, rule, value }) {
    for (let s = 0; s < sequences; s++) {
      let n = 0;
      for (let t = 0; t < length; t++) n += Number(mask[s * length + t] !== 0);
      if (rule === LAMBDA_RULE.lengthAdaptive) lambdas[s] = Math.max(0, 1 - 1 / Math.max(value * n, 1e-30));
      else if (rule === LAMBDA_RULE.relativePosition) lambdas[s] = n > 1 ? value ** (1 / (n - 1)) : n;
      else lambdas[s] = value;
    }
  },
});
