/** Every choice for every slot of the pipeline, by id. */
import { ENVIRONMENTS } from './environments';
import { POLICIES } from './policies';
import type { Slot } from './scenario';
import { ADVANTAGES } from './stages/advantages';
import { LOSSES } from './stages/losses';
import { OPTIMIZERS } from './stages/optimizers';
import { REWARDS } from './stages/rewards';
import { ROLLOUTS } from './stages/rollouts';
import type { Described } from './stages/stage';

export const REGISTRY: Readonly<Record<Slot, Readonly<Record<string, Described>>>> = {
  environment: ENVIRONMENTS,
  policy: POLICIES,
  rollout: ROLLOUTS,
  reward: REWARDS,
  advantage: ADVANTAGES,
  loss: LOSSES,
  optimizer: OPTIMIZERS,
};

export { PRESETS } from './presets';
