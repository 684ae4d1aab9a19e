/** A person plays a world of tokens: chooses token by token; a stop token, or the turn's limit, hands over to the world. */
import { Random, STREAM } from '../../../kernels/random/threefry';
import type { Transcript } from '../view';
import type { TextEnvironment } from './environment';
import { HandWritten } from './episodes';
import { evaluationTask } from './tasks';
import { ROLE, type Trajectory } from './trajectory';

export interface TextPlayState {
  readonly transcript: Transcript;
  /** Tokens that may be written next; none when the episode is over. */
  readonly legal: readonly number[];
}

export class TextPlay {
  private readonly episode: HandWritten;
  private turn: number[] = [];
  private grammarState: number;

  constructor(
    private readonly environment: TextEnvironment,
    seed: number,
    reward: (trajectory: Trajectory) => readonly number[],
  ) {
    const task = evaluationTask(environment, seed, seed);
    const random = new Random(seed, STREAM.play, 0, 0);
    this.episode = new HandWritten(environment, { episode: 0, task, group: 0 }, random, reward);
    this.grammarState = environment.grammarState(this.episode.state as never);
  }

  /** What the policy would have read so far, and the grammar's state. */
  get tokens(): readonly number[] {
    return [...this.episode.tokens, ...this.turn];
  }
  get state(): number {
    return this.grammarState;
  }

  /** Writes tokens; illegal ones, and those after the end, are left out. */
  act(tokens: readonly number[]): TextPlayState {
    for (const token of tokens) if (this.legal().includes(token)) this.write(token);
    return this.show();
  }

  private write(token: number): void {
    const { grammar, vocabulary, stops, limits } = this.environment;
    this.turn.push(token);
    this.grammarState = grammar.table[this.grammarState * vocabulary.length + token] - 1;
    if (!stops.includes(token) && this.turn.length < limits.turnTokens) return;
    this.episode.write(this.turn);
    this.turn = [];
    this.grammarState = this.environment.grammarState(this.episode.state as never);
  }

  private legal(): number[] {
    if (this.episode.over) return [];
    const { grammar, vocabulary } = this.environment;
    const row = this.grammarState * vocabulary.length;
    return vocabulary.map((_, token) => token).filter((token) => grammar.table[row + token] > 0);
  }

  show(): TextPlayState {
    const transcript = this.episode.transcript();
    const { turn } = this;
    const turnIndex = transcript.rewards.length;
    return {
      transcript: {
        ...transcript,
        tokens: [...transcript.tokens, ...turn],
        roles: [...transcript.roles, ...turn.map(() => ROLE.action)],
        turnOf: [...transcript.turnOf, ...turn.map(() => turnIndex)],
        logProbs: [...transcript.logProbs, ...turn.map(() => 0)],
      },
      legal: this.legal(),
    };
  }
}
