/** For tests: small scenarios of text worlds, by naming what differs. */
import type { AnyParameters } from '../parameters';
import type { Choice, Phase, Scenario, Slot, TrainingPlan } from '../scenario';
import { BLANK } from '../testing';

/** Parameters by slot; `id` chooses another stage. */
export type TextChanges = Readonly<Partial<Record<Slot, AnyParameters>>> & {
  readonly phases?: readonly Phase[];
  readonly training?: Partial<TrainingPlan>;
};

const BASE: Readonly<Record<Slot, Choice>> = {
  environment: { id: 'verifier-table', parameters: { prompts: 16, answers: 8 } },
  policy: { id: 'table', parameters: {} },
  rollout: { id: 'turns', parameters: { groups: 8, group_size: 8 } },
  reward: { id: 'signals', parameters: {} },
  filter: { id: 'none', parameters: {} },
  advantage: { id: 'group-relative', parameters: {} },
  loss: { id: 'token-ppo', parameters: {} },
  optimizer: { id: 'adam', parameters: { learning_rate: 0.01, anneal: false } },
};

/** A table policy on a hidden table of 16 prompts and 8 answers, GRPO, 8 groups of 8, unless `changes` say otherwise. */
export function textScenario({ phases = [], training = {}, ...changes }: TextChanges = {}): Scenario {
  const slots = Object.entries(BASE).map(([slot, base]) => {
    const { id = base.id, ...own } = changes[slot as Slot] ?? {};
    return [slot, { id, parameters: { ...(id === base.id ? base.parameters : {}), ...own } }];
  });
  return {
    ...BLANK,
    preset: 'grpo',
    slots: Object.fromEntries(slots),
    training: { updates: 100, evaluateEvery: 100, evaluationEpisodes: 20, greedyEvaluation: false, ...training },
    phases,
  };
}
