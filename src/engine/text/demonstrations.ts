/** Episodes that the scripted expert writes, at a chosen quality: what imitation copies. */
import { Random, STREAM } from '../../../kernels/random/threefry';
import type { TextEnvironment } from './environment';
import { HandWritten } from './episodes';
import { trainingTask } from './tasks';
import type { Trajectory } from './trajectory';

export function demonstrate(environment: TextEnvironment, seed: number, count: number, quality: number): Trajectory[] {
  return Array.from({ length: count }, (_, episode) => demonstration(environment, seed, episode, quality).trajectory());
}

/** The same `episode` for the same arguments. `reward`: what each turn earns, for the page; imitation does not ask. */
export function demonstration(
  environment: TextEnvironment,
  seed: number,
  episode: number,
  quality: number,
  reward?: (trajectory: Trajectory) => readonly number[],
): HandWritten {
  const random = new Random(seed, STREAM.demonstration, episode, 0);
  const task = trainingTask(environment, random);
  const written = new HandWritten(environment, { episode, task, group: episode }, random, reward);
  while (!written.over) written.write(environment.expert(written.state as never, quality, random));
  return written;
}
