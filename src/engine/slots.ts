/** The first thing that is worked out of any scenario: every slot's choice, looked up, with complete parameters. */
import { type AnyParameters, checkParameters, type Problem } from './parameters';
import { REGISTRY, type World } from './registry';
import { type Scenario, SLOTS, type Slot } from './scenario';

export type SlotParameters = Readonly<Record<Slot, AnyParameters>>;

const WORLDS: Readonly<Record<World, string>> = { control: 'a control world', text: 'a world of tokens' };

/** Problems: choices that nobody knows or that belong to the other kind of world, and settings that are wrong. */
export function completeSlots(
  { slots }: Scenario,
  world: World,
): { readonly parameters: SlotParameters; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const parameters = {} as Record<Slot, AnyParameters>;
  for (const slot of SLOTS) {
    const { id, parameters: given } = slots[slot];
    const choice = Object.hasOwn(REGISTRY[slot], id) ? REGISTRY[slot][id] : undefined;
    if (choice && (choice.world ?? world) === world) {
      const checked = checkParameters(choice.parameters, given, `slots.${slot}.parameters`);
      problems.push(...checked.problems);
      parameters[slot] = checked.parameters;
      continue;
    }
    const fitting = Object.values(REGISTRY[slot]).filter((one) => (one.world ?? world) === world);
    const known = fitting.map((one) => one.id).join(', ');
    problems.push({
      path: `slots.${slot}.id`,
      message: choice
        ? `"${id}" does not work in ${WORLDS[world]}; these do: ${known}`
        : `"${id}" is not known; known: ${known}`,
    });
  }
  return { parameters, problems };
}
