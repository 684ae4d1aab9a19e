/** Golden vectors of the advantage estimators, run through the kernels. */
import { type Bench, floats, type GoldenAdapter } from '../golden/adapter';
import { type GoldenValue, scalar, shapeOf } from '../golden/read';
import { EXPLAINED_VARIANCE_PARTIALS_SIZE, explainedVariance, explainedVariancePartials } from './explained_variance';
import { gae } from './gae';

interface Rollout {
  readonly shape: readonly number[];
  readonly rewards: Float32Array;
  /** One row more than the others. */
  readonly values: Float32Array;
  readonly finalValues: Float32Array;
  readonly terminated: Float32Array;
  readonly truncated: Float32Array;
  readonly gamma: GoldenValue | undefined;
  readonly lambda: GoldenValue | undefined;
}

async function runGae(rollout: Rollout, bench: Bench) {
  const [steps, copies] = rollout.shape as [number, number];
  const buffers = {
    rewards: bench.buffer(rollout.rewards),
    values: bench.buffer(rollout.values),
    final_values: bench.buffer(rollout.finalValues),
    terminated: bench.buffer(rollout.terminated),
    truncated: bench.buffer(rollout.truncated),
    advantages: bench.zeros(steps * copies),
    returns: bench.zeros(steps * copies),
  };
  bench.run(gae, buffers, { steps, copies, gamma: scalar(rollout.gamma), lambda: scalar(rollout.lambda) });
  return { advantages: await bench.read(buffers.advantages), returns: await bench.read(buffers.returns) };
}

/** cleanrl_gae: dones[t] says that the step before t ended; CleanRL knows no truncation. */
export const cleanrlGae: GoldenAdapter = async ({ inputs }, bench) => {
  const rewards = floats(inputs.rewards);
  const shape = shapeOf(inputs.rewards);
  const copies = shape[1] as number;
  const none = new Float32Array(rewards.length);
  return runGae(
    {
      shape,
      rewards,
      values: Float32Array.of(...floats(inputs.values), ...floats(inputs.next_value)),
      finalValues: none,
      terminated: Float32Array.of(...floats(inputs.dones).subarray(copies), ...floats(inputs.next_done)),
      truncated: none,
      gamma: inputs.gamma,
      lambda: inputs.gae_lambda,
    },
    bench,
  );
};

/**
 * sb3_gae. The reference adds gamma·V to the rewards of truncated steps and shifts its flags by one
 * step on the way; the kernel does neither, so these two are computed here from the inputs.
 */
export const sb3Gae: GoldenAdapter = async ({ inputs }, bench) => {
  const rollout = {
    shape: shapeOf(inputs.rewards),
    rewards: floats(inputs.rewards),
    values: Float32Array.of(...floats(inputs.values), ...floats(inputs.last_values)),
    finalValues: floats(inputs.terminal_values),
    terminated: floats(inputs.terminated),
    truncated: floats(inputs.truncated),
    gamma: inputs.gamma,
    lambda: inputs.gae_lambda,
  };
  const { rewards, terminated, truncated, finalValues } = rollout;
  const bootstraps = (i: number) => truncated[i] !== 0 && terminated[i] === 0;
  const ended = terminated.map((flag, i) => Math.max(flag, truncated[i]));
  return {
    ...(await runGae(rollout, bench)),
    bootstrapped_rewards: rewards.map((r, i) => (bootstraps(i) ? r + scalar(inputs.gamma) * finalValues[i] : r)),
    episode_starts: [...floats(inputs.initial_episode_start), ...ended].slice(0, rewards.length),
  };
};

/** explained_variance, and its case in nonfinite_reference (null there stands for a gap: NaN). */
export const explainedVarianceOfPair: GoldenAdapter = async ({ inputs }, bench) => {
  const targets = bench.buffer(floats(inputs.y_true));
  const predictions = bench.buffer(floats(inputs.y_pred));
  const partials = bench.zeros(EXPLAINED_VARIANCE_PARTIALS_SIZE);
  const output = bench.zeros(1);
  bench.run(explainedVariancePartials, { predictions, targets, partials }, { count: targets.length });
  bench.run(explainedVariance, { partials, output }, {});
  return { explained_variance: await bench.read(output) };
};
