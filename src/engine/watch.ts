/**
 * Looking on: the states of the first copies before each step of a rollout, copied aside on the device
 * and read back after it, with what they did. Only watched rollouts pay for it.
 */
import { actionSize, STATE_HEADER } from '../../kernels/environment/program';
import type { Run } from './run';
import type { View } from './view';

/** One step of a watched copy: the state in which the action was taken, and what came of it. */
export interface WatchedStep {
  readonly view: View;
  readonly action: readonly number[];
  /** The environment's own reward. */
  readonly reward: number;
  readonly ended: 'no' | 'terminated' | 'truncated';
  readonly success: boolean;
}

/** Steps shown of a longer rollout. */
const MAX_STEPS = 256;

export class Watcher {
  constructor(
    private readonly run: Run,
    readonly copies: number,
  ) {}

  private get steps(): number {
    return Math.min(this.run.resolved.rollout.steps, MAX_STEPS);
  }

  private get width(): number {
    return STATE_HEADER + this.run.resolved.environment.program.stateSize;
  }

  private trace() {
    return this.run.scratch.f32('watched states', this.steps * this.copies * this.width);
  }

  /** To be passed to run.train: copies the watched states aside before step t. */
  readonly before = (t: number): void => {
    if (t >= this.steps) return;
    const length = this.copies * this.width;
    this.run.executor.copy(this.run.world.state, 0, this.trace(), t * length, length);
  };

  /** `steps[i][copy]`, read back at once. */
  async read(): Promise<WatchedStep[][]> {
    const { world, resolved, executor } = this.run;
    const { program, view } = { program: resolved.environment.program, view: resolved.environment.view };
    const rows = this.steps * resolved.rollout.copies;
    const size = actionSize(program.action);
    const [states, actions, signals, terminated, truncated] = await executor.downloadAll([
      { buffer: this.trace(), length: this.steps * this.copies * this.width },
      { buffer: world.actions, length: rows * size },
      { buffer: world.signals, length: rows * program.signals.length },
      { buffer: world.terminated, length: rows },
      { buffer: world.truncated, length: rows },
    ]);
    return Array.from({ length: this.steps }, (_, t) =>
      Array.from({ length: this.copies }, (__, copy) => {
        const row = t * resolved.rollout.copies + copy;
        const at = (t * this.copies + copy) * this.width + STATE_HEADER;
        const action = [...actions.subarray(row * size, (row + 1) * size)];
        const reward = signals[row * program.signals.length];
        const state = states.subarray(at, at + program.stateSize) as Float32Array;
        return {
          view: view(state, action, reward),
          action,
          reward,
          ended: terminated[row] ? 'terminated' : truncated[row] ? 'truncated' : 'no',
          success: signals[(row + 1) * program.signals.length - 1] > 0,
        } as const;
      }),
    );
  }
}
