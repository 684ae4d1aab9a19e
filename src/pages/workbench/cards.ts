/** What each stage card and each wire says: the choice in a few words, two read-outs, and the shape of what flows. */
import type { Resolved } from '../../engine/resolve';
import type { Phase, Scenario, Slot } from '../../engine/scenario';
import { formatCount, writeNumber } from '../../formats/number';
import { REGISTRY, worldOf } from '../../stores/registry';
import type { Shapes } from '../../worker/protocol';
import type { StageName } from './state';

export interface CardText {
  readonly kind: string;
  readonly choice: string;
  readonly readouts: readonly string[];
}

export const KINDS: Readonly<Record<StageName, string>> = {
  environment: 'Environment',
  policy: 'Policy',
  rollout: 'Rollout',
  reward: 'Reward',
  filter: 'Filter',
  advantage: 'Advantage',
  loss: 'Loss',
  optimizer: 'Optimiser',
  training: 'Run',
  phases: 'Phases',
};

/** What the settings alone do not tell: what the engine makes of them, and what the run measured of itself. */
export interface Sizes {
  readonly meaning: Resolved | undefined;
  readonly shapes: Shapes | undefined;
}

/** The schedule in a row, and where the run is in it. */
export function phasesText(phases: readonly Phase[], now: number | undefined): CardText {
  return {
    kind: KINDS.phases,
    choice: phases.length === 0 ? 'reinforce throughout' : phases.map(({ id }) => id).join(', '),
    readouts: now === undefined || phases.length < 2 ? [] : [`${now + 1} of ${phases.length}`],
  };
}

type Settings = Readonly<Record<string, unknown>>;
const number = (settings: Settings, key: string): number | undefined =>
  typeof settings[key] === 'number' ? settings[key] : undefined;
const setting = (settings: Settings, key: string): string => (typeof settings[key] === 'string' ? settings[key] : '');

export function cardText(slot: Slot, scenario: Scenario, sizes: Sizes): CardText {
  return worldOf(scenario) === 'text'
    ? textCard(slot, scenario, sizes.shapes)
    : controlCard(slot, scenario, sizes.meaning);
}

function controlCard(slot: Slot, scenario: Scenario, meaning: Resolved | undefined): CardText {
  const { id, parameters } = scenario.slots[slot];
  const described = REGISTRY[slot][id];
  const title = described?.title ?? id;
  const kind = KINDS[slot];
  switch (slot) {
    case 'environment': {
      // The level of a grid world, or which lake: the first choice says more than the family.
      const [key, field] = Object.entries(described?.parameters ?? {}).find(([, one]) => one.kind === 'choice') ?? [];
      const option =
        field?.kind === 'choice' ? field.options.find(({ value }) => value === parameters[key ?? '']) : undefined;
      const limit =
        meaning === undefined || meaning.environment.program.maxSteps === 0
          ? []
          : [`T ${meaning.environment.program.maxSteps}`];
      return {
        kind,
        choice: title.replace(/ \(.*\)$/, ''),
        readouts: [...(option === undefined ? [] : [option.label]), ...limit],
      };
    }
    case 'policy': {
      const widths = Array.isArray(parameters.hidden) ? parameters.hidden.join('-') : '';
      return {
        kind,
        choice: [title, widths || 'linear', widths && setting(parameters, 'activation')].filter(Boolean).join(' '),
        readouts: meaning ? [formatWhole(meaning.parameterCount), 'weights'] : [],
      };
    }
    case 'rollout': {
      const { steps, copies } = copiesAndSteps(scenario);
      return {
        kind,
        choice: `${steps} ${steps === 1 ? 'step' : 'steps'} × ${copies}`,
        readouts: meaning ? [formatWhole(meaning.batch), 'samples'] : [],
      };
    }
    case 'reward': {
      const terms = rewardTerms(parameters, meaning?.environment.program.signals ?? []);
      return {
        kind,
        choice: terms.join(', ') || title,
        readouts: terms.length === 0 ? [] : [terms.length === 1 ? '1 term' : `${terms.length} terms`],
      };
    }
    case 'filter':
      return { kind, choice: title, readouts: [] };
    case 'advantage':
      return {
        kind,
        choice: title,
        readouts: readoutsOf(parameters, [
          ['gamma', 'γ'],
          ['lambda', 'λ'],
        ]),
      };
    case 'loss': {
      const epochs = number(parameters, 'epochs') ?? 1;
      return {
        kind,
        choice: title,
        readouts: [...readoutsOf(parameters, [['clip', 'ε']]), `${epochs} × ${number(parameters, 'minibatches') ?? 1}`],
      };
    }
    case 'optimizer':
      return {
        kind,
        choice: title,
        readouts: readoutsOf(parameters, [
          ['learning_rate', ''],
          ['epsilon', 'ε'],
          ['momentum', 'μ'],
        ]),
      };
  }
}

function textCard(slot: Slot, scenario: Scenario, shapes: Shapes | undefined): CardText {
  const { id, parameters } = scenario.slots[slot];
  const text = shapes?.text;
  const card = (choice: string, ...readouts: string[]): CardText => ({ kind: KINDS[slot], choice, readouts });
  const title = REGISTRY[slot][id]?.title ?? id;
  switch (slot) {
    case 'environment':
      return card(title, ...(text === undefined ? [] : [text.turns === 1 ? '1 turn' : `${text.turns} turns`]));
    case 'policy':
      return card(
        [title, ...['layers', 'width'].flatMap((key) => number(parameters, key) ?? [])].join(' '),
        ...(shapes === undefined ? [] : [formatWhole(shapes.parameterCount), 'weights']),
      );
    case 'rollout':
      return card(
        `${number(parameters, 'groups')} × ${number(parameters, 'group_size')} episodes`,
        ...readoutsOf(parameters, [
          ['temperature', 'temp'],
          ['staleness', 'η'],
        ]),
      );
    case 'reward': {
      const terms = rewardTerms(parameters, shapes?.signals ?? []);
      return card(
        terms.join(', ') || 'as the environment has it',
        ...(terms.length > 1 ? [`${terms.length} terms`] : []),
      );
    }
    case 'filter':
      return card(title);
    case 'advantage':
      return card(
        title,
        ...readoutsOf(parameters, [
          ['gamma', 'γ'],
          ['lambda', 'λ'],
        ]),
      );
    case 'loss':
      return card(
        title,
        ...readoutsOf(parameters, [
          ['clip', 'ε'],
          ['clip_low', 'ε'],
        ]).slice(0, 1),
        `${number(parameters, 'epochs') ?? 1} × ${number(parameters, 'minibatches') ?? 1}`,
      );
    case 'optimizer':
      return controlCard(slot, scenario, undefined);
  }
}

function copiesAndSteps(scenario: Scenario): { readonly steps: number | string; readonly copies: number | string } {
  const { parameters } = scenario.slots.rollout;
  return { steps: number(parameters, 'steps') ?? 'T', copies: number(parameters, 'copies') ?? 'N' };
}

/** “reward × 1”: each signal with its weight, those with none left out. */
function rewardTerms(parameters: Settings, signals: readonly string[]): string[] {
  const weights: readonly unknown[] = Array.isArray(parameters.weights) ? parameters.weights : [];
  return weights.flatMap((weight, index) =>
    typeof weight === 'number' && weight !== 0 && signals[index] !== undefined
      ? [`${signals[index]} × ${writeNumber(weight)}`]
      : [],
  );
}

function readoutsOf(parameters: Settings, wanted: readonly (readonly [string, string])[]): string[] {
  return wanted.flatMap(([key, symbol]) => {
    const value = number(parameters, key);
    return value === undefined ? [] : [`${symbol} ${writeNumber(value)}`.trim()];
  });
}

/** Whole up to a million, with the thousands apart: 8,645. */
const formatWhole = (count: number) => (count < 1e6 ? count.toLocaleString('en') : formatCount(count));

/** What leaves the stage, by name and shape. */
export function wireText(slot: Slot, scenario: Scenario, { meaning, shapes }: Sizes): string {
  return worldOf(scenario) === 'text' ? textWire(slot, scenario, shapes) : controlWire(slot, scenario, meaning);
}

function textWire(slot: Slot, scenario: Scenario, shapes: Shapes | undefined): string {
  const { parameters } = scenario.slots.rollout;
  const groups = number(parameters, 'groups') ?? 1;
  const size = number(parameters, 'group_size') ?? 1;
  const episodes = groups * size;
  const grid = `[${episodes}, ${shapes?.text?.context ?? 'L'}]`;
  switch (slot) {
    case 'environment':
      return `${groups} tasks × ${size} episodes`;
    case 'policy':
      return 'tokens, one turn at a time';
    case 'rollout':
      return `tokens + roles ${grid}`;
    case 'reward':
      return `reward [${episodes}, ${shapes?.text?.turns ?? 'turns'}]`;
    case 'filter':
      return scenario.slots.filter.id === 'none' ? `${episodes} episodes` : `at most ${episodes} episodes`;
    case 'advantage':
      return `advantage ${grid}`;
    case 'loss':
      return `gradient [${shapes ? formatWhole(shapes.parameterCount) : 'W'}]`;
    case 'optimizer':
      return '';
  }
}

function controlWire(slot: Slot, scenario: Scenario, meaning: Resolved | undefined): string {
  const { steps, copies } = copiesAndSteps(scenario);
  switch (slot) {
    case 'environment':
      return `observation [${copies}, ${meaning?.policy.observationSize ?? 'O'}]`;
    case 'policy':
      return `${meaning?.distribution === 'gaussian' ? 'mean' : 'logits'} [${copies}, ${meaning?.policy.outputs ?? 'A'}]`;
    case 'rollout':
      return `trajectory [${steps}, ${copies}]`;
    case 'reward':
    case 'filter':
      return `reward [${steps}, ${copies}]`;
    case 'advantage':
      return `advantage [${steps}, ${copies}]`;
    case 'loss':
      return `gradient [${meaning ? formatWhole(meaning.parameterCount) : 'W'}]`;
    case 'optimizer':
      return '';
  }
}
