/** Reading a text map: rows of symbols, with every fault named by row and column (from 1). */
import type { Problem } from '../parameters';

/** Rows of a map without the blanks around them; blank rows at its ends do not count. */
export function mapRows(map: string): string[] {
  return map
    .trim()
    .split(/\r?\n/)
    .map((row) => row.trim());
}

/** Why rows of so many cells are no board; nothing when they are. */
export function boardProblems(
  counts: readonly number[],
  { min, max }: { min: number; max: number },
  path: string,
): Problem[] {
  const [width] = counts;
  const problems: Problem[] = [];
  if (counts.length < min || counts.length > max)
    problems.push({ path, message: `must have ${min} to ${max} rows, not ${counts.length}` });
  if (width < min || width > max)
    problems.push({ path, message: `row 1 must have ${min} to ${max} cells, not ${width}` });
  for (const [row, count] of counts.entries()) {
    if (count !== width)
      problems.push({
        path,
        message: `row ${row + 1} has ${count} cells, row 1 has ${width}: all rows must be equally long`,
      });
  }
  return problems;
}

/** A map that is wrong all over: so many faults are enough to read. */
const MOST_PROBLEMS = 20;

/** The first problems, and how many more there are. */
export function fewProblems(problems: readonly Problem[]): Problem[] {
  const more = problems.length - MOST_PROBLEMS;
  if (more <= 0) return [...problems];
  return [...problems.slice(0, MOST_PROBLEMS), { path: problems[0].path, message: `has ${more} more faults` }];
}

export function symbolProblem(row: number, column: number, message: string, path: string): Problem {
  return { path, message: `row ${row + 1}, column ${column + 1}: ${message}` };
}
