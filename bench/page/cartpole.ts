/** The project's CartPole scenario, as the page loads it, with changes. */

import file from '../../scenarios/cartpole/scenario.json';
import type { Scenario, TrainingPlan } from '../../src/engine/scenario';

const CARTPOLE = { ...file, lesson: '' } as unknown as Scenario;

export function cartPole(
  rollout: Readonly<Record<string, number>> = {},
  training: Partial<TrainingPlan> = {},
): Scenario {
  const { slots } = CARTPOLE;
  const parameters = { ...slots.rollout.parameters, ...rollout };
  return {
    ...CARTPOLE,
    slots: { ...slots, rollout: { ...slots.rollout, parameters } },
    training: { ...CARTPOLE.training, ...training },
  };
}
