/** Values and action probabilities over an environment's probe states: what the heat map shows. */
import { STATE_HEADER } from '../../kernels/environment/program';
import { ALL_LEGAL, categorical, categoricalLogProb } from '../../kernels/sampling/categorical';
import type { AnyParameters } from './parameters';
import type { Run } from './run';
import type { ValueMap } from './view';

/** Probabilities of a categorical policy whose logits begin at `first`. */
export function actionProbabilities(logits: Float32Array, first: number, actions: number, legal: number): number[] {
  const policy = categorical(logits, first, actions, legal);
  return Array.from({ length: actions }, (_, action) => Math.exp(categoricalLogProb(policy, action)));
}

/** Undefined where the environment has no board, or the policy no discrete actions. */
export async function valueMap(run: Run): Promise<ValueMap | undefined> {
  const { environment, policy, distribution } = run.resolved;
  if (!environment.probes || distribution !== 'categorical') return undefined;
  const { program } = environment;
  const state = (await run.executor.download(run.world.state, STATE_HEADER, program.stateSize)) as Float32Array;
  const probes = environment.probes(state);
  const count = probes.cells.length;
  const { outputs, values } = await look(run, probes.rows, count);
  const actions = policy.outputs;
  const cells = probes.width * probes.height;
  const map = {
    width: probes.width,
    height: probes.height,
    values: new Float32Array(cells).fill(Number.NaN),
    probabilities: new Float32Array(cells * actions),
    actions,
    directions: probes.directions,
  };
  const scale = rewardScale(run.inForce.reward);
  const exactOfState =
    scale === undefined
      ? undefined
      : environment
          .exactValues?.((run.inForce.advantage.gamma as number | undefined) ?? 1)
          ?.map((value) => scale * value);
  const exact = exactOfState && probes.states ? new Float32Array(cells).fill(Number.NaN) : undefined;
  for (let i = 0; i < count; i++) {
    const cell = probes.cells[i];
    // Where several probes share a cell (a grid’s four directions), the best of them stands for it.
    if (map.values[cell] >= values[i]) continue;
    map.values[cell] = values[i];
    const legal = program.masksActions ? program.legal(probes.rows, i * program.stateSize) : ALL_LEGAL;
    map.probabilities.set(actionProbabilities(outputs, i * actions, actions, legal), cell * actions);
    if (exact && exactOfState && probes.states) exact[cell] = exactOfState[probes.states[i]];
  }
  return exact ? { ...map, exact } : map;
}

/** What the reward multiplies the environment’s own by; undefined where it is another reward, whose exact values are not known. */
function rewardScale({ weights, scale, clip, normalize }: AnyParameters): number | undefined {
  const [own, ...others] = weights as readonly number[];
  return others.every((weight) => weight === 0) && clip === 0 && normalize === false
    ? own * (scale as number)
    : undefined;
}

/** Actor and critic on given states. Normalisation is the run’s own. */
export async function look(
  run: Run,
  states: Float32Array,
  count: number,
): Promise<{ outputs: Float32Array; values: Float32Array }> {
  const { program } = run.resolved.environment;
  const { executor, mlp, scratch: pool } = run;
  const observations = new Float32Array(count * program.observationSize);
  for (let i = 0; i < count; i++)
    program.observe(states, i * program.stateSize, observations, i * program.observationSize);
  const raw = pool.f32('probe observations', observations.length);
  executor.upload(raw, observations);
  const seen = run.normalized(raw, count);
  const outputs = pool.f32('probe outputs', count * run.resolved.policy.outputs);
  const values = pool.f32('probe values', count);
  mlp.actor(run.parameters, { observations: seen, first: 0, count }, outputs);
  if (run.resolved.policy.critic) mlp.critic(run.parameters, { observations: seen, first: 0, count }, values);
  const [o, v] = await executor.downloadAll([
    { buffer: outputs, length: count * run.resolved.policy.outputs },
    { buffer: values, length: count },
  ]);
  return { outputs: o as Float32Array, values: v as Float32Array };
}
