/** What each stage card and each wire says: the choice in a few words, two read-outs, and the shape of what flows. */
import type { Scenario, Slot } from '../../engine/scenario';
import { formatCount, writeNumber } from '../../formats/number';
import { REGISTRY } from '../../stores/registry';
import type { Shapes } from '../../worker/protocol';

export interface CardText {
  readonly kind: string;
  readonly choice: string;
  readonly readouts: readonly string[];
}

export const KINDS: Readonly<Record<Slot, string>> = {
  environment: 'Environment',
  policy: 'Policy',
  rollout: 'Rollout',
  reward: 'Reward',
  advantage: 'Advantage',
  loss: 'Loss',
  optimizer: 'Optimiser',
};

type Settings = Readonly<Record<string, unknown>>;
const number = (settings: Settings, key: string): number | undefined => (typeof settings[key] === 'number' ? settings[key] : undefined);

export function cardText(slot: Slot, scenario: Scenario, shapes: Shapes | undefined): CardText {
  const { id, parameters } = scenario.slots[slot];
  const title = REGISTRY[slot][id]?.title ?? id;
  const kind = KINDS[slot];
  switch (slot) {
    case 'environment':
      return { kind, choice: title, readouts: readoutsOf(parameters, [['slip', 'slip'], ['maxSteps', 'T']]) };
    case 'policy': {
      const widths = Array.isArray(parameters['hidden']) ? parameters['hidden'].join('-') : '';
      const activation = typeof parameters['activation'] === 'string' ? parameters['activation'] : '';
      return { kind, choice: [title, widths, activation].filter(Boolean).join(' '), readouts: shapes ? [formatWeights(shapes.parameterCount), 'weights'] : [] };
    }
    case 'rollout': {
      const steps = number(parameters, 'steps');
      const copies = number(parameters, 'copies');
      if (steps === undefined || copies === undefined) return { kind, choice: title, readouts: [] };
      return { kind, choice: `${steps} steps × ${copies}`, readouts: [formatWeights(steps * copies), 'samples'] };
    }
    case 'advantage':
      return { kind, choice: title, readouts: readoutsOf(parameters, [['gamma', 'γ'], ['lambda', 'λ']]) };
    case 'loss':
      return { kind, choice: title, readouts: lossReadouts(parameters) };
    case 'optimizer':
      return { kind, choice: title, readouts: readoutsOf(parameters, [['learningRate', ''], ['epsilon', 'ε']]) };
    default:
      return { kind, choice: title, readouts: [] };
  }
}

function lossReadouts(parameters: Settings): string[] {
  const epochs = number(parameters, 'epochs');
  const minibatches = number(parameters, 'minibatches');
  const passes = epochs === undefined || minibatches === undefined ? [] : [`${epochs} × ${minibatches}`];
  return [...readoutsOf(parameters, [['clip', 'ε']]), ...passes].slice(0, 2);
}

function readoutsOf(parameters: Settings, wanted: readonly (readonly [string, string])[]): string[] {
  return wanted.flatMap(([key, symbol]) => {
    const value = number(parameters, key);
    return value === undefined ? [] : [`${symbol} ${writeNumber(value)}`.trim()];
  });
}

/** Whole up to a million, with the thousands apart: 8,645. */
const formatWeights = (count: number) => (count < 1e6 ? count.toLocaleString('en') : formatCount(count));

/** What leaves the stage, by name and shape. */
export function wireText(slot: Slot, scenario: Scenario, shapes: Shapes | undefined): string {
  const { parameters } = scenario.slots.rollout;
  const steps = number(parameters, 'steps') ?? 'T';
  const copies = number(parameters, 'copies') ?? 'N';
  switch (slot) {
    case 'environment':
      return shapes ? `observation [${copies}, ${shapes.observationSize}]` : `observation, ${copies} copies`;
    case 'policy': {
      const name = shapes?.continuous ? 'mean' : 'logits';
      return `${name} [${copies}, ${shapes?.actionCount ?? 'A'}]`;
    }
    case 'rollout':
      return `trajectory [${steps}, ${copies}]`;
    case 'reward':
      return `reward [${steps}, ${copies}]`;
    case 'advantage':
      return `advantage [${steps}, ${copies}]`;
    case 'loss':
      return `gradient [${shapes ? formatWeights(shapes.parameterCount) : 'weights'}]`;
    case 'optimizer':
      return '';
  }
}
