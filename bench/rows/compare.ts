/** A row whose figure is a race against other libraries. */
import type { Results } from '../page/race';
import type { Measured, Row } from '../row';

/**
 * Our median against the quickest form of each of these. Where this project takes part with several executors, the
 * figure is that of the quickest, and the note says which it is and what the others reach.
 */
export function compare<L extends string>(
  { entries, failures }: Results<L>,
  entered: readonly L[],
  against: readonly L[],
  detail: Readonly<Record<string, unknown>>,
): Measured {
  const quickest = (...libraries: readonly L[]) =>
    entries.filter(({ library }) => libraries.includes(library)).sort((a, b) => a.median - b.median)[0];
  const ours = quickest(...entered);
  if (!ours) throw new Error(failures.find((failure) => failure.startsWith('this project')));
  const theirs = against.map((library) => [library, quickest(library)] as const);
  const shown = entries.filter(({ library }) => entered.includes(library) || against.includes(library));
  const told = ({ name, median }: (typeof entries)[number]) => {
    const ratios = theirs.map(([library, entry]) => `${entry ? (entry.median / median).toFixed(2) : '—'} × ${library}`);
    return `${name} ${median.toFixed(2)} ms (${ratios.join(', ')})`;
  };
  const forms = entries.filter(({ library }) => entered.includes(library));
  return {
    ours: ours.median,
    best: ours.best,
    ...(entered.length > 1 && { note: `goes by ${ours.name}: ${forms.map(told).join('; ')}` }),
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
