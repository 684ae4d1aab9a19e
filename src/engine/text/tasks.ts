/**
 * Which tasks are trained on and which are kept for evaluation: where the environment holds tasks back,
 * the lower half of their numbers is for training and the upper half for evaluation.
 */
import { Random, STREAM } from '../../../kernels/random/threefry';
import type { TextEnvironment } from './environment';

export function trainingTask({ tasks, heldOut }: TextEnvironment, random: Random): number {
  return random.below(heldOut ? tasks >>> 1 : tasks);
}

/** The i-th task of an evaluation: each once and in order while there are enough, else drawn. */
export function evaluationTask({ tasks, heldOut }: TextEnvironment, seed: number, index: number): number {
  const first = heldOut ? tasks >>> 1 : 0;
  const count = tasks - first;
  return first + (count <= ENUMERATED ? index % count : new Random(seed, STREAM.evaluationTask, index, 0).below(count));
}

/** Up to so many tasks are gone through one by one. */
const ENUMERATED = 4096;

/** How often tasks of each kind were solved lately: what a curriculum by success rate goes by. */
export class SuccessByKind {
  private readonly rates = new Map<string, number>();

  /** Memory of about twenty episodes of a kind. */
  add(kind: string, success: boolean): void {
    const before = this.rates.get(kind) ?? 0.5;
    this.rates.set(kind, before + 0.05 * (Number(success) - before));
  }

  /** Tasks that are solved about half of the time teach the most; no kind is ever left out. */
  weight(kind: string): number {
    const rate = this.rates.get(kind) ?? 0.5;
    return rate * (1 - rate) + 0.02;
  }

  clear(): void {
    this.rates.clear();
  }
}

/** Candidates from which one task is drawn by weight. */
const CANDIDATES = 8;

export function learnableTask(environment: TextEnvironment, random: Random, rates: SuccessByKind): number {
  const tasks = Array.from({ length: CANDIDATES }, () => trainingTask(environment, random));
  const weights = tasks.map((task) => rates.weight(environment.difficulty(environment.reset(task)).name));
  let point = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [i, weight] of weights.entries()) {
    point -= weight;
    if (point < 0) return tasks[i];
  }
  return tasks[CANDIDATES - 1];
}
