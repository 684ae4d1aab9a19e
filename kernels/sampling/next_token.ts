/** The distribution of the next token in TypeScript: the twin of next_token.wgsl, function by function. */
import type { TypedArray } from '../kernel';

/** Stands for log 0: exp gives 0, and unlike for -∞ 0 times it is 0. */
const LOG_ZERO = -1e30;

/** What the kernels' uniforms and buffers say of every row alike. */
export interface TokenRules {
  readonly logits: TypedArray;
  /** u32 [states, V]: 0 where the token is illegal, otherwise the state after it, plus 1. */
  readonly table: TypedArray;
  readonly vocabulary: number;
  readonly temperature: number;
  /** 0: the table is not read, and every token is legal but 0, the padding. */
  readonly grammar: number;
}

export interface NextToken extends TokenRules {
  /** Its logits are entries first … first + vocabulary - 1. */
  readonly first: number;
  /** The grammar state's row of the table begins here. */
  readonly rules: number;
  /** The highest legal logit. */
  peak: number;
  /** Σ exp((logit - peak) / temperature). */
  total: number;
  logTotal: number;
  entropy: number;
}

export function nextTokenLegal(policy: NextToken, token: number): boolean {
  return policy.grammar === 0 ? token !== 0 : policy.table[policy.rules + token] !== 0;
}

/** The first legal token with the highest logit; 0 if none is legal. */
export function nextTokenMode(policy: NextToken): number {
  let mode = 0;
  let peak = -3.4e38;
  for (let token = 0; token < policy.vocabulary; token++) {
    const logit = policy.logits[policy.first + token];
    if (logit > peak && nextTokenLegal(policy, token)) {
      mode = token;
      peak = logit;
    }
  }
  return mode;
}

/** The token's logit less the peak, by temperature. */
export function nextTokenBelowPeak(policy: NextToken, token: number): number {
  if (!nextTokenLegal(policy, token)) return LOG_ZERO;
  return Math.max((policy.logits[policy.first + token] - policy.peak) / policy.temperature, LOG_ZERO);
}

export function nextToken(rules: TokenRules, row: number, state: number): NextToken {
  // Named one by one: objects of one shape, which the compiler reads quickly.
  const { logits, table, vocabulary, temperature, grammar } = rules;
  const policy: NextToken = {
    ...{ logits, table, vocabulary, temperature, grammar },
    first: row * vocabulary,
    rules: state * vocabulary,
    peak: 0,
    total: 0,
    logTotal: 0,
    entropy: 0,
  };
  policy.peak = policy.logits[policy.first + nextTokenMode(policy)];
  let weighted = 0;
  for (let token = 0; token < vocabulary; token++) {
    const d = nextTokenBelowPeak(policy, token);
    const weight = Math.exp(d);
    policy.total += weight;
    weighted += weight * d;
  }
  policy.total = Math.max(policy.total, 1);
  policy.logTotal = Math.log(policy.total);
  policy.entropy = policy.logTotal - weighted / policy.total;
  return policy;
}

export function nextTokenLogProb(policy: NextToken, token: number): number {
  return nextTokenBelowPeak(policy, token) - policy.logTotal;
}

/** How many tokens may follow. */
export function nextTokenChoices(policy: NextToken): number {
  let choices = 0;
  for (let token = 0; token < policy.vocabulary; token++) choices += Number(nextTokenLegal(policy, token));
  return choices;
}

/** Mean of the log-probability over those. */
export function nextTokenMeanLogProb(policy: NextToken): number {
  let sum = 0;
  for (let token = 0; token < policy.vocabulary; token++)
    if (nextTokenLegal(policy, token)) sum += nextTokenLogProb(policy, token);
  return sum / nextTokenChoices(policy);
}
