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
  type Local,
  load,
  loop,
  type NewLocal,
  select,
  set,
  store,
  type WasmFunction,
  wasmFunction,
} from './assembler';
import { exp, polynomial } from './exponential';

/** Code that leaves f(x), and code that leaves f'(x), given y = f(x). */
interface Formula {
  value(x: Local, local: NewLocal): Code;
  slope(x: Local, y: Local, local: NewLocal): Code;
}

const { constant, add, subtract, multiply, divide, negate, atMost, atLeast } = f32x4;
const ONE = constant(1);

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

function sigmoid(of: Code, local: NewLocal): Code {
  const x = local('v128');
  return block(set(x, negate(of)), divide(ONE, add(ONE, exp(x, local))));
}

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
