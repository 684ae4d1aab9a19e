/**
 * npm run train -- SCENARIO [--seed N] [--updates N] [--until METRIC>=VALUE] [--executor webgpu|cpu]
 *                  [--set path=value …]
 * One JSON object a line: metrics by update, evaluations, and last a summary. Exit code 0 when the
 * condition was reached (or none was given), 1 when not, 2 for wrong use.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createRun, evaluateRun } from '../engine/create';
import { DeviceError } from '../engine/device/executor';
import type { Problem } from '../engine/parameters';
import { ScenarioProblems } from '../engine/problems';
import { REGISTRY } from '../engine/registry';
import type { Scenario } from '../engine/scenario';
import { TRAINING } from '../formats/scenario';
import { changeSetting, settingProblem } from '../formats/settings';
import { openExecutor } from './device';
import { loadScenario } from './scenarios';
import { keepTuning, recallTuning } from './tuning';

interface Condition {
  readonly metric: string;
  readonly comparison: '>=' | '<=';
  readonly value: number;
}

class WrongUse extends Error {}

// Whoever reads has enough and closed the pipe, as `| head` does: nothing to say, and the condition was not reached.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(1);
});

export async function main(argv: string[]): Promise<number> {
  try {
    return await train(readArguments(argv));
  } catch (error) {
    if (error instanceof WrongUse) return complain(error.message);
    if (error instanceof ScenarioProblems) return complain(describeProblems(error.problems));
    // Nothing that the person typed is wrong, but the device could not do it.
    if (error instanceof DeviceError) {
      complain(error.message);
      return 1;
    }
    throw error;
  }
}

function complain(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}

interface Arguments {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly updates: number;
  readonly until: Condition | undefined;
  readonly executor: 'webgpu' | 'cpu';
}

function readArguments(argv: string[]): Arguments {
  const usage =
    'Usage: npm run train -- SCENARIO [--seed N] [--updates N] [--until METRIC>=VALUE] [--executor webgpu|cpu] [--set path=value …]';
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n${usage}`);
  }
  const { values, positionals } = parsed;
  if (positionals.length !== 1) throw new WrongUse(usage);
  const loaded = loadScenario(positionals[0]);
  if ('problems' in loaded) throw new WrongUse(describeProblems(loaded.problems));
  const scenario = (values.set ?? []).reduce(applySetting, loaded.scenario);
  if (values.executor !== 'webgpu' && values.executor !== 'cpu')
    throw new WrongUse(`--executor must be webgpu or cpu, not "${values.executor}"`);
  return {
    scenario,
    seed: wholeNumber('--seed', values.seed, 0, 0xffffffff),
    updates:
      values.updates === undefined ? scenario.training.updates : wholeNumber('--updates', values.updates, 0, 1e6),
    until: values.until === undefined ? undefined : readCondition(values.until),
    executor: values.executor,
  };
}

function parse(argv: string[]) {
  return parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      updates: { type: 'string' },
      until: { type: 'string' },
      executor: { type: 'string', default: 'webgpu' },
      set: { type: 'string', multiple: true },
    },
  });
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max)
    throw new WrongUse(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  return value;
}

function readCondition(text: string): Condition {
  const match = /^\s*([\w/]+)\s*(>=|<=)\s*(\S+)\s*$/.exec(text);
  const value = Number(match?.[3]);
  if (!match || !Number.isFinite(value))
    throw new WrongUse(`--until must be METRIC>=VALUE or METRIC<=VALUE, not "${text}"`);
  return { metric: match[1], comparison: match[2] as Condition['comparison'], value };
}

/** `loss.parameters.clip=0.1`, `loss.clip=0.1`, `loss.id=policy-gradient` or `training.updates=50`. */
function applySetting(scenario: Scenario, text: string): Scenario {
  const at = text.indexOf('=');
  if (at < 0) throw new WrongUse(`--set must be path=value, not "${text}"`);
  const [path, value] = [text.slice(0, at), readValue(text.slice(at + 1))];
  const problem = settingProblem(scenario, path, value, REGISTRY, TRAINING);
  if (problem !== undefined) throw new WrongUse(`--set "${text}": ${problem}`);
  return changeSetting(scenario, path, value);
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function describeProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => `${path}: ${message}`).join('\n');
}

function print(line: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function meets(metrics: Readonly<Record<string, number>>, condition: Condition | undefined): boolean {
  if (!condition || !Object.hasOwn(metrics, condition.metric)) return false;
  return condition.comparison === '>='
    ? metrics[condition.metric] >= condition.value
    : metrics[condition.metric] <= condition.value;
}

/** Metrics that are there only after an episode has ended, or after an evaluation. */
const LATER = ['charts/episodic_return', 'charts/episodic_length', 'charts/success'];
const EVALUATED = ['eval/episodic_return', 'eval/return_deviation', 'eval/success', 'eval/episodic_length'];

/** A condition on what is never measured would train in vain to the end. */
function checkMetric(metric: string, measured: readonly string[]): void {
  const known = [...new Set([...EVALUATED, ...LATER, ...measured])];
  if (!known.includes(metric))
    throw new WrongUse(`--until: no metric is named "${metric}"; known: ${known.join(', ')}`);
}

/** A plan is not cut short by fewer updates, so that they are the first of the whole run; it grows with more. */
function planned(scenario: Scenario, updates: number): Scenario {
  const { training } = scenario;
  return { ...scenario, training: { ...training, updates: Math.max(training.updates, updates) } };
}

async function train({ scenario, seed, updates, until, executor: kind }: Arguments): Promise<number> {
  const start = performance.now();
  const executor = await openExecutor(kind);
  const run = await createRun(executor, planned(scenario, updates), seed, recallTuning());
  keepTuning(run.tuned.memory);
  const { evaluateEvery, evaluationEpisodes, greedyEvaluation } = scenario.training;
  const look = async () => {
    const result = await evaluateRun(run, evaluationEpisodes, greedyEvaluation, seed);
    if (!result) throw new Error('evaluation was broken off');
    return {
      'eval/episodic_return': result.returnMean,
      'eval/return_deviation': result.returnDeviation,
      'eval/success': result.success,
      'eval/episodic_length': result.length,
    };
  };
  const begin = performance.now();
  let reached = false;
  let stopped: string | undefined;
  while (run.update < updates && !reached && !stopped) {
    const [at, before] = [performance.now(), run.steps];
    const report = await run.train();
    const seconds = (performance.now() - at) / 1000;
    const metrics = { ...report.metrics, 'charts/SPS': (report.steps - before) / seconds };
    if (until) checkMetric(until.metric, Object.keys(metrics));
    print({ update: report.update, steps: report.steps, ...metrics });
    reached = meets(metrics, until);
    if (report.nonfinite)
      stopped = `the gradient was not finite at update ${report.update}; the weights before it are kept`;
    if (report.update % evaluateEvery === 0 && report.update < updates) {
      const evaluation = await look();
      print({ update: report.update, steps: report.steps, ...evaluation });
      reached ||= meets(evaluation, until);
    }
  }
  const trainingSeconds = (performance.now() - begin) / 1000;
  const final = await look();
  reached ||= meets(final, until);
  const weights = await run.weights();
  print({
    final: true,
    scenario: scenario.id,
    seed,
    executor: executor.description,
    tile: run.tuned.choice,
    updates: run.update,
    steps: run.steps,
    seconds: (performance.now() - start) / 1000,
    training_seconds: trainingSeconds,
    ...final,
    episodes: evaluationEpisodes,
    ...(until ? { reached } : {}),
    ...(stopped ? { stopped } : {}),
    weights_sha256: createHash('sha256')
      .update(new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength))
      .digest('hex'),
  });
  run.destroy();
  return (until && !reached) || stopped ? 1 : 0;
}
