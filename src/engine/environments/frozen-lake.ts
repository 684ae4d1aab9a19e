/** FrozenLake-v1: cross the ice without falling into a hole. */
import { FROZEN_LAKE_MAPS, frozenLakeTable } from '../../../kernels/environment/tables/frozen-lake';
import { type AnyParameters, checkParameters, type Problem, type Schema } from '../parameters';
import { boardProblems, fewProblems, mapRows, symbolProblem } from './board';
import type { Built, ControlEnvironment } from './environment';
import { mdpInstance, plainBoard } from './mdp-world';

const LABELS: Readonly<Record<string, string>> = { S: 'start', F: '', H: 'hole', G: 'goal' };
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
    const rows = FROZEN_LAKE_MAPS[parameters.map] ?? mapRows(parameters.customMap);
    problems.push(...mapProblems(rows, `${path}.customMap`));
    if (problems.length > 0) return { problems };
    const labels = rows.flatMap((row) => [...row].map((letter) => LABELS[letter]));
    const threshold = ({ '4x4': 0.7, '8x8': 0.85 } as Record<string, number>)[parameters.map];
    const solvedAt =
      threshold !== undefined && parameters.slippery
        ? { solvedAt: { value: threshold, label: 'solved (Gymnasium)' } }
        : {};
    const maxSteps = parameters.maxSteps || (parameters.map === '8x8' ? 200 : 100);
    const table = frozenLakeTable(rows, { ...parameters, maxSteps });
    return { instance: mdpInstance(table, plainBoard(rows[0].length, labels), solvedAt) };
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
  return fewProblems(problems);
}
