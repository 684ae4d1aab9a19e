import { describe, expect, it } from 'vitest';
import { executors, runOnce, webGpuExecutor } from '../../src/engine/device/testing';
import { agree, expectGolden, normals } from '../agree';
import { ACTIVATIONS, type ActivationName, activationBackward, activationForward } from './activation';
import { torchActivations } from './golden';

const NAMES = Object.keys(ACTIVATIONS) as ActivationName[];
const tolerance = { rtol: 2e-5, atol: 2e-6 };

describe('activations', () => {
  it('agree with PyTorch, forward and backward', () => expectGolden('torch_activations', torchActivations));

  it.each([0, 1, 63, 64, 65, 1001])('agree on both executors for %i elements', async (count) => {
    for (const kind of NAMES) {
      const inputs = normals(count, 1, 0, 4);
      const { outputs } = await agree(
        activationForward(kind),
        { inputs, outputs: new Float32Array(count + 1) },
        { count },
        tolerance,
      );
      expect(outputs[count]).toBe(0);
      const output_gradient = normals(count, 2);
      const backward = { inputs, outputs, output_gradient, input_gradient: new Float32Array(count + 1) };
      const { input_gradient } = await agree(activationBackward(kind), backward, { count }, tolerance);
      expect(input_gradient[count]).toBe(0);
    }
  });

  it('saturate and stay finite, forward and backward (F20)', async () => {
    const inputs = Float32Array.from([1000, -1000, 1e20, -1e20, 3e38, -3e38]);
    const count = inputs.length;
    for (const executor of await executors())
      for (const kind of NAMES) {
        const { outputs } = await runOnce(
          executor,
          activationForward(kind),
          { inputs, outputs: new Float32Array(count) },
          { count },
        );
        const backward = {
          inputs,
          outputs,
          output_gradient: new Float32Array(count).fill(1),
          input_gradient: new Float32Array(count),
        };
        const { input_gradient } = await runOnce(executor, activationBackward(kind), backward, { count });
        expect([...outputs, ...input_gradient].every(Number.isFinite), `${kind} on ${executor.kind}`).toBe(true);
        if (kind === 'tanh') {
          expect([...outputs]).toEqual([1, -1, 1, -1, 1, -1]);
          expect([...input_gradient]).toEqual([0, 0, 0, 0, 0, 0]);
        }
      }
    expect(ACTIVATIONS.softplus.forward(100)).toBe(100);
  });

  it.each(NAMES)('the gradient of %s is its derivative', (kind) => {
    const { forward, gradient } = ACTIVATIONS[kind];
    for (const x of [-7, -3, -0.7, -0.1, 0.2, 1.3, 5]) {
      const slope = (forward(x + 1e-4) - forward(x - 1e-4)) / 2e-4;
      expect(gradient(x, forward(x))).toBeCloseTo(slope, 5);
    }
  });

  it('fold more than 65,535 workgroups (F17)', async () => {
    const count = 65_535 * 64 + 1;
    const inputs = new Float32Array(count);
    inputs[count - 1] = -3;
    const { outputs } = await runOnce(
      await webGpuExecutor(),
      activationForward('leaky_relu'),
      { inputs, outputs: new Float32Array(count) },
      { count },
    );
    expect(outputs[count - 1]).toBeCloseTo(-0.03, 6);
  });
});
