/** FrozenLake-v1: cross the ice without falling into a hole. The table is built from Gymnasium's rules. */
import type { Outcome, TransitionTable } from '../../../kernels/environment/mdp';
import { type AnyParameters, checkParameters, type Parameters, type Problem, type Schema } from '../parameters';
import { boardProblems, mapRows, symbolProblem } from './board';
import type { Built, ControlEnvironment } from './environment';
import { mdpInstance, plainBoard } from './mdp-world';

const MAPS: Readonly<Record<string, readonly string[]>> = {
  '4x4': ['SFFF', 'FHFH', 'FFFH', 'HFFG'],
  '8x8': ['SFFFFFFF', 'FFFFFFFF', 'FFFHFFFF', 'FFFFFHFF', 'FFFHFFFF', 'FHHFFFHF', 'FHFFHFHF', 'FFFHFFFG'],
};
const LABELS: Readonly<Record<string, string>> = { S: 'start', F: '', H: 'hole', G: 'goal' };
/** By action: left, down, right, up, as [dx, dy]. Slipping takes a neighbour in this ring. */
const MOVES = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
] as const;

const schema = {
  map: {
    kind: 'choice',
    label: 'Map',
    default: '4x4',
    options: [
      { value: '4x4', label: '4×4' },
      { value: '8x8', label: '8×8' },
      { value: 'custom', label: 'Your own' },
    ],
    help: 'Where ice and holes are. On the larger map the goal is rarely met by chance.',
  },
  customMap: {
    kind: 'text',
    label: 'Your own map',
    default: 'SFFF\nFHFF\nFFHF\nHFFG',
    maxLength: 2000,
    help: 'For "your own": one letter a cell, S start, F frozen, H hole, G goal; a row a line.',
  },
  slippery: {
    kind: 'flag',
    label: 'Slippery',
    default: true,
    help: 'On ice a move may go sideways; off, every move goes where it is meant to.',
  },
  successRate: {
    kind: 'number',
    label: 'Grip',
    default: 1 / 3,
    min: 0,
    max: 1,
    help: 'On slippery ice, the probability of moving as intended; the rest is shared by the two sides.',
  },
  maxSteps: {
    kind: 'number',
    label: 'Time limit',
    default: 0,
    min: 0,
    max: 10_000,
    integer: true,
    unit: 'steps',
    help: 'An episode is truncated after so many steps. 0: Gymnasium’s, 100 (200 on the 8×8 map).',
  },
} satisfies Schema;

export const frozenLake: ControlEnvironment<typeof schema> = {
  id: 'frozen-lake',
  title: 'FrozenLake-v1',
  summary: 'Cross the ice to the goal without falling into a hole; on slippery ice a move may go sideways.',
  formula: 'reward 1 at the goal, else 0',
  source: 'Farama-Foundation/Gymnasium gymnasium/envs/toy_text/frozen_lake.py',
  parameters: schema,
  build(given: AnyParameters, path: string): Built {
    const { parameters, problems } = checkParameters(schema, given, path);
    const rows = MAPS[parameters.map] ?? mapRows(parameters.customMap);
    problems.push(...mapProblems(rows, `${path}.customMap`));
    if (problems.length > 0) return { problems };
    const labels = rows.flatMap((row) => [...row].map((letter) => LABELS[letter]));
    const threshold = ({ '4x4': 0.7, '8x8': 0.85 } as Record<string, number>)[parameters.map];
    const solvedAt =
      threshold !== undefined && parameters.slippery
        ? { solvedAt: { value: threshold, label: 'solved (Gymnasium)' } }
        : {};
    return { instance: mdpInstance(frozenLakeTable(rows, parameters), plainBoard(rows[0].length, labels), solvedAt) };
  },
};

function mapProblems(rows: readonly string[], path: string): Problem[] {
  const problems = boardProblems(
    rows.map((row) => row.length),
    { min: 2, max: 25 },
    path,
  );
  for (const [row, text] of rows.entries()) {
    for (const [column, letter] of [...text].entries()) {
      if (Object.hasOwn(LABELS, letter)) continue;
      problems.push(
        symbolProblem(row, column, `${JSON.stringify(letter)} is not a letter of this map; known: S, F, H, G`, path),
      );
    }
  }
  if (!rows.some((row) => row.includes('S'))) problems.push({ path, message: 'has no start (S)' });
  if (!rows.some((row) => row.includes('G')))
    problems.push({ path, message: 'has no goal (G): no episode could succeed' });
  return problems;
}

/** Gymnasium's transition table of these rows: the intended move lies between the two slips. */
export function frozenLakeTable(
  rows: readonly string[],
  { slippery, successRate, maxSteps }: Pick<Parameters<typeof schema>, 'slippery' | 'successRate' | 'maxSteps'>,
): TransitionTable {
  const [width, height] = [rows[0].length, rows.length];
  const letters = rows.flatMap((row) => [...row]);
  const move = (state: number, action: number, probability: number): Outcome => {
    const [dx, dy] = MOVES[action];
    const x = Math.min(Math.max((state % width) + dx, 0), width - 1);
    const y = Math.min(Math.max(Math.floor(state / width) + dy, 0), height - 1);
    const letter = letters[y * width + x];
    return {
      probability,
      next: y * width + x,
      reward: Number(letter === 'G'),
      terminated: letter === 'G' || letter === 'H',
      success: letter === 'G',
    };
  };
  const slip = (1 - successRate) / 2;
  const outcomes = letters.map((letter, state) =>
    MOVES.map((_, action): Outcome[] => {
      if (letter === 'G' || letter === 'H')
        return [{ probability: 1, next: state, reward: 0, terminated: true, success: false }];
      if (!slippery) return [move(state, action, 1)];
      return [
        move(state, (action + 3) % 4, slip),
        move(state, action, successRate),
        move(state, (action + 1) % 4, slip),
      ];
    }),
  );
  const starts = letters.filter((letter) => letter === 'S').length;
  return {
    actions: ['left', 'down', 'right', 'up'],
    outcomes,
    start: letters.map((letter) => (letter === 'S' ? 1 / starts : 0)),
    maxSteps: maxSteps || (letters.length >= 64 ? 200 : 100),
  };
}
