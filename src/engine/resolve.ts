/**
 * From a scenario to what it means: every slot looked up, its parameters checked and completed, the
 * environment built, sizes worked out. Whatever is wrong is found here, before anything starts, with
 * its place in the scenario.
 */
import { type ActionSpace, actionSize, policyOutputs, STATE_HEADER } from '../../kernels/environment/program';
import type { ActivationName } from '../../kernels/layer/activation';
import { ENVIRONMENTS } from './environments';
import type { EnvironmentInstance } from './environments/environment';
import { CHUNK_STEPS } from './evaluate';
import type { Parameters, Problem } from './parameters';
import type { MLP } from './policies';
import type { MlpShape } from './policies/mlp';
import { ScenarioProblems } from './problems';
import type { Scenario } from './scenario';
import { completeSlots, type SlotParameters } from './slots';
import { ADVANTAGES } from './stages/advantages';
import { LOSSES } from './stages/losses';
import { OPTIMIZERS } from './stages/optimizers';
import { REWARDS } from './stages/rewards';
import type { SYNCHRONOUS } from './stages/rollouts';
import type { AdvantageStage, LossStage, OptimizerStage, RewardStage } from './stages/stage';

export interface Resolved {
  readonly kind: 'control';
  readonly scenario: Scenario;
  readonly environment: EnvironmentInstance;
  readonly policy: MlpShape;
  readonly rollout: Parameters<typeof SYNCHRONOUS.parameters>;
  readonly reward: RewardStage;
  readonly advantage: AdvantageStage;
  readonly loss: LossStage;
  readonly optimizer: OptimizerStage;
  /** Complete parameters of each slot. */
  readonly parameters: SlotParameters;
  readonly distribution: 'categorical' | 'gaussian';
  readonly batch: number;
  readonly minibatch: number;
  readonly parameterCount: number;
  /** Bytes of GPU memory that the run will need, about. */
  readonly bytes: number;
}

/** More than this in all is refused: a browser tab with less is common. */
const MAX_TOTAL_BYTES = 2 ** 31;
/** Masks are 32 bits of one word. */
const MAX_MASKED_ACTIONS = 32;

/** Throws ScenarioProblems. `maxBufferBytes` is what the device allows in one buffer. */
export function resolve(scenario: Scenario, maxBufferBytes: number): Resolved {
  const { parameters, problems } = completeSlots(scenario, 'control');
  if (problems.length > 0) throw new ScenarioProblems(problems);
  const built = ENVIRONMENTS[scenario.slots.environment.id].build(
    parameters.environment,
    'slots.environment.parameters',
  );
  if ('problems' in built) throw new ScenarioProblems(built.problems);
  const resolved = assemble(scenario, built.instance, parameters);
  const wrong = [...checkSizes(resolved, maxBufferBytes), ...checkChoices(resolved)];
  if (wrong.length > 0) throw new ScenarioProblems(wrong);
  return resolved;
}

function assemble(scenario: Scenario, environment: EnvironmentInstance, parameters: SlotParameters): Resolved {
  const { program } = environment;
  const rollout = parameters.rollout as Parameters<typeof SYNCHRONOUS.parameters>;
  const mlp = parameters.policy as Parameters<typeof MLP.parameters>;
  const advantage = ADVANTAGES[scenario.slots.advantage.id];
  const loss = LOSSES[scenario.slots.loss.id];
  const gaussian = program.action.kind === 'continuous';
  const policy: MlpShape = {
    observationSize: program.observationSize,
    hidden: mlp.hidden,
    activation: mlp.activation as ActivationName,
    trunk: mlp.trunk as MlpShape['trunk'],
    outputs: policyOutputs(program.action),
    critic: advantage.needsCritic(parameters.advantage as never),
    ...(gaussian ? { initialLogStd: mlp.initial_log_std } : {}),
  };
  const batch = rollout.copies * rollout.steps;
  const { minibatches, epochs } = loss.plan(parameters.loss as never);
  const minibatch = Math.ceil(batch / minibatches);
  const parameterCount = countParameters(policy);
  const { evaluationEpisodes } = scenario.training;
  return {
    kind: 'control',
    scenario,
    environment,
    policy,
    rollout,
    reward: REWARDS[scenario.slots.reward.id],
    advantage,
    loss,
    optimizer: OPTIMIZERS[scenario.slots.optimizer.id],
    parameters,
    distribution: gaussian ? 'gaussian' : 'categorical',
    batch,
    minibatch,
    parameterCount,
    bytes: Object.values(
      bufferBytes(environment, policy, rollout, batch, minibatch, epochs, parameterCount, evaluationEpisodes),
    ).reduce((sum, bytes) => sum + bytes, 0),
  };
}

function countParameters({ observationSize, hidden, trunk, outputs, critic, initialLogStd }: MlpShape): number {
  const widths = [observationSize, ...hidden];
  const top = widths[widths.length - 1];
  const tower = hidden.reduce((sum, width, i) => sum + (widths[i] + 1) * width, 0);
  const towers = critic && trunk === 'separate' ? 2 : 1;
  return towers * tower + (top + 1) * (outputs + Number(critic)) + (initialLogStd === undefined ? 0 : outputs);
}

/** Bytes by what they are for; the run's buffers are a few more, but small. */
function bufferBytes(
  { program }: EnvironmentInstance,
  policy: MlpShape,
  rollout: Resolved['rollout'],
  batch: number,
  minibatch: number,
  epochs: number,
  parameterCount: number,
  evaluationEpisodes: number,
): Record<string, number> {
  const rows = 2 * batch + rollout.copies;
  const widest = Math.max(1, ...policy.hidden);
  return {
    observations: 4 * rows * program.observationSize * (rollout.normalize_observations ? 2 : 1),
    'the record of the rollout': 4 * batch * (program.signals.length + actionSize(program.action) + 9),
    'the permuted batch': 4 * batch * epochs * 5,
    'hidden activations': 4 * Math.max(minibatch, rollout.copies) * widest * policy.hidden.length * 3,
    'weights, gradients and moments': 4 * parameterCount * 40,
    'the evaluation': 4 * evaluationEpisodes * (2 * CHUNK_STEPS + 1) * program.observationSize,
    'environment state': 4 * rollout.copies * (program.stateSize + STATE_HEADER),
  };
}

function checkSizes(resolved: Resolved, maxBufferBytes: number): Problem[] {
  const { environment, policy, rollout, batch, minibatch, parameterCount, bytes } = resolved;
  const { epochs } = resolved.loss.plan(resolved.parameters.loss as never);
  const problems: Problem[] = [];
  const { evaluationEpisodes } = resolved.scenario.training;
  const perPart = bufferBytes(
    environment,
    policy,
    rollout,
    batch,
    minibatch,
    epochs,
    parameterCount,
    evaluationEpisodes,
  );
  for (const [what, need] of Object.entries(perPart)) {
    if (need <= maxBufferBytes) continue;
    const { path, advice } = blame(what);
    problems.push({
      path,
      message: `needs ${gigabytes(need)} for ${what}; this device allows ${gigabytes(maxBufferBytes)}. ${advice}`,
    });
  }
  if (problems.length === 0 && bytes > MAX_TOTAL_BYTES) {
    const [largest, need] = Object.entries(perPart).reduce((a, b) => (b[1] > a[1] ? b : a));
    const { path, advice } = blame(largest);
    problems.push({
      path,
      message: `needs ${gigabytes(bytes)} in all, of it ${gigabytes(need)} for ${largest}; at most ${gigabytes(MAX_TOTAL_BYTES)}. ${advice}`,
    });
  }
  return problems;
}

/** The setting that a part of the memory hangs on, and what to do about it. */
function blame(part: string): { path: string; advice: string } {
  if (part === 'the evaluation')
    return { path: 'training.evaluationEpisodes', advice: 'Use fewer evaluation episodes' };
  return part === 'weights, gradients and moments' || part === 'hidden activations'
    ? { path: 'slots.policy.parameters.hidden', advice: 'Use narrower or fewer layers' }
    : { path: 'slots.rollout.parameters.copies', advice: 'Use fewer copies or steps' };
}

/** Choices that do not fit one another, though each is right by itself. */
export function checkChoices({ environment, rollout, parameters, batch, loss, policy }: Resolved): Problem[] {
  const problems: Problem[] = [];
  const { action, masksActions, signals } = environment.program;
  if (masksActions && action.kind === 'discrete' && action.count > MAX_MASKED_ACTIONS)
    problems.push({
      path: 'slots.environment',
      message: `has ${action.count} actions with a mask; at most ${MAX_MASKED_ACTIONS}`,
    });
  const { minibatches } = loss.plan(parameters.loss as never);
  if (minibatches > batch)
    problems.push({
      path: 'slots.loss.parameters.minibatches',
      message: `is ${minibatches}, but a rollout has only ${batch} steps (${rollout.copies} copies × ${rollout.steps} steps)`,
    });
  const weights = parameters.reward.weights as readonly number[];
  if (weights.length > signals.length - 1)
    problems.push({
      path: 'slots.reward.parameters.weights',
      message: `has ${weights.length} weights, but ${signals.length - 1} signals may be rewarded: ${signals.slice(0, -1).join(', ')}`,
    });
  if (!policy.critic && loss.valueCoefficient(parameters.loss as never) > 0)
    problems.push({
      path: 'slots.loss.parameters.value_coefficient',
      message: 'needs a critic, but the advantage uses none: set it to 0, or choose an advantage with a baseline',
    });
  return problems;
}

function gigabytes(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${Math.ceil(bytes / 2 ** 20)} MiB`;
}

/** The legal range of each dimension of a continuous action. */
export function actionBounds(action: ActionSpace): { low: readonly number[]; high: readonly number[] } {
  return action.kind === 'continuous' ? action : { low: [], high: [] };
}
