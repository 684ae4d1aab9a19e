/** What a row of the benchmark is: a name, a bound, and how its figure is come by. */
import type { Browser } from './tab';

export interface Measured {
  /** The median where something was repeated; null when there is no figure. */
  readonly ours: number | null;
  /** The best of the rounds, since the machine may be shared. */
  readonly best?: number;
  /** The same by others; null where a library failed its check or could not run. */
  readonly peers?: Readonly<Record<string, number | null>>;
  /** How many times as long each peer takes. */
  readonly ratios?: Readonly<Record<string, number | null>>;
  /** For the table: what should stand beside the figure. */
  readonly note?: string;
  /** Whatever else belongs to the figure: spread, settings. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Row {
  readonly name: string;
  /** What is measured, in a few words. */
  readonly title: string;
  readonly unit: string;
  /** The bound in words; null where a figure is only reported. */
  readonly bound: string | null;
  measure(bench: Bench): Promise<Measured>;
  /** Whether the bound is held; null where that cannot be said. */
  holds(measured: Measured): boolean | null;
}

/** What one run of the benchmark shares between its rows. */
export interface Bench {
  readonly browser: Browser;
  /** Names of all rows of this run: rows that are measured together ask for what the others need. */
  readonly names: readonly string[];
}

/** `test` of our figure, where there is one. */
export function holdsOurs(test: (ours: number) => boolean): Row['holds'] {
  return ({ ours }) => (ours === null ? null : test(ours));
}
