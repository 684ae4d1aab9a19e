/**
 * Sampling a turn in every slot at once, token by token, without a readback:
 *
 *     repeat { turnNext; the model's Decoder.step; turnSample }
 *
 * as often as the slot with the most unseen tokens needs, plus the turn's limit less one. Afterwards one
 * download of `slots`, `tokens`, `log_probs` and `states` tells everything.
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import { Random } from '../random/threefry';
import threefry from '../random/threefry.wgsl?raw';
import {
  type NextToken,
  nextToken,
  nextTokenBelowPeak,
  nextTokenLegal,
  nextTokenLogProb,
  nextTokenMode,
} from './next_token';
import distribution from './next_token.wgsl?raw';
import { SLOT, SLOT_WGSL, SLOT_WORDS } from './slots';
import next from './turn_next.wgsl?raw';
import sample from './turn_sample.wgsl?raw';

/** `slots` [S, 6] and `tokens` [S, context] → what each slot is fed: `inputs`, `positions`, `running` [S]. */
export const turnNext = defineKernel({
  name: 'sampling/turn_next',
  wgsl: wgsl(SLOT_WGSL, next),
  bindings: { slots: 'read', tokens: 'read', inputs: 'write', positions: 'write', running: 'write' },
  uniforms: { slots: 'u32', context: 'u32' },
  workgroups: ({ slots }) => ceilDiv(slots, 64),
  reference({ slots, tokens, inputs, positions, running }, u) {
    for (let slot = 0; slot < u.slots; slot++) {
      const fed = slots[slot * SLOT_WORDS + SLOT.fed];
      const waits = fed < slots[slot * SLOT_WORDS + SLOT.length];
      inputs[slot] = waits ? tokens[slot * u.context + fed] : 0;
      positions[slot] = waits ? fed : 0;
      running[slot] = Number(waits);
    }
  },
});

/**
 * `logits` [S, V] of the tokens just fed → one token more in each slot that writes a turn; shapes and
 * meaning in turn_sample.wgsl. `grammar` 0: the table is not read. `temperature` > 0. The grammar must
 * leave every state that can be reached a legal token.
 */
export const turnSample = defineKernel({
  name: 'sampling/turn_sample',
  wgsl: wgsl(threefry, distribution, SLOT_WGSL, sample),
  bindings: {
    logits: 'read',
    grammar: 'read',
    stops: 'read',
    slots: 'write',
    tokens: 'write',
    log_probs: 'write',
    states: 'write',
  },
  uniforms: {
    slots: 'u32',
    context: 'u32',
    vocabulary: 'u32',
    grammar: 'u32',
    turn_limit: 'u32',
    seed: 'u32',
    stream: 'u32',
    temperature: 'f32',
    top_k: 'u32',
    top_p: 'f32',
    greedy: 'u32',
  },
  workgroups: ({ slots }) => ceilDiv(slots, 64),
  reference({ logits, grammar, stops, slots, tokens, log_probs, states }, u) {
    const rules = { ...u, logits, table: grammar };
    for (let i = 0; i < u.slots; i++) {
      const slot = slots.subarray(i * SLOT_WORDS, (i + 1) * SLOT_WORDS);
      const length = slot[SLOT.length];
      if (slot[SLOT.fed] >= length) continue;
      slot[SLOT.fed] += 1;
      if (slot[SLOT.fed] < length || slot[SLOT.sampling] === 0) continue;
      if (length >= u.context) {
        slot[SLOT.sampling] = 0;
        continue;
      }
      const state = slot[SLOT.state];
      const policy = nextToken(rules, i, state);
      const token = choose(policy, u, new Random(u.seed, u.stream, slot[SLOT.key], length));
      const at = i * u.context + length;
      tokens[at] = token;
      log_probs[at] = nextTokenLogProb(policy, token);
      states[at] = state;

      slot[SLOT.length] += 1;
      slot[SLOT.written] += 1;
      if (u.grammar === 1) slot[SLOT.state] = Math.max(grammar[state * u.vocabulary + token], 1) - 1;
      if (stops[token] === 1 || slot[SLOT.written] >= u.turn_limit || slot[SLOT.length] >= u.context)
        slot[SLOT.sampling] = 0;
    }
  },
});

/** As in turn_sample.wgsl. */
const MAX_DRAWS = 256;

interface Choice {
  readonly greedy: number;
  readonly top_k: number;
  readonly top_p: number;
}

/** Tokens that may be drawn: those with at least this logit, and the sum of their exp. */
interface Kept {
  readonly lowest: number;
  readonly total: number;
}

function choose(policy: NextToken, { greedy, top_k, top_p }: Choice, random: Random): number {
  if (greedy === 1) return nextTokenMode(policy);
  const kept = top_k > 0 ? keepHighest(policy, top_k) : { lowest: -3.4e38, total: policy.total };
  for (let attempt = 0; attempt < MAX_DRAWS; attempt++) {
    const token = draw(policy, kept, random.uniform());
    if (top_p >= 1 || totalAbove(policy, token) < top_p * kept.total) return token;
  }
  return nextTokenMode(policy);
}

function keepHighest(policy: NextToken, count: number): Kept {
  let kept: Kept = { lowest: 3.4e38, total: 0 };
  let keptCount = 0;
  while (keptCount < count) {
    const { level, tokens, weight } = highestBelow(policy, kept.lowest);
    if (tokens === 0 || weight === 0) break;
    kept = { lowest: level, total: kept.total + tokens * weight };
    keptCount += tokens;
  }
  return kept;
}

/** The sum of exp over the tokens with a higher logit than this one's. */
function totalAbove(policy: NextToken, than: number): number {
  const level = policy.logits[policy.first + than];
  let sum = 0;
  for (let token = 0; token < policy.vocabulary; token++)
    if (policy.logits[policy.first + token] > level) sum += Math.exp(nextTokenBelowPeak(policy, token));
  return sum;
}

/** The highest legal logit below another, how many tokens have it, and the exp of each. */
function highestBelow(policy: NextToken, above: number) {
  const best = { level: -3.4e38, tokens: 0, weight: 0 };
  for (let token = 0; token < policy.vocabulary; token++) {
    const logit = policy.logits[policy.first + token];
    if (logit >= above || logit < best.level || !nextTokenLegal(policy, token)) continue;
    if (logit > best.level) best.tokens = 0;
    best.level = logit;
    best.tokens += 1;
    best.weight = Math.exp(nextTokenBelowPeak(policy, token));
  }
  return best;
}

/** Inverse of the distribution function over the kept tokens in order, at uniform in [0, 1). */
function draw(policy: NextToken, kept: Kept, uniform: number): number {
  const threshold = uniform * kept.total;
  let sum = 0;
  let chosen = 0;
  for (let token = 0; token < policy.vocabulary; token++) {
    const weight = Math.exp(nextTokenBelowPeak(policy, token));
    if (weight === 0 || policy.logits[policy.first + token] < kept.lowest) continue;
    sum += weight;
    chosen = token;
    if (sum > threshold) break;
  }
  return chosen;
}

/** u32 [V]: 1 for the tokens that end a turn. */
export function stopFlags(vocabulary: number, tokens: readonly number[]): Uint32Array {
  const flags = new Uint32Array(vocabulary);
  for (const token of tokens) flags[token] = 1;
  return flags;
}
