/**
 * Named numbers of an environment as WGSL constants, so that its .wgsl reads like its source: the
 * setting `poleMass: 0.1` becomes `const POLE_MASS = 0.1;`. Constants are folded by the compiler
 * (in double precision, as abstract numbers) and cost nothing at run time.
 */

type Constant = number | boolean;

/** `floats` become abstract floats; `counts` become u32, flags become bool. */
export function wgslConstants(
  floats: Readonly<Record<string, number>>,
  counts: Readonly<Record<string, Constant>> = {},
): string {
  return [
    ...Object.entries(floats).map(([name, value]) => `const ${constantName(name)} = ${floatLiteral(value)};`),
    ...Object.entries(counts).map(
      ([name, value]) => `const ${constantName(name)} = ${typeof value === 'number' ? `${value}u` : value};`,
    ),
  ].join('\n');
}

/** A program's name with everything that its WGSL depends on: `cartpole[9.8,1,0.1]`. */
export function programName(id: string, ...settings: readonly Readonly<Record<string, Constant>>[]): string {
  return `${id}[${settings.flatMap((record) => Object.values(record)).join(',')}]`;
}

function constantName(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

function floatLiteral(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
