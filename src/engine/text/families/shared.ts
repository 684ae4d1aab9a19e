/** What the families share: the vocabulary as it is put together, random numbers of a task, signals by name. */
import { Random, STREAM } from '../../../../kernels/random/threefry';
import type { Problem } from '../../parameters';
import type { Signal, TextEnvironment, Voice } from '../environment';
import { legalTokens } from '../grammar';

/** What the sampling kernels and the longest context can hold. */
export const MAX_VOCABULARY = 512;
export const MAX_CONTEXT = 1024;

export class Vocabulary {
  /** Token 0 is padding. */
  readonly names: string[] = ['·'];
  readonly voices: Voice[] = ['plain'];

  /** A new token's number. */
  add(name: string, voice: Voice = 'plain'): number {
    this.voices.push(voice);
    return this.names.push(name) - 1;
  }

  /** Numbers of new tokens, each one more than the one before. */
  addAll(names: readonly string[], voice: Voice = 'plain'): number[] {
    return names.map((name) => this.add(name, voice));
  }
}

/** "task", in ASCII: keeps the tasks apart from every run's own random numbers of the same stream. */
const TASK_SEED = 0x7461736b;

/** Random numbers that make task number `task`, the same in every run. */
export function taskRandom(task: number): Random {
  return new Random(TASK_SEED, STREAM.environmentReset, task, 0);
}

/** A task is drawn from its number whenever it is asked for; so many are kept, since turns and groups ask often. */
const REMEMBERED = 512;

/** `draw`, which remembers what it drew lately. */
export function remembered<T>(draw: (task: number) => T): (task: number) => T {
  const kept = new Map<number, T>();
  return (task) => {
    const known = kept.get(task);
    if (known !== undefined) return known;
    if (kept.size >= REMEMBERED) kept.clear();
    const drawn = draw(task);
    kept.set(task, drawn);
    return drawn;
  };
}

/** One number a signal, in order; those without a value are 0. Also makes a reward's weights. */
export function signalValues<N extends string>(
  signals: readonly (Signal & { readonly name: N })[],
  values: Readonly<Partial<Record<N, number>>>,
): number[] {
  return signals.map(({ name }) => values[name] ?? 0);
}

/** One of `list`, all alike. */
export function pick<T>(list: readonly T[], random: Random): T {
  return list[random.below(list.length)];
}

/** FNV-1a over whole numbers: a 32-bit number that stands for the list. */
export function hashOf(numbers: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const number of numbers) {
    for (let shift = 0; shift < 32; shift += 8) {
      hash = Math.imul(hash ^ ((number >>> shift) & 0xff), 0x01000193);
    }
  }
  return hash >>> 0;
}

/** What no world may break, said at the setting that causes it. */
export function limitProblems(
  world: Pick<TextEnvironment, 'vocabulary' | 'limits' | 'grammar'>,
  paths: { readonly vocabulary: string; readonly length: string; readonly grammar: string },
): Problem[] {
  const problems: Problem[] = [];
  const { vocabulary, limits, grammar } = world;
  if (vocabulary.length > MAX_VOCABULARY)
    problems.push({
      path: paths.vocabulary,
      message: `makes a vocabulary of ${vocabulary.length} tokens; at most ${MAX_VOCABULARY} fit`,
    });
  if (limits.episodeTokens > MAX_CONTEXT)
    problems.push({
      path: paths.length,
      message: `lets an episode grow to ${limits.episodeTokens} tokens; no context holds more than ${MAX_CONTEXT}`,
    });
  for (let state = 0; state < grammar.states; state++) {
    if (legalTokens(grammar, state).length > 0) continue;
    problems.push({ path: paths.grammar, message: 'leaves a place in a turn where no token is legal' });
    break;
  }
  return problems;
}
