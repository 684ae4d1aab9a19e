/** The new value of a parameter, or the old one where the new is not finite in single precision; the twin of finite_or.wgsl. */
export function finiteOr(value: number, old: number): number {
  return Number.isFinite(Math.fround(value)) ? value : old;
}
