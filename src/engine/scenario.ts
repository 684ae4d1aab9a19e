/**
 * A scenario as the engine sees it: eight slots, each a choice by id with its parameters, plus how
 * long to train, in which phases, and how to evaluate. Files, links and storage come through formats/scenario.ts.
 */
import type { AnyParameters } from './parameters';

/** The links of the update, in the order in which data flows through them. */
export const SLOTS = [
  'environment',
  'policy',
  'rollout',
  'reward',
  'filter',
  'advantage',
  'loss',
  'optimizer',
] as const;
export type Slot = (typeof SLOTS)[number];

export interface Choice {
  readonly id: string;
  readonly parameters: AnyParameters;
}

export interface Claim {
  readonly id: string;
  /** The sentence, as the lesson says it. */
  readonly sentence: string;
  /** A metric of the final evaluation, such as `eval/success`, and the bound on its mean over seeds. */
  readonly metric: string;
  readonly comparison: '>=' | '<=';
  readonly value: number;
  /** Settings that differ from the scenario's for this claim, by path: `{ "advantage.gamma": 0.8 }`. Absent: none do. */
  readonly with?: Readonly<Record<string, unknown>>;
  /** What `npm run claims` measured last: one figure a seed. Absent: not yet measured. */
  readonly measured?: {
    readonly seeds: readonly number[];
    readonly figures: readonly number[];
    readonly adapter: string;
    readonly date: string;
  };
}

/** One stage of training; it lasts until the next begins or the plan ends. */
export interface Phase {
  /** `imitate`, `reinforce`, `prefer` or `merge`: src/engine/phases. */
  readonly id: string;
  /** Update before which it begins; the first begins at 0. */
  readonly from: number;
  readonly parameters: AnyParameters;
  /** Settings that differ from the scenario's while it lasts, by path: `{ "optimizer.learning_rate": 0.001 }`. */
  readonly with: Readonly<Record<string, unknown>>;
}

export interface TrainingPlan {
  /** Updates of the whole run; annealed settings reach their end here. */
  readonly updates: number;
  readonly evaluateEvery: number;
  readonly evaluationEpisodes: number;
  /** Evaluation takes the likeliest action (or the mean) instead of sampling. */
  readonly greedyEvaluation: boolean;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly capabilities: readonly string[];
  readonly fields: readonly string[];
  readonly paper?: { readonly title: string; readonly url: string };
  /** Seconds from Train to the claim on the software adapter with 2 cores, as measured. */
  readonly seconds?: number;
  /** Name of the preset from which the slots start; the page marks what differs from it. */
  readonly preset: string;
  readonly slots: Readonly<Record<Slot, Choice>>;
  readonly training: TrainingPlan;
  /** In order; empty: all updates reinforce. */
  readonly phases: readonly Phase[];
  readonly claims: readonly Claim[];
  readonly lesson: string;
}
