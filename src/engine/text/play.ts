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
  private episode: HandWritten;
  private turn: number[] = [];
  private grammarState: number;
  /** Every token that was written. */
  private written: number[] = [];

  constructor(
    private readonly environment: TextEnvironment,
    /** Number of the episode. */
    private readonly number: number,
    private readonly seed: number,
    private readonly reward: (trajectory: Trajectory) => readonly number[],
  ) {
    this.episode = this.begin();
    this.grammarState = environment.grammarState(this.episode.state as never);
  }

  private begin(): HandWritten {
    const { environment, seed, number } = this;
    const task = evaluationTask(environment, seed, seed);
    const random = new Random(seed, STREAM.play, 0, 0);
    return new HandWritten(environment, { episode: number, task, group: 0 }, random, this.reward);
  }

  /** What the policy would have read so far, and the grammar's state. */
  get tokens(): readonly number[] {
    return [...this.episode.tokens, ...this.turn];
  }
  get state(): number {
    return this.grammarState;
  }
  get over(): boolean {
    return this.episode.over;
  }
  get trajectory(): Trajectory {
    return this.episode.trajectory();
  }

  /** Writes tokens; illegal ones, and those after the end, are left out. */
  act(tokens: readonly number[]): TextPlayState {
    for (const token of tokens) if (this.legal().includes(token)) this.write(token);
    return this.show();
  }

  /** Takes the last token back, over the end of a turn too: the episode is written anew without it. */
  back(): TextPlayState {
    const tokens = this.written.slice(0, -1);
    this.episode = this.begin();
    this.grammarState = this.environment.grammarState(this.episode.state as never);
    this.turn = [];
    this.written = [];
    return this.act(tokens);
  }

  private write(token: number): void {
    this.written.push(token);
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
