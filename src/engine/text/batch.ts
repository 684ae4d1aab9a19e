/** Episodes side by side as the arrays that the stages work on: [S, L], right-padded. */
import type { DeviceBuffer } from '../device/executor';
import type { BufferPool } from '../device/pool';
import { turnOf } from './episodes';
import { ROLE, type Trajectory } from './trajectory';

/** Lengths are rounded up to this, so that few shapes occur. */
const STEP = 8;

export interface PackedBatch {
  readonly sequences: number;
  readonly length: number;
  /** u32 [S, L] */
  readonly tokens: Uint32Array;
  readonly states: Uint32Array;
  readonly turns: Uint32Array;
  readonly anchors: Uint32Array;
  /** f32 [S, L] */
  readonly mask: Float32Array;
  readonly rewards: Float32Array;
  readonly logProbs: Float32Array;
  /** u32 [S] */
  readonly lengths: Uint32Array;
  readonly groups: Uint32Array;
  /** f32 [S]: 1 where the episode was truncated. */
  readonly truncated: Float32Array;
}

export type BatchOnDevice = {
  readonly [K in keyof PackedBatch]: PackedBatch[K] extends number ? number : DeviceBuffer;
};

export function batchLength(trajectories: readonly Trajectory[], context: number): number {
  const longest = Math.max(1, ...trajectories.map(({ tokens }) => tokens.length));
  return Math.min(context, STEP * Math.ceil(longest / STEP));
}

/**
 * `anything` is the grammar state of tokens that the environment wrote. With `observationsTeach` those
 * count as if the policy had written them, all but the first.
 */
export function pack(
  trajectories: readonly Trajectory[],
  context: number,
  anything: number,
  observationsTeach: boolean,
): PackedBatch {
  const sequences = trajectories.length;
  const length = batchLength(trajectories, context);
  const size = sequences * length;
  const batch = {
    sequences,
    length,
    tokens: new Uint32Array(size),
    states: new Uint32Array(size),
    turns: new Uint32Array(size),
    anchors: new Uint32Array(size),
    mask: new Float32Array(size),
    rewards: new Float32Array(size),
    logProbs: new Float32Array(size),
    lengths: new Uint32Array(sequences),
    groups: new Uint32Array(sequences),
    truncated: new Float32Array(sequences),
  };
  for (const [s, trajectory] of trajectories.entries()) {
    const first = s * length;
    const { tokens, roles, turns } = trajectory;
    const action = roles.map((role) => role === ROLE.action);
    batch.tokens.set(tokens, first);
    batch.states.set(
      trajectory.states.map((state, t) => (action[t] ? state : anything)),
      first,
    );
    batch.mask.set(
      // Padding is the role of what a filter has silenced.
      roles.map((role, t) => Number(role === ROLE.action || (observationsTeach && role === ROLE.observation && t > 0))),
      first,
    );
    batch.logProbs.set(trajectory.logProbs, first);
    batch.turns.set(turnOf(turns, tokens.length), first);
    for (const { from, to, next, reward, anchor } of turns) {
      if (to > from) batch.rewards[first + to - 1] = reward;
      batch.anchors.fill(anchor >>> 0, first + from, first + next);
    }
    batch.lengths[s] = tokens.length;
    batch.groups[s] = trajectory.group;
    batch.truncated[s] = Number(trajectory.truncated);
  }
  return batch;
}

/** Uploads a batch into buffers named after `name`. */
export function upload(pool: BufferPool, name: string, batch: PackedBatch): BatchOnDevice {
  const { sequences, length, ...arrays } = batch;
  const buffers = Object.entries(arrays).map(([key, data]) => {
    const buffer = pool.get(`${name} ${key}`, data instanceof Float32Array ? 'f32' : 'u32', Math.max(1, data.length));
    pool.executor.upload(buffer, data);
    return [key, buffer];
  });
  return { sequences, length, ...Object.fromEntries(buffers) } as BatchOnDevice;
}
