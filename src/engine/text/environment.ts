/**
 * What a world of tokens is. The policy writes a turn, up to a stop token; the environment answers with an
 * observation, signals and whether the episode is over. It runs in TypeScript, one state an episode; states
 * are plain data and are never changed in place, so that an episode can be branched.
 */
import type { Random } from '../../../kernels/random/threefry';
import type { Parameters, Problem, Schema } from '../parameters';
import type { Described } from '../stages/stage';
import type { TextView } from '../view';

/**
 * Which tokens may follow which, as a finite automaton that the sampler walks on the device.
 * `table[state · V + token]` is 0 where the token is illegal, else the next state + 1.
 */
export interface Grammar {
  readonly states: number;
  /** u32 [states, V]. */
  readonly table: Uint32Array;
}

/** What a token is to the reader of a transcript. */
export type Voice = 'thought' | 'call' | 'answer' | 'plain';

export interface Signal {
  readonly name: string;
  readonly help: string;
}

export interface TextLimits {
  /** Turns of an episode at most; then it is truncated unless the environment ends it. */
  readonly turns: number;
  /** Tokens that the policy may write in a turn. */
  readonly turnTokens: number;
  /** Tokens of the longest episode: prompt, turns and observations. A policy's context must hold it. */
  readonly episodeTokens: number;
}

/** What comes of a turn. */
export interface Answer<S> {
  readonly state: S;
  /** Tokens the policy reads next; none where the episode is over. */
  readonly observation: readonly number[];
  /** One number a signal, in the order of `signals`. */
  readonly signals: readonly number[];
  readonly terminated: boolean;
  /** Ended by a limit, not by the task. */
  readonly truncated: boolean;
  /** The environment's own verdict; never part of the reward. Only meaningful at the end. */
  readonly success: boolean;
}

export interface TextEnvironment<S = unknown> {
  /** Names of the tokens; token 0 is padding and is never written or shown. */
  readonly vocabulary: readonly string[];
  readonly voices: readonly Voice[];
  readonly signals: readonly Signal[];
  /** Weights of the signals that make the usual reward, in the order of `signals`. */
  readonly reward: readonly number[];
  readonly grammar: Grammar;
  /** Tokens that end a turn. */
  readonly stops: readonly number[];
  readonly limits: TextLimits;
  /** How many tasks there are: a task's number is below it. Training and evaluation draw from different halves where `heldOut`. */
  readonly tasks: number;
  /** Evaluation uses tasks that training never sees. */
  readonly heldOut: boolean;

  /** The first state of a task; the same number is the same task. */
  reset(task: number): S;
  /** What the policy reads first. */
  prompt(state: S): readonly number[];
  /** The grammar's state in which the next turn begins. */
  grammarState(state: S): number;
  /** `turn` may be anything when the grammar is off: a malformed turn is answered, never an error. `random` is the episode's own. */
  act(state: S, turn: readonly number[], random: Random): Answer<S>;
  /** The next turn of the scripted expert. `quality` 1 solves the task; 0 makes the mistakes a beginner makes. */
  expert(state: S, quality: number, random: Random): readonly number[];
  /** Equal for states that look the same to a policy that remembers only what matters: anchor of GiGPO's groups. */
  anchor(state: S): number;
  view(state: S): TextView;
  /** One line: what is asked, in words. */
  describe(state: S): string;
  /** Difficulty of a task in [0, 1] and a short name of its kind, for curricula and figures by difficulty. */
  difficulty(state: S): { readonly level: number; readonly name: string };
}

export interface TextFamily<P extends Schema = Schema> extends Described<P> {
  /** Problems of settings that each are legal but do not fit one another; paths below `path`. */
  problems(parameters: Parameters<P>, path: string): Problem[];
  build(parameters: Parameters<P>): TextEnvironment;
}
