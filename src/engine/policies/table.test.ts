import { describe, expect, it } from 'vitest';
import { BufferPool } from '../device/pool';
import { executors } from '../device/testing';
import { PLAIN } from '../device/tuning';
import { Layout } from './layout';
import { describeSequencePolicy } from './sequence_contract';
import { TABLE } from './table';

describe('table', () => {
  describeSequencePolicy(TABLE, {});

  it('begins at 0', async () => {
    const [cpu] = await executors();
    const pool = new BufferPool(cpu);
    const layout = new Layout();
    const room = { vocabulary: 3, context: 4, sequences: 1, length: 4 };
    TABLE.build({}, { room, pool, layout, prefix: 'actor', forms: PLAIN, heads: { logits: true, value: true } });
    expect([...layout.initialize(1)].every((x) => Math.abs(x) === 0)).toBe(true);
    expect(layout.tensors.map(({ name, shape }) => [name, ...shape])).toEqual([
      ['actor.logits', 3, 3],
      ['actor.value', 3, 1],
    ]);
    pool.destroy();
  });
});
