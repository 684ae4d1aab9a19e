/** Every choice for every slot of the pipeline, by id, with the kind of world that it works with; and the kinds of phases. */
import { ENVIRONMENTS } from './environments';
import { PHASES } from './phases';
import { POLICIES, SEQUENCE_POLICIES } from './policies';
import type { Scenario, Slot } from './scenario';
import { ADVANTAGES } from './stages/advantages';
import { FILTER_CHOICES } from './stages/filters';
import { LOSSES } from './stages/losses';
import { OPTIMIZERS } from './stages/optimizers';
import { REWARDS } from './stages/rewards';
import { ROLLOUTS } from './stages/rollouts';
import type { Described } from './stages/stage';
import { TEXT_REWARDS } from './stages/text_rewards';
import { TOKEN_ADVANTAGES } from './stages/token_advantages';
import { TOKEN_LOSSES } from './stages/token_losses';
import { TEXT_ENVIRONMENTS } from './text/families';

/** The two kinds of worlds. */
export type World = NonNullable<Described['world']>;
type Choices = Readonly<Record<string, Described>>;

function of(world: World, choices: Choices): Choices {
  return Object.fromEntries(Object.entries(choices).map(([id, choice]) => [id, { ...choice, world }]));
}

export const REGISTRY: Readonly<Record<Slot | 'phase', Choices>> = {
  environment: { ...of('control', ENVIRONMENTS), ...of('text', TEXT_ENVIRONMENTS) },
  policy: { ...of('control', POLICIES), ...of('text', SEQUENCE_POLICIES) },
  rollout: ROLLOUTS,
  reward: { ...of('control', REWARDS), ...of('text', TEXT_REWARDS) },
  filter: FILTER_CHOICES,
  advantage: { ...of('control', ADVANTAGES), ...of('text', TOKEN_ADVANTAGES) },
  loss: { ...of('control', LOSSES), ...of('text', TOKEN_LOSSES) },
  optimizer: OPTIMIZERS,
  phase: PHASES,
};

/** The kind of world that a scenario's environment is: all else must fit it. Unknown ones count as control. */
export function worldOf({ slots: { environment } }: Pick<Scenario, 'slots'>): World {
  const choice = Object.hasOwn(REGISTRY.environment, environment.id) ? REGISTRY.environment[environment.id] : undefined;
  return choice?.world ?? 'control';
}

export { PRESETS } from './presets';
