/**
 * The text twin of every drawing: one sentence for a screen reader, and the numbers that stand beside
 * the world. What a person sees and what a person hears come from the same view.
 */
import type { View } from '../../engine/view';
import { plainNumber } from './board';
import { cellName, DIRECTIONS, isObject } from './minigrid';

export interface ReadOut {
  readonly label: string;
  readonly value: string;
  readonly unit: string;
}

const degrees = (radians: number) => (radians * 180) / Math.PI;

/** An angle in −180° … 180°. */
function wrapped(radians: number): number {
  const turn = 2 * Math.PI;
  return radians - turn * Math.round(radians / turn);
}

/** A number with a fixed count of digits and a sign always, so that its width does not change. */
export function signedNumber(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : `+${text}`;
}

export function readOuts(view: View): readonly ReadOut[] {
  switch (view.kind) {
    case 'cartpole':
      return [
        { label: 'position', value: signedNumber(view.position, 2), unit: ' m' },
        { label: 'angle', value: signedNumber(degrees(view.angle), 1), unit: '°' },
      ];
    case 'mountain-car':
      return [{ label: 'position', value: signedNumber(view.position, 2), unit: '' }];
    case 'acrobot':
      return [{ label: 'tip height', value: signedNumber(acrobotHeight(view.angles), 2), unit: ' m' }];
    case 'pendulum':
      return [
        { label: 'angle', value: signedNumber(degrees(wrapped(view.angle)), 0), unit: '°' },
        { label: 'torque', value: signedNumber(view.torque, 2), unit: ' N m' },
      ];
    case 'grid':
      return [{ label: 'carrying', value: view.carrying === null ? 'nothing' : cellName(view.carrying), unit: '' }];
    case 'mdp':
      return view.caption === undefined ? [] : [{ label: '', value: view.caption, unit: '' }];
    case 'bandit':
      return [];
  }
}

/** What the lines of the drawing stand for, where no word in it says so. */
export function marksOf(view: View): string {
  switch (view.kind) {
    case 'cartpole':
      return 'arrow: push · beyond the dashes the episode ends';
    case 'mountain-car':
      return 'arrow: push';
    case 'acrobot':
      return 'arrow: torque · thin line: way of the tip';
    case 'pendulum':
      return 'arrow: torque';
    case 'grid':
      return view.visible === undefined ? '' : 'dashes: what the policy sees';
    case 'mdp':
      return '';
    case 'bandit':
      return 'bar: true mean · ring: last reward · ×: pulls shown';
  }
}

/** Height of Acrobot's tip over its pivot, both links 1 m long (Gymnasium: −cos θ1 − cos(θ1 + θ2)). */
export function acrobotHeight([first, second]: readonly [number, number]): number {
  return -Math.cos(first) - Math.cos(first + second);
}

const side = (value: number) => (value < 0 ? 'left' : 'right');

/** One sentence: what the drawing shows. */
export function describe(view: View): string {
  switch (view.kind) {
    case 'cartpole':
      return `Cart ${Math.abs(view.position).toFixed(2)} m ${side(view.position)} of the middle, pole leaning ${Math.abs(degrees(view.angle)).toFixed(1)}° to the ${side(view.angle)}`;
    case 'mountain-car':
      return `Car at ${plainNumber(view.position, 2)} in the valley; the flag is at ${plainNumber(view.goal)}`;
    case 'acrobot':
      return `Tip ${Math.abs(acrobotHeight(view.angles)).toFixed(2)} m ${acrobotHeight(view.angles) < 0 ? 'below' : 'above'} the pivot; the line to reach is 1 m above`;
    case 'pendulum':
      return `Rod ${Math.abs(degrees(wrapped(view.angle))).toFixed(0)}° from upright, torque ${plainNumber(view.torque, 2)} newton metres`;
    case 'grid':
      return describeGrid(view);
    case 'mdp':
      return describeMdp(view);
    case 'bandit':
      return `${view.means.length} arms${view.lastArm < 0 ? '' : `, arm ${view.lastArm + 1} pulled last, reward ${plainNumber(view.lastReward)}`}`;
  }
}

type Grid = Extract<View, { kind: 'grid' }>;

function describeGrid(view: Grid): string {
  const objects = view.cells.flatMap((cell, i) =>
    isObject(cell) ? [`${cellName(cell)} at column ${i % view.width}, row ${Math.floor(i / view.width)}`] : [],
  );
  const held = view.carrying === null ? '' : `, carrying a ${cellName(view.carrying)}`;
  const listed = objects.length > 12 ? [...objects.slice(0, 12), `and ${objects.length - 12} more`] : objects;
  return [`${view.width} by ${view.height} cells`, `agent ${describePlace(view)}${held}`, ...listed].join('; ');
}

function describeMdp(view: Extract<View, { kind: 'mdp' }>): string {
  const caption = view.caption === undefined ? '' : `; ${view.caption}`;
  return `${view.width} by ${view.height} cells; agent ${describePlace(view)}${caption}`;
}

/** Where the agent is: "at column 2, row 3, facing up", "at column 0, row 0 (start)". */
export function describePlace(view: Extract<View, { kind: 'grid' | 'mdp' }>): string {
  if (view.kind === 'grid') {
    return `at column ${view.agent.x}, row ${view.agent.y}, facing ${DIRECTIONS[view.agent.direction] ?? 'right'}`;
  }
  const label = view.labels[view.cell] ?? '';
  return `at column ${view.cell % view.width}, row ${Math.floor(view.cell / view.width)}${label === '' ? '' : ` (${label})`}`;
}
