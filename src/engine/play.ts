/** A person in the agent's place: one copy of the environment, stepped on the host by its own twin. */
import { actionSize } from '../../kernels/environment/program';
import { Random, STREAM } from '../../kernels/random/threefry';
import type { EnvironmentInstance } from './environments/environment';
import type { View } from './view';

export interface PlayState {
  readonly view: View;
  readonly legal: readonly boolean[];
  readonly step: number;
  readonly reward: number;
  readonly return: number;
  readonly success: boolean;
  readonly ended: 'no' | 'terminated' | 'truncated';
  readonly signals: Readonly<Record<string, number>>;
  readonly observation: readonly number[];
}

export class Play {
  readonly state: Float32Array;
  private readonly signal: Float32Array;
  private steps = 0;
  private total = 0;
  private success = false;
  private ended: PlayState['ended'] = 'no';

  constructor(
    private readonly environment: EnvironmentInstance,
    private readonly seed: number,
  ) {
    const { program } = environment;
    this.state = new Float32Array(program.stateSize);
    this.signal = new Float32Array(program.signals.length);
    program.reset(this.state, 0, new Random(seed, STREAM.play, 0, 0));
  }

  /** One step; nothing happens once the episode has ended. */
  act(action: readonly number[]): PlayState {
    if (this.ended !== 'no') return this.show();
    const { program } = this.environment;
    const chosen = Float32Array.from({ length: actionSize(program.action) }, (_, i) => action[i] ?? 0);
    this.signal.fill(0);
    this.steps += 1;
    const terminated = program.step(
      this.state,
      0,
      chosen,
      0,
      this.steps,
      new Random(this.seed, STREAM.play, 0, this.steps),
      this.signal,
    );
    this.total += this.signal[0];
    this.success ||= this.signal[this.signal.length - 1] > 0;
    if (terminated) this.ended = 'terminated';
    else if (program.maxSteps > 0 && this.steps >= program.maxSteps) this.ended = 'truncated';
    return this.show(action);
  }

  show(action?: readonly number[]): PlayState {
    const { program, view } = this.environment;
    const observation = new Float32Array(program.observationSize);
    program.observe(this.state, 0, observation, 0);
    const legal = program.legal(this.state, 0);
    const count = program.action.kind === 'discrete' ? program.action.count : 0;
    return {
      view: view(this.state, action, this.signal[0]),
      legal: Array.from({ length: count }, (_, a) => !program.masksActions || ((legal >>> a) & 1) === 1),
      step: this.steps,
      reward: this.signal[0],
      return: this.total,
      success: this.success,
      ended: this.ended,
      signals: Object.fromEntries(program.signals.map((name, i) => [name, this.signal[i]])),
      observation: [...observation],
    };
  }
}
