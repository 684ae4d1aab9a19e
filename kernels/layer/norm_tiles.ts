/**
 * The tuned forms of a normalisation's two kernels over rows: WGSL generated for one width. They compute what
 * norm.wgsl and norm_backward_input.wgsl compute, with the same bindings and uniforms. As in linear_tiles.ts an
 * invocation keeps `rows` rows in registers: each number is loaded once, and a weight serves all rows.
 */
import type { Tile } from './linear_tiles';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const lines = (n: number, line: (i: number) => string) => range(n).map(line).join('\n');

/** The tuned forms read whole vec4s. */
export function isTunable(width: number): boolean {
  return width % 4 === 0;
}

function vectors(interface_: string, names: readonly string[]): string {
  return names.reduce((text, name) => text.replace(`> ${name}: array<f32>`, `> ${name}: array<vec4f>`), interface_);
}

const module = ({ rows, workgroup }: Tile, interface_: string, body: string) => `
${interface_}
@compute @workgroup_size(${workgroup})
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let r = ((wg.y * count.x + wg.x) * ${workgroup}u + l) * ${rows}u;
  if (r >= u.rows) { return; }
  ${body}
}`;

/** Rows past the last are computed again from the last one, and written to it again. */
const places = (rows: number, width: number) =>
  lines(rows, (i) => `let row${i} = min(r + ${i}u, u.rows - 1u); let at${i} = row${i} * ${width / 4}u;`);

/** All of a row into registers; a short loop compiles far quicker than as many names. */
const fill = (rows: number, width: number, names: Readonly<Record<string, string>>) => `
  ${Object.keys(names)
    .map((name) => lines(rows, (i) => `var ${name}${i}: array<vec4f, ${width / 4}>;`))
    .join('\n')}
  for (var v = 0u; v < ${width / 4}u; v++) {
    ${Object.entries(names)
      .map(([name, array]) => lines(rows, (i) => `${name}${i}[v] = ${array}[at${i} + v];`))
      .join('\n')}
  }`;

const parametersAt = (first: string, v: number) =>
  `vec4f(${range(4)
    .map((c) => `parameters[${first} + ${4 * v + c}u]`)
    .join(', ')})`;

export function normForwardTuned(layer: boolean, width: number, tile: Tile, interface_: string): string {
  const { rows } = tile;
  const all = range(width / 4);
  return module(
    tile,
    vectors(interface_, ['input', 'output']),
    `${places(rows, width)}
  ${fill(rows, width, { x: 'input' })}
  ${lines(
    rows,
    (
      i,
    ) => `${layer ? `let mean${i} = dot(${all.map((v) => `x${i}[${v}]`).join(' + ')}, vec4f(${1 / width}));` : `let mean${i} = 0.0;`}
  var squares${i} = 0.0;
  ${lines(all.length, (v) => `{ let d = x${i}[${v}] - mean${i}; squares${i} = squares${i} + dot(d, d); }`)}
  let factor${i} = inverseSqrt(squares${i} / ${width}.0 + u.epsilon);
  statistics[2u * row${i}] = mean${i};
  statistics[2u * row${i} + 1u] = factor${i};`,
  )}
  let weight0 = u.weight;
  let bias0 = u.bias;
  ${lines(
    all.length,
    (v) => `{ let w = ${parametersAt('weight0', v)}; ${layer ? `let b = ${parametersAt('bias0', v)};` : ''}
    ${lines(rows, (i) => `output[at${i} + ${v}u] = (x${i}[${v}] - mean${i}) * factor${i} * w${layer ? ' + b' : ''};`)} }`,
  )}`,
  );
}

export function normBackwardInputTuned(layer: boolean, width: number, tile: Tile, interface_: string): string {
  const { rows } = tile;
  const all = range(width / 4);
  return module(
    tile,
    vectors(interface_, ['gradient', 'input', 'result']),
    `${places(rows, width)}
  ${fill(rows, width, { x: 'input', g: 'gradient' })}
  ${lines(
    rows,
    (i) => `let mean${i} = statistics[2u * row${i}]; let factor${i} = statistics[2u * row${i} + 1u];
  var level${i} = 0.0; var slope${i} = 0.0;`,
  )}
  let weight0 = u.weight;
  let added = u.accumulate == 1u;
  ${lines(
    all.length,
    (v) => `{ let w = ${parametersAt('weight0', v)};
    ${lines(
      rows,
      (i) => `{ let g = g${i}[${v}] * w; g${i}[${v}] = g;
      ${layer ? `level${i} = level${i} + dot(g, vec4f(1.0));` : ''}
      slope${i} = slope${i} + dot(g, x${i}[${v}] - mean${i}); }`,
    )} }`,
  )}
  ${lines(
    rows,
    (i) => `level${i} = level${i} / ${width}.0;
  slope${i} = slope${i} * factor${i} * factor${i} / ${width}.0;
  if (r + ${i}u < u.rows) { ${lines(
    all.length,
    (v) => `{ let d = factor${i} * (g${i}[${v}] - level${i} - (x${i}[${v}] - mean${i}) * slope${i});
      result[at${i} + ${v}u] = d + select(vec4f(), result[at${i} + ${v}u], added); }`,
  )} }`,
  )}`,
  );
}
