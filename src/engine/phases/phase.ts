/** What a phase of training is: one update of it, on the run that it is a phase of. */
import type { Kernel } from '../../../kernels/kernel';
import type { Parameters, Schema } from '../parameters';
import type { Described } from '../stages/stage';
import type { PhaseContext } from '../text/run';
import type { Transcript } from '../view';

export interface PhaseKind<S extends Schema = Schema> extends Described<S> {
  /** What an update runs besides the policy’s kernels and those of the scenario’s own stages. */
  readonly kernels: readonly Kernel[];
  /** What the person has yet to gather before it can begin; undefined where it can. */
  lacks?(parameters: Parameters<S>, gathered: GatheredCounts): Lack | undefined;
  /** Episodes of a gradient step; absent: as many as the loss stage’s plan says. */
  sequences?(parameters: Parameters<S>): number;
  /** One update; returns what is known besides the loss statistics. */
  update(context: PhaseContext, parameters: Parameters<S>): Promise<Readonly<Record<string, number>>>;
  /** Up to `count` episodes for the page to show instead of the policy’s own. */
  shows?(context: PhaseContext, parameters: Parameters<S>, count: number): readonly Transcript[];
}

/** How much the person has gathered in the page. */
export interface GatheredCounts {
  readonly pairs: number;
  readonly demonstrations: number;
}

/** Something is missing, and which setting asks for it. */
export interface Lack {
  readonly key: string;
  readonly message: string;
}

/** A phase cannot go on as it is set; the message says what to change. Nothing is wrong with the device. */
export class PhaseStopped extends Error {}

/** Where a phase begins from: every phase has this setting. */
export const START = {
  start: {
    kind: 'number',
    label: 'Start from',
    help: '0 goes on from the weights at hand; k takes the weights that the k-th phase ended with.',
    default: 0,
    min: 0,
    max: 12,
    integer: true,
  },
} as const satisfies Schema;
