/**
 * The grammar on the device, with one state more in which anything may follow: that of the tokens that the
 * environment wrote, for the case that they are to teach.
 */
import type { DeviceBuffer } from '../device/executor';
import type { BufferPool } from '../device/pool';
import type { TextEnvironment } from './environment';

export interface Rules {
  /** u32 [states + 1, V]. */
  readonly table: DeviceBuffer;
  /** Illegal tokens cannot be written. */
  readonly enforced: boolean;
  /** The state in which anything may follow. */
  readonly anything: number;
}

export function rulesOnDevice(pool: BufferPool, environment: TextEnvironment, enforced: boolean): Rules {
  const { grammar, vocabulary } = environment;
  const table = new Uint32Array((grammar.states + 1) * vocabulary.length);
  table.set(grammar.table);
  table.fill(grammar.states + 1, grammar.table.length + 1);
  const buffer = pool.u32('grammar', table.length);
  pool.executor.upload(buffer, table);
  return { table: buffer, enforced, anything: grammar.states };
}
