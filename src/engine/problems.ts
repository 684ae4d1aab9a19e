/** What is wrong with a scenario, thrown before anything starts. */
import type { Problem } from './parameters';

/** The scenario cannot run; every problem with its place. */
export class ScenarioProblems extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ path, message }) => `${path} ${message}`).join('; '));
    this.name = 'ScenarioProblems';
  }
}
