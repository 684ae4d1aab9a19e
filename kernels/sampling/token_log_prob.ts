/** Log-probability and entropy of the tokens of a batch, and the gradient of both by the logits. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { nextToken, nextTokenChoices, nextTokenLegal, nextTokenLogProb, nextTokenMeanLogProb } from './next_token';
import distribution from './next_token.wgsl?raw';
import forward from './token_log_prob.wgsl?raw';
import backward from './token_log_prob_backward.wgsl?raw';

const INPUTS = { logits: 'read', tokens: 'read', grammar_states: 'read', mask: 'read', grammar: 'read' } as const;
const UNIFORMS = {
  sequences: 'u32',
  length: 'u32',
  vocabulary: 'u32',
  /** The row that tells what follows token t of sequence s is s · sequence_stride + t · position_stride. */
  sequence_stride: 'u32',
  position_stride: 'u32',
  temperature: 'f32',
  /** 0: the table is not read, and every token is legal but 0. */
  grammar: 'u32',
  /** Label smoothing, 0 to below 1: so much of the token's log-probability gives way to the mean over all legal tokens. */
  smoothing: 'f32',
} as const;

/** `logits` [rows, V]; `tokens`, `grammar_states`, `mask` [S, L]; `grammar` [states, V] → `log_probs`, `entropies` [S, L]. */
export const tokenLogProb = defineKernel({
  name: 'sampling/token_log_prob',
  wgsl: wgsl(distribution, forward),
  bindings: { ...INPUTS, log_probs: 'write', entropies: 'write' },
  uniforms: UNIFORMS,
  workgroups: ({ sequences, length }) => ceilDiv(sequences * length, 64),
  reference({ logits, tokens, grammar_states, mask, grammar, log_probs, entropies }, u) {
    log_probs.fill(0, 0, u.sequences * u.length);
    entropies.fill(0, 0, u.sequences * u.length);
    const rules = { ...u, logits, table: grammar };
    for (let s = 0; s < u.sequences; s++)
      for (let t = 1; t < u.length; t++) {
        const i = s * u.length + t;
        if (mask[i] === 0) continue;
        const row = s * u.sequence_stride + (t - 1) * u.position_stride;
        const policy = nextToken(rules, row, grammar_states[i]);
        log_probs[i] = nextTokenLogProb(policy, tokens[i]);
        if (u.smoothing > 0) log_probs[i] += u.smoothing * (nextTokenMeanLogProb(policy) - log_probs[i]);
        entropies[i] = policy.entropy;
      }
  },
});

/** Gradient of Σ log_prob_gradient · log_prob + entropy_gradient · entropy into every row of `logits_gradient` [rows, V]. */
export const tokenLogProbBackward = defineKernel({
  name: 'sampling/token_log_prob_backward',
  wgsl: wgsl(distribution, backward),
  bindings: { ...INPUTS, log_prob_gradient: 'read', entropy_gradient: 'read', logits_gradient: 'write' },
  uniforms: UNIFORMS,
  workgroups: ({ sequences, length }) => ceilDiv(sequences * length, 64),
  reference(
    { logits, tokens, grammar_states, mask, grammar, log_prob_gradient, entropy_gradient, logits_gradient },
    u,
  ) {
    const rules = { ...u, logits, table: grammar };
    for (let s = 0; s < u.sequences; s++)
      for (let t = 0; t < u.length; t++) {
        const row = s * u.sequence_stride + t * u.position_stride;
        const next = s * u.length + t + 1;
        logits_gradient.fill(0, row * u.vocabulary, (row + 1) * u.vocabulary);
        if (t + 1 >= u.length || mask[next] === 0) continue;
        const policy = nextToken(rules, row, grammar_states[next]);
        const share = u.smoothing > 0 ? u.smoothing / nextTokenChoices(policy) : 0;
        for (let v = 0; v < u.vocabulary; v++) {
          if (!nextTokenLegal(policy, v)) continue;
          const logProb = nextTokenLogProb(policy, v);
          const prob = Math.exp(logProb);
          const slope =
            log_prob_gradient[next] * (share + (v === tokens[next] ? 1 - u.smoothing : 0) - prob) -
            entropy_gradient[next] * prob * (logProb + policy.entropy);
          logits_gradient[policy.first + v] = slope / u.temperature;
        }
      }
  },
});
