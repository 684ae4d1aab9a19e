import { describe, expect, it } from 'vitest';
import { executors } from '../../src/engine/device/testing';
import { readGolden } from '../golden/read';
import { ENVIRONMENT_GOLDEN } from './golden';

const FILES = [
  'gymnasium_cartpole',
  'gymnasium_mountain_car',
  'gymnasium_mountain_car_continuous',
  'gymnasium_acrobot',
  'gymnasium_pendulum',
  'gymnasium_frozen_lake_4x4',
  'gymnasium_frozen_lake_8x8',
  'gymnasium_cliff_walking',
  'minigrid',
];
const checks = new Map(ENVIRONMENT_GOLDEN);

describe('environments against Gymnasium and MiniGrid, one step at a time', () => {
  it.each(FILES)('%s on both executors', async (name) => {
    const file = readGolden(name);
    const check = checks.get(file.name);
    if (check === undefined) throw new Error(`no check for ${file.name}`);
    for (const executor of await executors()) {
      const { problem, passed } = await check(file, executor);
      expect(problem, executor.kind).toBeUndefined();
      expect(passed).toBe(file.cases?.length ?? 1);
    }
  });
});
