/**
 * Activations and their derivatives in WebAssembly SIMD, four numbers at once: the formulas of
 * layer/activation.ts. Each is a function over an array in the module's memory.
 */
import type { ActivationName } from '../layer/activation';
import {
  block,
  type Code,
  f32x4,
  get,
  i32,
  i32x4,
  type Local,
  type LocalType,
  load,
  loop,
  select,
  set,
  store,
  type WasmFunction,
  wasmFunction,
} from './assembler';

type NewLocal = (type: LocalType) => Local;

/** Code that leaves f(x), and code that leaves f'(x), given y = f(x). */
interface Formula {
  value(x: Local, local: NewLocal): Code;
  slope(x: Local, y: Local, local: NewLocal): Code;
}

const { constant, add, subtract, multiply, divide, negate, atMost, atLeast } = f32x4;
const ONE = constant(1);

/** c₀ + x (c₁ + x (c₂ + …)). */
function polynomial(x: Local, coefficients: readonly number[]): Code {
  return coefficients
    .slice(0, -1)
    .reduceRight((sum, c) => add(multiply(sum, get(x)), constant(c)), constant(coefficients[coefficients.length - 1]));
}

/** eˣ as 2ⁿ eʳ with r at most ln 2 / 2; to about 1e-7 of its value. Coefficients: Cephes, expf. */
function exp(of: Code, local: NewLocal): Code {
  const [x, n, r] = [local('v128'), local('v128'), local('v128')];
  const power = i32x4.shiftLeft(i32x4.add(f32x4.toI32(get(n)), i32x4.constant(127)), 23);
  return block(
    set(x, atLeast(atMost(of, constant(88)), constant(-87))),
    set(n, f32x4.nearest(multiply(get(x), constant(Math.LOG2E)))),
    // ln 2 in two parts, the first of which has few digits, so that its multiples are exact.
    set(r, subtract(get(x), multiply(get(n), constant(0.693359375)))),
    set(r, add(get(r), multiply(get(n), constant(2.1219444e-4)))),
    multiply(
      polynomial(r, [1, 1, 0.5, 1.6666665459e-1, 4.1665795894e-2, 8.3334519073e-3, 1.3981999507e-3, 1.98756915e-4]),
      power,
    ),
  );
}

/** A quotient of polynomials, to about 4e-7 of its value, also near 0. Coefficients: Eigen, generic_fast_tanh_float. */
function tanh(of: Local, local: NewLocal): Code {
  const [x, q] = [local('v128'), local('v128')];
  const above = [4.89352455891786e-3, 6.37261928875436e-4, 1.48572235717979e-5, 5.12229709037114e-8];
  const higher = [-8.60467152213735e-11, 2.00018790482477e-13, -2.76076847742355e-16];
  const below = [4.89352518554385e-3, 2.268434632439e-3, 1.18534705686654e-4, 1.19825839466702e-6];
  return block(
    set(x, atLeast(atMost(get(of), constant(7.9988117)), constant(-7.9988117))),
    set(q, multiply(get(x), get(x))),
    divide(multiply(get(x), polynomial(q, [...above, ...higher])), polynomial(q, below)),
  );
}

const sigmoid = (of: Code, local: NewLocal): Code => divide(ONE, add(ONE, exp(negate(of), local)));

/** 2 z in (1 + tanh z) / 2 = sigmoid(2 z), and its derivative. */
const bounded = (x: Local) => atLeast(atMost(get(x), constant(20)), constant(-20));
const geluArgument = (c: Local) =>
  multiply(multiply(constant(1.5957691216), get(c)), add(ONE, multiply(multiply(constant(0.044715), get(c)), get(c))));
const geluSlope = (c: Local) =>
  multiply(constant(1.5957691216), add(ONE, multiply(multiply(constant(0.134145), get(c)), get(c))));

/** s + y (1 − s) · inner: the derivative of x · sigmoid(g(x)) with g' = inner. */
const gatedSlope = (s: Local, y: Local, inner: Code): Code =>
  add(get(s), multiply(multiply(get(y), subtract(ONE, get(s))), inner));

const FORMULAS: Partial<Readonly<Record<ActivationName, Formula>>> = {
  tanh: {
    value: tanh,
    slope: (_, y) => subtract(ONE, multiply(get(y), get(y))),
  },
  relu: {
    value: (x) => atLeast(get(x), constant(0)),
    slope: (_, y) => select(f32x4.greater(get(y), constant(0)), ONE, constant(0)),
  },
  sigmoid: {
    value: (x, local) => sigmoid(get(x), local),
    slope: (_, y) => multiply(get(y), subtract(ONE, get(y))),
  },
  silu: {
    value: (x, local) => multiply(get(x), sigmoid(get(x), local)),
    slope(x, y, local) {
      const s = local('v128');
      return block(set(s, sigmoid(get(x), local)), gatedSlope(s, y, ONE));
    },
  },
  gelu_tanh: {
    value(x, local) {
      const c = local('v128');
      return block(set(c, bounded(x)), multiply(get(x), sigmoid(geluArgument(c), local)));
    },
    slope(x, y, local) {
      const [c, s] = [local('v128'), local('v128')];
      return block(set(c, bounded(x)), set(s, sigmoid(geluArgument(c), local)), gatedSlope(s, y, geluSlope(c)));
    },
  },
};

/** Each activation's `NAME(y, end)`: y = f(y); and `NAME_slope(d, end, x, y)`: d = d ⊙ f'(x). Addresses in bytes. */
export const ACTIVATION_FUNCTIONS: readonly WasmFunction[] = Object.entries(FORMULAS).flatMap(([name, formula]) => [
  wasmFunction(name, ['y', 'end'], (p, local) => {
    const x = local('v128');
    return loop(p.y, i32.constant(16), p.end, block(set(x, load(get(p.y))), store(get(p.y), formula.value(x, local))));
  }),
  wasmFunction(`${name}_slope`, ['d', 'end', 'x', 'y'], (p, local) => {
    const [x, y] = [local('v128'), local('v128')];
    return loop(
      p.d,
      i32.constant(16),
      p.end,
      block(
        set(x, load(get(p.x))),
        set(y, load(get(p.y))),
        store(get(p.d), multiply(load(get(p.d)), formula.slope(x, y, local))),
        set(p.x, i32.add(get(p.x), i32.constant(16))),
        set(p.y, i32.add(get(p.y), i32.constant(16))),
      ),
    );
  }),
]);
