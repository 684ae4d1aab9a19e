/**
 * Which key does which action when a person plays. Keys follow the names of the actions, so that a
 * new environment gets its keys without a line here; what has no name of a movement gets a digit.
 */
import type { ActionKeys, KeyMap, WorldActions } from './props';

/** Keys that the play view keeps for itself. */
export const PLAY_KEYS = { leave: 'Escape', restart: 'r', hint: 'h', pause: 'p' } as const;

interface Rule {
  readonly name: RegExp;
  readonly keys: readonly string[];
}

/** The first rule that fits a name gives the keys: movements before objects, so "turn left" is a left. */
const RULES: readonly Rule[] = [
  { name: /pick.?up/, keys: ['e'] },
  { name: /drop/, keys: ['q'] },
  { name: /toggle|open/, keys: [' '] },
  { name: /done|finish/, keys: ['Enter'] },
  { name: /left|west/, keys: ['ArrowLeft', 'a'] },
  { name: /right|east/, keys: ['ArrowRight', 'd'] },
  { name: /forward|up|north/, keys: ['ArrowUp', 'w'] },
  { name: /down|south|back/, keys: ['ArrowDown', 's'] },
];

/** Names of an action that does nothing: in a world that moves on by itself it is what no key means. */
const IDLE = /^(none|nothing|no\b|no-?op|idle|coast|stay|stand|wait|rest|neutral|torque 0\b|0\b)/;

/** Index of the action that no key stands for; null where every action does something. */
export function idleAction(actions: WorldActions): number | null {
  if (actions.continuous) return null;
  const index = actions.names.findIndex((name) => IDLE.test(name.trim().toLowerCase()));
  return index < 0 ? null : index;
}

export function defaultKeys(actions: WorldActions): KeyMap {
  return actions.continuous ? continuousKeys(actions) : discreteKeys(actions.names);
}

function discreteKeys(names: readonly string[]): KeyMap {
  const taken = new Set<string>();
  return names.map((name, index) => {
    const word = signed(name.trim().toLowerCase());
    const rule = RULES.find((candidate) => candidate.name.test(word));
    const keys = (rule?.keys ?? []).filter((key) => !taken.has(key));
    const digit = index < 9 ? [String(index + 1)] : index === 9 ? ['0'] : [];
    const chosen = keys.length > 0 ? keys : digit;
    for (const key of chosen) taken.add(key);
    return { keys: chosen, label: sentenceCase(name) };
  });
}

/** A torque or a force named by its number: below 0 is left, above is right. */
function signed(name: string): string {
  const number = /([+\-−])\s*\d/.exec(name);
  if (number === null || /left|right/.test(name)) return name;
  return number[1] === '+' ? 'right' : 'left';
}

const CONTINUOUS_PAIRS: readonly (readonly [string, string])[] = [
  ['ArrowLeft', 'ArrowRight'],
  ['ArrowDown', 'ArrowUp'],
];

function continuousKeys(actions: WorldActions): KeyMap {
  return actions.low.flatMap((_, dimension): ActionKeys[] => {
    const name = actions.names[dimension] ?? `action ${dimension + 1}`;
    const pair = CONTINUOUS_PAIRS[dimension];
    return [
      { keys: pair === undefined ? [] : [pair[0]], label: `${sentenceCase(name)} −` },
      { keys: pair === undefined ? [] : [pair[1]], label: `${sentenceCase(name)} +` },
    ];
  });
}

function sentenceCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Index into the key map for a pressed key; null when it is nobody's. */
export function actionFor(map: KeyMap, key: string): number | null {
  const wanted = key.length === 1 ? key.toLowerCase() : key;
  const index = map.findIndex((entry) => entry.keys.includes(wanted));
  return index < 0 ? null : index;
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ' ': 'Space',
  Escape: 'Esc',
};

/** What is printed on the key. */
export function keyName(key: string): string {
  return KEY_NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}

/** For `aria-keyshortcuts`. */
export function keyShortcut(keys: readonly string[]): string {
  return keys.map((key) => (key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key)).join(' ');
}

/** Single keys do nothing while a person types. */
export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type);
}
