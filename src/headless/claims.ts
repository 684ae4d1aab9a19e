/**
 * npm run claims -- [SCENARIO …] [--seeds 1,2,3] [--executor webgpu|cpu] [--write]
 * Trains each scenario (default: all of the project's own) to the end of its plan, once a seed, and holds its claims
 * against the final evaluations: seeds, figures, mean, spread and verdict of each. `--write` keeps what was measured
 * in the scenario's file. Exit code 0 when all claims hold, 1 when not, 2 for wrong use.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AnyRun, createRun, evaluateRun } from '../engine/create';
import { DeviceError, type Executor } from '../engine/device/executor';
import { ScenarioProblems } from '../engine/problems';
import type { Snapshot } from '../engine/run';
import type { Claim, Scenario } from '../engine/scenario';
import { TextRun } from '../engine/text/run';
import { changeSettings } from '../formats/settings';
import { deviation, finalFigure, mean, verdictOf } from '../formats/verdict';
import { openExecutor } from './device';
import { loadScenario, ownScenarioIds } from './scenarios';
import { keepTuning, recallTuning } from './tuning';

const USAGE = 'Usage: npm run claims -- [SCENARIO …] [--seeds 1,2,3] [--executor webgpu|cpu] [--write]';

class WrongUse extends Error {}

export async function main(argv: string[]): Promise<number> {
  try {
    return await measureAll(readArguments(argv));
  } catch (error) {
    if (!(error instanceof WrongUse || error instanceof ScenarioProblems || error instanceof DeviceError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error instanceof DeviceError ? 1 : 2;
  }
}

interface Arguments {
  readonly scenarios: readonly { readonly file: string; readonly scenario: Scenario }[];
  readonly seeds: readonly number[];
  readonly executor: 'webgpu' | 'cpu';
  readonly write: boolean;
}

function readArguments(argv: string[]): Arguments {
  const { values, positionals } = parse(argv);
  const { executor, write } = values;
  if (executor !== 'webgpu' && executor !== 'cpu')
    throw new WrongUse(`--executor must be webgpu or cpu, not "${executor}"`);
  const seeds = values.seeds.split(',').map(Number);
  if (values.seeds.trim() === '' || seeds.some((seed) => !Number.isInteger(seed) || seed < 0 || seed > 0xffffffff))
    throw new WrongUse(`--seeds must be whole numbers from 0 to ${0xffffffff} with commas, not "${values.seeds}"`);
  const names = positionals.length > 0 ? positionals : ownScenarioIds();
  return { scenarios: names.map(open), seeds, executor, write };
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        seeds: { type: 'string', default: '1,2,3' },
        executor: { type: 'string', default: 'webgpu' },
        write: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n${USAGE}`);
  }
}

function open(name: string): Arguments['scenarios'][number] {
  const loaded = loadScenario(name);
  if ('problems' in loaded)
    throw new WrongUse(loaded.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  const file = ownScenarioIds().includes(name) ? join('scenarios', name, 'scenario.json') : name;
  return { file, scenario: loaded.scenario };
}

async function measureAll({ scenarios, seeds, executor: kind, write }: Arguments): Promise<number> {
  const executor = await openExecutor(kind);
  let allHold = true;
  for (const { file, scenario } of scenarios) {
    const { claims, seconds } = await measure(executor, scenario, seeds);
    if (claims.length === 0) print(`${scenario.id}: claims nothing`);
    for (const claim of claims) print(describe(scenario.id, claim));
    print(`${scenario.id}: ${seconds.toFixed(1)} s a run (median)`);
    allHold &&= claims.every((claim) => verdictOf(claim) === 'holds');
    if (write) keep(file, claims, seconds);
  }
  return allHold ? 0 : 1;
}

/** The claims with what was measured now, and the median of the seconds that the scenario's own settings took. */
async function measure(executor: Executor, scenario: Scenario, seeds: readonly number[]) {
  const coldStarts: ColdStarts = new Map();
  const own = await finalEvaluations(executor, scenario, seeds, coldStarts);
  const claims: Claim[] = [];
  // Claims about the same changed settings share their runs.
  const arms = new Map<string, Finished[]>([['{}', own]]);
  for (const claim of scenario.claims) {
    const changed = claim.with ?? {};
    const arm = JSON.stringify(changed);
    const runs =
      arms.get(arm) ?? (await finalEvaluations(executor, changeSettings(scenario, changed), seeds, coldStarts));
    arms.set(arm, runs);
    const figures = runs.map(({ metrics }) => {
      if (!Object.hasOwn(metrics, claim.metric))
        throw new WrongUse(`${scenario.id}: claims.${claim.id}.metric: known are ${Object.keys(metrics).join(', ')}`);
      return Number(metrics[claim.metric].toPrecision(6));
    });
    const date = new Date().toISOString().slice(0, 10);
    claims.push({ ...claim, measured: { seeds, figures, adapter: executor.description, date } });
  }
  const times = own.map((run) => run.seconds).sort((a, b) => a - b);
  return { claims, seconds: times[times.length >> 1] };
}

type Metrics = Readonly<Record<string, number>>;

interface Finished {
  readonly metrics: Metrics;
  /** Training without evaluations. */
  readonly seconds: number;
}

/** What runs were when their first phase, an imitation, had ended; by all that it depends on. */
type ColdStarts = Map<string, { readonly snapshot: Snapshot; readonly course: readonly Metrics[] }>;

/**
 * A run to the end of its plan for each seed. Arms that imitate alike and differ in what comes after share the
 * imitation: they begin where the first of them kept it.
 */
async function finalEvaluations(
  executor: Executor,
  scenario: Scenario,
  seeds: readonly number[],
  coldStarts: ColdStarts,
): Promise<Finished[]> {
  const finished: Finished[] = [];
  for (const seed of seeds) {
    const run = await createRun(executor, scenario, seed, recallTuning());
    keepTuning(run.tuned.memory);
    try {
      const start = performance.now();
      const coldStart = coldStartOf(run, scenario, seed);
      const kept = coldStart && coldStarts.get(coldStart.key);
      if (kept) run.restore(kept.snapshot, seed);
      const course: Metrics[] = [...(kept?.course ?? [])];
      while (!run.finished) {
        if (coldStart && !kept && run.update === coldStart.end)
          coldStarts.set(coldStart.key, { snapshot: await run.snapshot('all'), course: [...course] });
        const { nonfinite, update, metrics } = await run.train();
        course.push(metrics);
        if (!nonfinite) continue;
        // The weights before it are kept, and what they are worth is the figure.
        process.stderr.write(
          `${scenario.id}, seed ${seed}: stopped, the gradient was not finite at update ${update}\n`,
        );
        break;
      }
      const seconds = (performance.now() - start) / 1000;
      finished.push({ metrics: { ...figuresOf(course), ...(await finalMetrics(run, seed)) }, seconds });
      // Progress, apart from the results.
      process.stderr.write(`${scenario.id}, seed ${seed}: ${seconds.toFixed(1)} s\n`);
    } finally {
      run.destroy();
    }
  }
  return finished;
}

function coldStartOf(run: AnyRun, scenario: Scenario, seed: number): { key: string; end: number } | undefined {
  const [first, second] = scenario.phases;
  if (!(run instanceof TextRun) || first?.id !== 'imitate' || second === undefined) return undefined;
  const { environment, policy, rollout, optimizer } = scenario.slots;
  const { grammar } = rollout.parameters;
  const { updates } = scenario.training;
  // The number of weights tells whether there is a critic.
  const key = JSON.stringify([seed, run.count, environment, policy, grammar, optimizer, updates, first, second.from]);
  return { key, end: second.from };
}

/** What the figures of the updates were in the end, as means of the last ones, and at their highest (`max/…`). */
function figuresOf(course: readonly Metrics[]): Metrics {
  const values = new Map<string, number[]>();
  for (const [name, value] of course.flatMap(Object.entries<number>))
    values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(
    [...values].flatMap(([name, each]) => [
      [name, finalFigure(each)],
      [`max/${name}`, each.reduce((a, b) => Math.max(a, b))],
    ]),
  );
}

async function finalMetrics(run: AnyRun, seed: number): Promise<Record<string, number>> {
  const { evaluationEpisodes, greedyEvaluation } = run.resolved.scenario.training;
  const result = await evaluateRun(run, evaluationEpisodes, greedyEvaluation, seed);
  if (!result) throw new Error('evaluation was broken off');
  return {
    'eval/episodic_return': result.returnMean,
    'eval/success': result.success,
    'eval/episodic_length': result.length,
  };
}

function describe(id: string, claim: Claim): string {
  const { seeds, figures } = claim.measured as NonNullable<Claim['measured']>;
  const changed = Object.entries(claim.with ?? {}).map(([path, value]) => `${path} = ${JSON.stringify(value)}`);
  const spread = deviation(figures);
  return [
    `${id}: ${claim.sentence}`,
    ...(changed.length > 0 ? [`  with     ${changed.join(', ')}`] : []),
    `  figures  ${figures.map((figure, i) => `${figure} (seed ${seeds[i]})`).join(', ')}`,
    `  mean     ${short(mean(figures))}${spread === undefined ? '' : ` ± ${short(spread)}`} of ${claim.metric}, claimed ${claim.comparison} ${claim.value}`,
    `  verdict  ${verdictOf(claim)}`,
  ].join('\n');
}

const short = (value: number) => String(Number(value.toPrecision(4)));

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Into the file as it stands, which may leave out what has a default. */
function keep(file: string, claims: readonly Claim[], seconds: number): void {
  const {
    seconds: _old,
    preset,
    slots,
    training,
    claims: _claims,
    lesson,
    ...head
  } = JSON.parse(readFileSync(file, 'utf8'));
  const rounded = seconds < 10 ? Number(seconds.toPrecision(2)) : Math.round(seconds);
  writeFileSync(file, format({ ...head, seconds: rounded, preset, slots, training, claims, lesson }));
}

/** Two blanks a level, and lists of plain values on one line. */
function format(file: unknown): string {
  const text = JSON.stringify(file, null, 2);
  return `${text.replace(/\[\n[^[\]{}]*\]/g, (list) => JSON.stringify(JSON.parse(list)).replaceAll(',', ', '))}\n`;
}
