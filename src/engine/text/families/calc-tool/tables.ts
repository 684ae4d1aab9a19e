/** Tasks of the calculator: operators as tables, and an expression that is worked out from left to right. */
import { remembered, taskRandom } from '../shared';

export interface TaskSettings {
  /** Digits 0 … base − 1. */
  readonly base: number;
  readonly operators: number;
  /** The tables are those of arithmetic, the same in every task; otherwise they are drawn for each. */
  readonly known: boolean;
  readonly operandsMin: number;
  readonly operandsMax: number;
}

/** `cells[x · base + y]` is what the operator makes of x and y. */
export type Table = readonly number[];

export interface Task {
  readonly tables: readonly Table[];
  readonly operands: readonly number[];
  /** One between each two operands. */
  readonly operators: readonly number[];
  /** What has been worked out after each operator; the last is the answer. */
  readonly results: readonly number[];
}

interface Operator {
  readonly name: string;
  of(x: number, y: number): number;
}
const ARITHMETIC: readonly Operator[] = [
  { name: '+', of: (x, y) => x + y },
  { name: '×', of: (x, y) => x * y },
  { name: '−', of: (x, y) => x - y },
  { name: 'max', of: Math.max },
];
const DRAWN = ['∘', '⋆', '⋄', '•'];
export const MOST_OPERATORS = ARITHMETIC.length;

export function operatorNames({ known, operators }: TaskSettings): string[] {
  return (known ? ARITHMETIC.map(({ name }) => name) : DRAWN).slice(0, operators);
}

/** Task by number. */
export function taskGenerator(settings: TaskSettings): (number: number) => Task {
  const { base, operators: count, known, operandsMin, operandsMax } = settings;
  const cells = Array.from({ length: base * base }, (_, cell) => cell);
  const arithmetic = ARITHMETIC.slice(0, count).map(({ of }) =>
    cells.map((cell) => (of(Math.floor(cell / base), cell % base) + base) % base),
  );
  return remembered((number) => {
    const random = taskRandom(number);
    const length = operandsMin + random.below(operandsMax - operandsMin + 1);
    const operands = Array.from({ length }, () => random.below(base));
    const operators = Array.from({ length: length - 1 }, () => random.below(count));
    const tables = known ? arithmetic : arithmetic.map((table) => table.map(() => random.below(base)));
    const results: number[] = [];
    for (const [step, operator] of operators.entries()) {
      const left = step === 0 ? operands[0] : results[step - 1];
      results.push(tables[operator][left * base + operands[step + 1]]);
    }
    return { tables, operands, operators, results };
  });
}
