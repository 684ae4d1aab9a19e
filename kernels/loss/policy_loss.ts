/**
 * The loss of a minibatch: an objective for the policy, a value loss and an entropy bonus, with the
 * gradient and the statistics in the same pass. The kernel is put together from a distribution and an
 * objective, in WGSL and here alike.
 */
import { SAMPLE, SAMPLE_SIZE } from '../advantage/samples';
import { ceilDiv, type Kernel, type ReferenceBuffers, type UniformValues, wgsl } from '../kernel';
import { ALL_LEGAL, categorical, categoricalGradient, categoricalLogProb } from '../sampling/categorical';
import categoricalCode from '../sampling/categorical.wgsl?raw';
import { gaussianEntropy, gaussianGradient, gaussianLogProb, gaussianZ } from '../sampling/gaussian';
import gaussianCode from '../sampling/gaussian.wgsl?raw';
import { STATISTICS_SIZE } from './loss_statistics';
import policyGradientCode from './objective_policy_gradient.wgsl?raw';
import ppoCode from './objective_ppo.wgsl?raw';
import policyCategoricalCode from './policy_categorical.wgsl?raw';
import policyGaussianCode from './policy_gaussian.wgsl?raw';
import code from './policy_loss.wgsl?raw';

export type Distribution = 'categorical' | 'gaussian';
export type ObjectiveName = 'ppo' | 'policy_gradient';

/** Samples that one invocation takes. */
const CHUNK = 8;
const LOG_RATIO_BOUND = 20;

/** One sample's policy: what the loss needs, and how to write the gradient that comes back. */
interface Policy {
  readonly logProb: number;
  readonly entropy: number;
  backward(logProbGradient: number, entropyGradient: number): void;
}

interface DistributionCode {
  readonly wgsl: string;
  /** The buffer at binding 5, and the last uniform. */
  readonly buffer: string;
  readonly uniform: string;
  policy(buffers: ReferenceBuffers, u: UniformValues, i: number, row: number): Policy;
}

const DISTRIBUTIONS: Readonly<Record<Distribution, DistributionCode>> = {
  categorical: {
    wgsl: wgsl(categoricalCode, policyCategoricalCode),
    buffer: 'masks',
    uniform: 'masked',
    policy({ outputs, actions, masks, gradient }, u, i, row) {
      const distribution = categorical(outputs, i * u.actions, u.actions, u.masked === 1 ? masks[row] : ALL_LEGAL);
      const chosen = actions[row];
      return {
        logProb: categoricalLogProb(distribution, chosen),
        entropy: distribution.entropy,
        backward(logProbGradient, entropyGradient) {
          for (let a = 0; a < u.actions; a++)
            gradient[i * u.actions + a] = categoricalGradient(
              distribution,
              a,
              chosen,
              logProbGradient,
              entropyGradient,
            );
        },
      };
    },
  },
  gaussian: {
    wgsl: wgsl(gaussianCode, policyGaussianCode),
    buffer: 'parameters',
    uniform: 'log_std_offset',
    policy({ outputs, actions, parameters, gradient }, u, i, row) {
      const logStd = (d: number) => parameters[u.log_std_offset + d];
      const z = (d: number) => gaussianZ(actions[row * u.actions + d], outputs[i * u.actions + d], logStd(d));
      let logProb = 0;
      let entropy = 0;
      for (let d = 0; d < u.actions; d++) {
        logProb += gaussianLogProb(z(d), logStd(d));
        entropy += gaussianEntropy(logStd(d));
      }
      return {
        logProb,
        entropy,
        backward(logProbGradient, entropyGradient) {
          for (let d = 0; d < u.actions; d++) {
            const [byMean, byLogStd] = gaussianGradient(z(d), logStd(d));
            gradient[i * u.actions + d] = logProbGradient * byMean;
            gradient[u.rows * (u.actions + 1) + i * u.actions + d] = logProbGradient * byLogStd + entropyGradient;
          }
        },
      };
    },
  },
};

interface Objective {
  readonly loss: number;
  /** d loss / d log_prob */
  readonly slope: number;
  readonly clipped: boolean;
}

interface ObjectiveCode {
  readonly wgsl: string;
  loss(logProb: number, ratio: number, bounded: boolean, advantage: number, clip: number): Objective;
}

const OBJECTIVES: Readonly<Record<ObjectiveName, ObjectiveCode>> = {
  ppo: {
    wgsl: ppoCode,
    loss(_, ratio, bounded, advantage, clip) {
      const plain = -advantage * ratio;
      const clipped = -advantage * Math.min(1 + clip, Math.max(1 - clip, ratio));
      const slope = clipped > plain || bounded ? 0 : plain;
      return { loss: Math.max(plain, clipped), slope, clipped: Math.abs(ratio - 1) > clip };
    },
  },
  policy_gradient: {
    wgsl: policyGradientCode,
    loss: (logProb, _ratio, _bounded, advantage) => ({ loss: -advantage * logProb, slope: -advantage, clipped: false }),
  },
};

/**
 * Shapes, with B = `rows` and A = `actions` (actions, or dimensions of one): `outputs` [B, A] logits or means, `values`
 * [B], `indices` and `samples` [·, 4] from row `first` on (advantage/samples.ts), `actions` and `masks` in rollout order,
 * or `parameters` with the log-deviations at `log_std_offset` → `gradient` (gradientSize) of the mean loss, and
 * `statistics` [ceil(B / 8), 8], sums for lossStatistics. The sixth buffer and the last uniform are `masks`
 * and `masked` for a categorical policy, `parameters` and `log_std_offset` for a Gaussian.
 */
export function policyLoss(options: { distribution: Distribution; objective: ObjectiveName }): Kernel {
  const distribution = DISTRIBUTIONS[options.distribution];
  const objective = OBJECTIVES[options.objective];
  return {
    name: `loss/policy_loss[${options.distribution}, ${options.objective}]`,
    wgsl: wgsl(distribution.wgsl, objective.wgsl, code.replace('DISTRIBUTION_UNIFORM', distribution.uniform)),
    bindings: {
      outputs: 'read',
      values: 'read',
      indices: 'read',
      samples: 'read',
      actions: 'read',
      [distribution.buffer]: 'read',
      gradient: 'write',
      statistics: 'write',
    },
    uniforms: {
      rows: 'u32',
      first: 'u32',
      actions: 'u32',
      clip: 'f32',
      value_clip: 'f32',
      clip_values: 'u32',
      value_coefficient: 'f32',
      entropy_coefficient: 'f32',
      [distribution.uniform]: 'u32',
    },
    workgroups: ({ rows }) => ceilDiv(rows, CHUNK * 64),
    reference(buffers, u) {
      const sums = new Float64Array(STATISTICS_SIZE);
      for (let begin = 0; begin < u.rows; begin += CHUNK) {
        sums.fill(0);
        for (let i = begin; i < Math.min(begin + CHUNK, u.rows); i++)
          addSample(distribution, objective, buffers, u, i, sums);
        buffers.statistics.set(sums, (begin / CHUNK) * STATISTICS_SIZE);
      }
    },
  };
}

/** Floats of `gradient`: outputs [rows, actions], values [rows] and, for a Gaussian, log-deviations [rows, actions]. */
export function gradientSize(distribution: Distribution, rows: number, actions: number): number {
  return rows * (actions + 1 + (distribution === 'gaussian' ? actions : 0));
}

/** Floats of `statistics`. */
export function statisticsSize(rows: number): number {
  return ceilDiv(rows, CHUNK) * STATISTICS_SIZE;
}

/** Writes the gradient of sample i and adds its statistics to `sums`. */
function addSample(
  distribution: DistributionCode,
  objective: ObjectiveCode,
  buffers: ReferenceBuffers,
  u: UniformValues,
  i: number,
  sums: Float64Array,
): void {
  const { values, indices, samples, gradient } = buffers;
  const at = (u.first + i) * SAMPLE_SIZE;
  const policy = distribution.policy(buffers, u, i, indices[u.first + i]);
  const exactLogRatio = policy.logProb - samples[at + SAMPLE.logProb];
  const logRatio = Math.min(LOG_RATIO_BOUND, Math.max(-LOG_RATIO_BOUND, exactLogRatio));
  const bounded = logRatio !== exactLogRatio;
  const ratio = Math.exp(logRatio);
  const { loss, slope, clipped } = objective.loss(
    policy.logProb,
    ratio,
    bounded,
    samples[at + SAMPLE.advantage],
    u.clip,
  );
  policy.backward(slope / u.rows, -u.entropy_coefficient / u.rows);

  const value = valueLoss(
    values[i],
    samples[at + SAMPLE.value],
    samples[at + SAMPLE.return],
    u.clip_values,
    u.value_clip,
  );
  gradient[u.rows * u.actions + i] = (u.value_coefficient * value.slope) / u.rows;

  const terms = [loss, value.loss, policy.entropy, -logRatio, ratio - 1 - logRatio, Number(clipped), Number(bounded)];
  for (let k = 0; k < terms.length; k++) sums[k] += terms[k];
}

function valueLoss(
  value: number,
  oldValue: number,
  return_: number,
  clipValues: number,
  clip: number,
): { loss: number; slope: number } {
  const error = value - return_;
  const plain = { loss: 0.5 * error * error, slope: error };
  const change = value - oldValue;
  const clippedError = oldValue + Math.min(clip, Math.max(-clip, change)) - return_;
  const clipped = { loss: 0.5 * clippedError * clippedError, slope: Math.abs(change) <= clip ? clippedError : 0 };
  return clipValues === 2 || (clipValues === 1 && clipped.loss > plain.loss) ? clipped : plain;
}
