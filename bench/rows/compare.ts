/** A row whose figure is a race against other libraries. */
import type { Results } from '../page/race';
import type { Measured, Row } from '../row';

/** Our median against the quickest form of each of these. */
export function compare<L extends string>(
  { entries, failures }: Results<L | 'ours'>,
  against: readonly L[],
  detail: Readonly<Record<string, unknown>>,
): Measured {
  const quickest = (library: L | 'ours') =>
    entries.filter((entry) => entry.library === library).sort((a, b) => a.median - b.median)[0];
  const ours = quickest('ours');
  if (!ours) throw new Error(failures.find((failure) => failure.startsWith('this project')));
  const theirs = against.map((library) => [library, quickest(library)] as const);
  const shown = entries.filter(({ library }) => library === 'ours' || against.includes(library));
  return {
    ours: ours.median,
    best: ours.best,
    peers: Object.fromEntries(theirs.map(([library, entry]) => [library, entry?.median ?? null])),
    ratios: Object.fromEntries(theirs.map(([library, entry]) => [library, entry ? entry.median / ours.median : null])),
    detail: {
      best: Object.fromEntries(shown.map(({ name, best }) => [name, best])),
      median: Object.fromEntries(shown.map(({ name, median }) => [name, median])),
      difference: Object.fromEntries(shown.map(({ name, difference }) => [name, difference])),
      failures: failures.filter((failure) => against.some((library) => failure.startsWith(library))),
      ...detail,
    },
  };
}

/** Whether we are `factor` times as fast as each of the others that could be measured. */
export function holdsRatio(factor: number): Row['holds'] {
  return ({ ratios = {} }) => {
    const known = Object.values(ratios).filter((ratio) => ratio !== null);
    return known.length === 0 ? null : Math.min(...known) >= factor;
  };
}
