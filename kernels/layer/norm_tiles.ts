/**
 * The tuned forms of a normalisation's two kernels over rows: WGSL generated for one width. They compute what
 * norm.wgsl and norm_backward_input.wgsl compute, with the same bindings and uniforms. An invocation keeps its
 * row in registers, so that each number is loaded once.
 */
import { type ArrayLengths, sized, type Tile } from './linear_tiles';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const lines = (n: number, line: (i: number) => string) => range(n).map(line).join('\n');

/** The tuned forms read whole vec4s. */
export function isTunable(width: number): boolean {
  return width % 4 === 0;
}

function vectors(interface_: string, names: readonly string[]): string {
  return names.reduce((text, name) => text.replace(`> ${name}: array<f32>`, `> ${name}: array<vec4f>`), interface_);
}

const module = ({ workgroup }: Tile, width: number, interface_: string, body: string) => `
${interface_}
@compute @workgroup_size(${workgroup})
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let row = (wg.y * count.x + wg.x) * ${workgroup}u + l;
  if (row >= u.rows) { return; }
  let at = row * ${width / 4}u;
  ${body}
}`;

/** All of a row into registers. */
const held = (name: string, array: string, width: number) =>
  `var ${name}: array<vec4f, ${width / 4}>; ${lines(width / 4, (v) => `${name}[${v}] = ${array}[at + ${v}u];`)}`;

const parametersAt = (first: string, v: number) =>
  `vec4f(${range(4)
    .map((c) => `parameters[${first} + ${4 * v + c}u]`)
    .join(', ')})`;

export function normForwardTuned(layer: boolean, width: number, tile: Tile, interface_: string): string {
  const all = range(width / 4);
  return module(
    tile,
    width,
    vectors(interface_, ['input', 'output']),
    `${held('x', 'input', width)}
  let mean = ${layer ? `dot(${all.map((v) => `x[${v}]`).join(' + ')}, vec4f(${1 / width}))` : '0.0'};
  var squares = 0.0;
  ${lines(all.length, (v) => `{ let d = x[${v}] - mean; squares = squares + dot(d, d); }`)}
  let factor = inverseSqrt(squares / ${width}.0 + u.epsilon);
  statistics[2u * row] = mean;
  statistics[2u * row + 1u] = factor;
  let weight0 = u.weight;
  let bias0 = u.bias;
  ${lines(
    all.length,
    (v) =>
      `output[at + ${v}u] = (x[${v}] - mean) * factor * ${parametersAt('weight0', v)}${layer ? ` + ${parametersAt('bias0', v)}` : ''};`,
  )}`,
  );
}

export function normBackwardInputTuned(
  layer: boolean,
  width: number,
  tile: Tile,
  lengths: ArrayLengths,
  interface_: string,
): string {
  const all = range(width / 4);
  return module(
    tile,
    width,
    sized(vectors(interface_, ['gradient', 'input', 'result']), lengths),
    `${held('x', 'input', width)}
  ${held('g', 'gradient', width)}
  let mean = statistics[2u * row];
  let factor = statistics[2u * row + 1u];
  var level = 0.0;
  var slope = 0.0;
  let weight0 = u.weight;
  let added = u.accumulate == 1u;
  ${lines(
    all.length,
    (v) => `g[${v}] = g[${v}] * ${parametersAt('weight0', v)};
    ${layer ? `level = level + dot(g[${v}], vec4f(1.0));` : ''}
    slope = slope + dot(g[${v}], x[${v}] - mean);`,
  )}
  level = level / ${width}.0;
  slope = slope * factor * factor / ${width}.0;
  ${lines(
    all.length,
    (v) => `{ let d = factor * (g[${v}] - level - (x[${v}] - mean) * slope);
      result[at + ${v}u] = d + select(vec4f(), result[at + ${v}u], added); }`,
  )}`,
  );
}
