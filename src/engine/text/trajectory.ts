/**
 * The record of one episode of tokens, as the rollout leaves it and everything after reads it: filters,
 * rewards, batches, transcripts, preference pairs.
 */

/** Who wrote a token. */
export const ROLE = { padding: 0, observation: 1, action: 2 } as const;

export interface Turn {
  /** Tokens [from, to) of the episode: what the policy wrote. The observation that answers it ends at `next`. */
  readonly from: number;
  readonly to: number;
  readonly next: number;
  /** One number a signal of the environment. */
  readonly signals: readonly number[];
  /** What the turn earned; filled in by the reward stage. */
  readonly reward: number;
  /** The environment's number of what the policy saw before the turn. */
  readonly anchor: number;
  /** The turn ended at a stop token, not at its limit. */
  readonly complete: boolean;
}

export interface Trajectory {
  /** Number of the episode within the run: key of its random numbers. */
  readonly episode: number;
  readonly task: number;
  /** Episodes of one group share task and number. */
  readonly group: number;
  readonly tokens: readonly number[];
  /** ROLE of each token. */
  readonly roles: readonly number[];
  /** Grammar state in which each token was written; 0 for observations. */
  readonly states: readonly number[];
  /** Log-probability of each action token under the policy that sampled it; 0 for observations. */
  readonly logProbs: readonly number[];
  /** Update of the policy that sampled the turn's tokens, by turn. */
  readonly versions: readonly number[];
  readonly turns: readonly Turn[];
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly success: boolean;
}

/** Sum of the rewards of its turns. */
export function score({ turns }: Trajectory): number {
  return turns.reduce((sum, { reward }) => sum + reward, 0);
}

/** Episodes of try-outs and of play are numbered from here, so that they share no random number with an evaluation's. */
export const ASIDE = 0x40000000;
