/**
 * Activations: y = f(x) and its derivative, in WGSL (to include in a layer's kernel) and in TypeScript.
 * Arguments are bounded before every `exp`, so that each saturates instead of overflowing.
 */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import backward from './activation_backward.wgsl?raw';
import forward from './activation_forward.wgsl?raw';

export interface Activation {
  /** Defines `activate(x) -> y`, and `activate_gradient(x or y) -> dy/dx`: of x where `needsInput`, else of y = f(x). */
  readonly wgsl: string;
  forward(x: number): number;
  gradient(x: number, y: number): number;
  /** Whether `gradient` looks at x; otherwise y alone will do, and x need not be kept. */
  readonly needsInput: boolean;
}

/** One minus two over e^2x + 1: on SwiftShader as quick as the built-in, which may overflow elsewhere (F20). */
export const TANH = 'fn bounded_tanh(x: f32) -> f32 { return 1.0 - 2.0 / (exp(min(2.0 * x, 40.0)) + 1.0); }';
export const SIGMOID = 'fn sigmoid(x: f32) -> f32 { return 1.0 / (1.0 + exp(min(-x, 88.0))); }';

/** Phi, the standard normal distribution function, and phi, its density (Abramowitz and Stegun 26.2.17: to 7.5e-8). */
const NORMAL = `
fn normal_density(x: f32) -> f32 { return 0.3989422804 * exp(-min(0.5 * x * x, 88.0)); }
fn normal_distribution(x: f32) -> f32 {
  let t = 1.0 / (1.0 + 0.2316419 * abs(x));
  let tail = normal_density(x) * t *
    (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return select(1.0 - tail, tail, x < 0.0);
}`;

/**
 * Twice the argument of tanh in the tanh form of GELU, since (1 + tanh z) / 2 = sigmoid(2z), which keeps its
 * digits near 0; and its derivative. The form is saturated long before the bound.
 */
const GELU_TANH = `
fn gelu_argument(x: f32) -> f32 { let c = clamp(x, -20.0, 20.0); return 1.5957691216 * c * (1.0 + 0.044715 * c * c); }
fn gelu_slope(x: f32) -> f32 { let c = clamp(x, -20.0, 20.0); return 1.5957691216 * (1.0 + 0.134145 * c * c); }`;

export const ACTIVATIONS = {
  identity: {
    wgsl: `
fn activate(x: f32) -> f32 { return x; }
fn activate_gradient(y: f32) -> f32 { return 1.0; }`,
    forward: (x) => x,
    gradient: () => 1,
    needsInput: false,
  },
  tanh: {
    wgsl: `${TANH}
fn activate(x: f32) -> f32 { return bounded_tanh(x); }
fn activate_gradient(y: f32) -> f32 { return 1.0 - y * y; }`,
    forward: (x) => Math.tanh(x),
    gradient: (_, y) => 1 - y * y,
    needsInput: false,
  },
  relu: {
    wgsl: `
fn activate(x: f32) -> f32 { return max(x, 0.0); }
fn activate_gradient(y: f32) -> f32 { return select(0.0, 1.0, y > 0.0); }`,
    forward: (x) => Math.max(x, 0),
    gradient: (_, y) => Number(y > 0),
    needsInput: false,
  },
  /** x Phi(x) (Hendrycks and Gimpel 2016). */
  gelu: {
    wgsl: `${NORMAL}
fn activate(x: f32) -> f32 { return x * normal_distribution(x); }
fn activate_gradient(x: f32) -> f32 { return normal_distribution(x) + x * normal_density(x); }`,
    forward: (x) => x * normalDistribution(x),
    gradient: (x) => normalDistribution(x) + x * normalDensity(x),
    needsInput: true,
  },
  /** The tanh form of GELU, as in GPT-2. */
  gelu_tanh: {
    wgsl: `${SIGMOID}${GELU_TANH}
fn activate(x: f32) -> f32 { return x * sigmoid(gelu_argument(x)); }
fn activate_gradient(x: f32) -> f32 {
  let s = sigmoid(gelu_argument(x));
  return s + x * s * (1.0 - s) * gelu_slope(x);
}`,
    forward: (x) => x * sigmoid(geluArgument(x)),
    gradient: (x, y) => sigmoid(geluArgument(x)) + y * (1 - sigmoid(geluArgument(x))) * geluSlope(x),
    needsInput: true,
  },
  sigmoid: {
    wgsl: `${SIGMOID}
fn activate(x: f32) -> f32 { return sigmoid(x); }
fn activate_gradient(y: f32) -> f32 { return y * (1.0 - y); }`,
    forward: sigmoid,
    gradient: (_, y) => y * (1 - y),
    needsInput: false,
  },
  silu: {
    wgsl: `${SIGMOID}
fn activate(x: f32) -> f32 { return x * sigmoid(x); }
fn activate_gradient(x: f32) -> f32 { let s = sigmoid(x); return s + x * s * (1.0 - s); }`,
    forward: (x) => x * sigmoid(x),
    gradient: (x, y) => sigmoid(x) + y * (1 - sigmoid(x)),
    needsInput: true,
  },
  softplus: {
    wgsl: `${SIGMOID}
fn activate(x: f32) -> f32 { return max(x, 0.0) + log(1.0 + exp(max(-abs(x), -80.0))); }
fn activate_gradient(x: f32) -> f32 { return sigmoid(x); }`,
    forward: (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
    gradient: sigmoid,
    needsInput: true,
  },
  leaky_relu: {
    wgsl: `
fn activate(x: f32) -> f32 { return max(x, 0.01 * x); }
fn activate_gradient(y: f32) -> f32 { return select(0.01, 1.0, y > 0.0); }`,
    forward: (x) => Math.max(x, 0.01 * x),
    gradient: (_, y) => (y > 0 ? 1 : 0.01),
    needsInput: false,
  },
  elu: {
    wgsl: `
fn activate(x: f32) -> f32 { return select(exp(clamp(x, -80.0, 0.0)) - 1.0, x, x > 0.0); }
fn activate_gradient(y: f32) -> f32 { return select(y + 1.0, 1.0, y > 0.0); }`,
    forward: (x) => (x > 0 ? x : Math.expm1(x)),
    gradient: (_, y) => (y > 0 ? 1 : y + 1),
    needsInput: false,
  },
} as const satisfies Readonly<Record<string, Activation>>;

export type ActivationName = keyof typeof ACTIVATIONS;

/** outputs = f(inputs), element by element. */
export function activationForward(kind: ActivationName) {
  const activation: Activation = ACTIVATIONS[kind];
  return defineKernel({
    name: `layer/activation[${kind}]`,
    wgsl: wgsl(activation.wgsl, forward),
    bindings: { inputs: 'read', outputs: 'write' },
    uniforms: { count: 'u32' },
    workgroups: ({ count }) => ceilDiv(count, 64),
    reference({ inputs, outputs }, { count }) {
      for (let i = 0; i < count; i++) outputs[i] = activation.forward(inputs[i]);
    },
  });
}

/** input_gradient = output_gradient ⊙ f'(inputs), with outputs = f(inputs). */
export function activationBackward(kind: ActivationName) {
  const activation: Activation = ACTIVATIONS[kind];
  return defineKernel({
    name: `layer/activation_backward[${kind}]`,
    wgsl: wgsl(activation.wgsl, `const OF_INPUT = ${activation.needsInput};`, backward),
    bindings: { inputs: 'read', outputs: 'read', output_gradient: 'read', input_gradient: 'write' },
    uniforms: { count: 'u32' },
    workgroups: ({ count }) => ceilDiv(count, 64),
    reference({ inputs, outputs, output_gradient, input_gradient }, { count }) {
      for (let i = 0; i < count; i++)
        input_gradient[i] = output_gradient[i] * activation.gradient(inputs[i], outputs[i]);
    },
  });
}

function bounded(x: number, by: number): number {
  return Math.min(by, Math.max(-by, x));
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function geluArgument(x: number): number {
  const c = bounded(x, 20);
  return 1.5957691216 * c * (1 + 0.044715 * c * c);
}

function geluSlope(x: number): number {
  const c = bounded(x, 20);
  return 1.5957691216 * (1 + 0.134145 * c * c);
}

function normalDensity(x: number): number {
  return 0.3989422804 * Math.exp(-Math.min(0.5 * x * x, 88));
}

function normalDistribution(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    normalDensity(x) * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x < 0 ? tail : 1 - tail;
}
