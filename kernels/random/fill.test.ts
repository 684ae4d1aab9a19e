import { describe, expect, it } from 'vitest';
import { runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { agree } from '../agree';
import { randomBits, randomNormal, randomUniform } from './fill';
import { Random, STREAM } from './threefry';

const place = { seed: 0, stream: STREAM.initialise as number, step: 2 };
const exact = { rtol: 0, atol: 0 };

describe('random fill kernels', () => {
  it.each([0, 1, 63, 64, 65, 1001])('agree on both executors for %i elements, and touch no more', async (count) => {
    const { output } = await agree(randomBits, { output: new Uint32Array(count + 2) }, { count, ...place }, exact);
    expect([...output.slice(count)]).toEqual([0, 0]);
    await agree(randomUniform, { output: new Float32Array(count + 2) }, { count, ...place }, exact);
    await agree(randomNormal, { output: new Float32Array(count + 2) }, { count, ...place }, { rtol: 1e-5, atol: 5e-6 });
  });

  it('fold more than 65,535 workgroups (F17), and no two copies share a draw', async () => {
    const count = 65_535 * 64 + 1;
    const { output } = await runOnce(
      await webGpuExecutor(),
      randomBits,
      { output: new Uint32Array(count) },
      { count, ...place },
    );
    for (const i of [0, 2 ** 20, count - 2, count - 1])
      expect(output[i]).toBe(new Random(place.seed, place.stream, i, place.step).bits()[0]);
    expect(output[0]).not.toBe(output[2 ** 20]);
  });

  it('depend on seed, stream and step', () => {
    const draw = (uniforms: typeof place) => {
      const output = new Float32Array(8);
      randomUniform.reference({ output }, { count: 8, ...uniforms });
      return output.join();
    };
    const others = [place, { ...place, seed: 1 }, { ...place, stream: STREAM.play }, { ...place, step: 3 }];
    expect(new Set(others.map(draw)).size).toBe(others.length);
  });
});
