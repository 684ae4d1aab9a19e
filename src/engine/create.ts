/** The run that a scenario asks for: of a control world or of one of tokens. */
import type { Executor } from './device/executor';
import type { TuningMemory } from './device/tuning';
import { type Evaluation, evaluate } from './evaluate';
import { worldOf } from './registry';
import { type Progress, Run } from './run';
import type { Scenario } from './scenario';
import { TextRun } from './text/run';

export type AnyRun = Run | TextRun;

/** Throws ScenarioProblems where the scenario cannot run. */
export function createRun(
  executor: Executor,
  scenario: Scenario,
  seed: number,
  memory: TuningMemory = {},
  progress: Progress = () => {},
): Promise<AnyRun> {
  const kind = worldOf(scenario) === 'text' ? TextRun : Run;
  return kind.create(executor, scenario, seed, memory, progress);
}

/** Undefined when it was broken off. */
export function evaluateRun(
  run: AnyRun,
  episodes: number,
  greedy: boolean,
  seed: number,
  cancelled: () => boolean = () => false,
): Promise<Evaluation | undefined> {
  return run instanceof TextRun
    ? run.evaluate(episodes, greedy, seed, cancelled)
    : evaluate(run, episodes, greedy, seed, cancelled);
}
