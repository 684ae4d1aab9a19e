/** The exponential function in SIMD, and polynomials. */
import { and, block, type Code, f32x4, get, i32x4, type Local, type NewLocal, not, set } from './assembler';

const { constant, add, subtract, multiply, atMost, atLeast } = f32x4;

const COEFFICIENTS = [
  ...[1, 1, 0.5, 1.6666665459e-1, 4.1665795894e-2],
  ...[8.3334519073e-3, 1.3981999507e-3, 1.98756915e-4],
];

/** c₀ + x (c₁ + x (c₂ + …)). */
export function polynomial(x: Local, coefficients: readonly number[]): Code {
  return coefficients
    .slice(0, -1)
    .reduceRight((sum, c) => add(multiply(sum, get(x)), constant(c)), constant(coefficients[coefficients.length - 1]));
}

/** eˣ as 2ⁿ eʳ with r at most ln 2 / 2, to about 1e-7 of its value; 0 below -87. Coefficients: Cephes, expf. */
export function exp(value: Local, local: NewLocal): Code {
  const [x, n, r] = [local('v128'), local('v128'), local('v128')];
  const power = i32x4.shiftLeft(i32x4.add(f32x4.toI32(get(n)), i32x4.constant(127)), 23);
  return block(
    set(x, atLeast(atMost(get(value), constant(88)), constant(-87))),
    set(n, f32x4.nearest(multiply(get(x), constant(Math.LOG2E)))),
    // ln 2 in two parts, the first of which has few digits, so that its multiples are exact.
    set(r, subtract(get(x), multiply(get(n), constant(0.693359375)))),
    set(r, add(get(r), multiply(get(n), constant(2.1219444e-4)))),
    and(multiply(polynomial(r, COEFFICIENTS), power), not(f32x4.less(get(value), constant(-87)))),
  );
}
