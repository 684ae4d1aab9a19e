/**
 * The tuned forms of attention's three kernels: WGSL generated for one shape of heads and one tile. They
 * compute what attention*.wgsl computes, with the same bindings and uniforms, in another order.
 *
 * As in linear_tiles.ts, a load costs as much as ten multiply-adds, so each must serve often. A workgroup takes
 * neighbouring rows of one sequence and head, an invocation `rows` of them in registers. All walk the other
 * side (keys, or for the keys' gradient queries) in fours: with `quads` each invocation of a quad loads one of
 * the four and hands it to the others by swaps, so the o-th of its four is the (o ^ lane)-th. Four at a time
 * also means that a running maximum is corrected once for four keys. Sums over a four are pairs of pairs.
 * The order of a sum does not depend on `rows`, `quads` or on whether there is one query or a whole batch.
 */
import { swapped, type Tile, withLength } from './linear_tiles';

/** Heads of `dim` numbers each; the width is heads · dim. */
export interface HeadShape {
  readonly heads: number;
  readonly dim: number;
}

/** Lengths of the arrays, where they are known when the kernel is made: bounds checks are cheaper then. */
export interface AttentionLengths {
  readonly keys?: number | undefined;
  readonly output?: number | undefined;
  readonly qkv?: number | undefined;
  readonly result?: number | undefined;
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const lines = (n: number, line: (i: number) => string) => range(n).map(line).join('\n');
const list = (n: number, item: (i: number) => string) => range(n).map(item).join(', ');
const XYZW = ['x', 'y', 'z', 'w'] as const;

class Writer {
  readonly vectors: number;

  constructor(
    readonly dim: number,
    readonly tile: Tile,
  ) {
    this.vectors = Math.ceil(dim / 4);
  }

  /** Numbers 4v … 4v + 3 of a head that begins at `base`; 0 past its end. */
  load(array: string, base: string, v: number): string {
    return `vec4f(${list(4, (c) => (4 * v + c < this.dim ? `${array}[${base} + ${4 * v + c}u]` : '0.0'))})`;
  }

  /** Declares `name` as a head's numbers and fills it. Arrays compile far quicker than as many names. */
  held(name: string, array: string, base: string): string {
    const { vectors } = this;
    return `var ${name}: array<vec4f, ${vectors}>; ${lines(vectors, (v) => `${name}[${v}] = ${this.load(array, base, v)};`)}`;
  }

  store(array: string, base: string, value: (v: number) => string): string {
    return lines(this.dim, (c) => `${array}[${base} + ${c}u] = (${value(Math.floor(c / 4))}).${XYZW[c % 4]};`);
  }

  /** Loads `name`s of the four others: each invocation of a quad one of them, or everyone all. */
  fours(name: string, array: string, base: (other: string) => string): string {
    const { vectors, tile } = this;
    if (tile.quads)
      return `let ${name}_at = ${base('lane')}; ${lines(vectors, (v) => `let ${name}_${v} = ${this.load(array, `${name}_at`, v)};`)}`;
    return lines(
      4,
      (o) =>
        `let ${name}${o}_at = ${base(`${o}u`)}; ${lines(vectors, (v) => `let ${name}${o}_${v} = ${this.load(array, `${name}${o}_at`, v)};`)}`,
    );
  }

  /** Vector v of the o-th of the four. */
  four(name: string, o: number, v: number): string {
    return this.tile.quads ? swapped(`${name}_${v}`, o) : `${name}${o}_${v}`;
  }

  /** Numbers j0 … j0 + 3 in the order of the four. */
  numbers(): string {
    return `let number = vec4u(j0) + (vec4u(0u, 1u, 2u, 3u)${this.tile.quads ? ' ^ vec4u(lane)' : ''});`;
  }

  /** A number of each of the four. */
  scalars(name: string, at: (other: string) => string): string {
    if (this.tile.quads)
      return `let ${name}_own = ${at('lane')}; let ${name} = vec4f(${list(4, (o) => swapped(`${name}_own`, o))});`;
    return `let ${name} = vec4f(${list(4, (o) => at(`${o}u`))});`;
  }

  /** `result`_i = the products of held `own`_i with each of the four, one vec4 a row. */
  products(result: string, own: string, name: string): string {
    const { vectors, tile } = this;
    return `${lines(
      4,
      (o) => `
      ${lines(tile.rows, (i) => `var ${result}${i}_${o} = 0.0;`)}
      ${lines(vectors, (v) => `{ let w = ${this.four(name, o, v)}; ${lines(tile.rows, (i) => `${result}${i}_${o} = ${result}${i}_${o} + dot(${own}${i}[${v}], w);`)} }`)}`,
    )}
      ${lines(tile.rows, (i) => `let ${result}${i} = vec4f(${list(4, (o) => `${result}${i}_${o}`)});`)}`;
  }

  /** sum_i = (sum_i · `shrink`_i) + Σ_o weight_i[o] · name_o, for several sums with the same four. */
  addProducts(name: string, sum: string, weight: string, shrink?: string): string {
    const { vectors, tile } = this;
    return lines(
      vectors,
      (v) => `{ ${lines(4, (o) => `let m${o} = ${this.four(name, o, v)};`)}
        ${lines(tile.rows, (i) => `${sum}${i}[${v}] = ${sum}${i}[${v}]${shrink ? ` * ${shrink}${i}` : ''} + ((m0 * ${weight}${i}.x + m1 * ${weight}${i}.y) + (m2 * ${weight}${i}.z + m3 * ${weight}${i}.w));`)} }`,
    );
  }

  module(interface_: string, body: string): string {
    const { tile } = this;
    return `${tile.quads ? 'enable subgroups;' : ''}
${interface_}
@compute @workgroup_size(${tile.workgroup})
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let workgroup = wg.y * count.x + wg.x;
  ${tile.quads ? 'let lane = l & 3u;' : ''}
  ${body}
}`;
  }
}

/** Sequence, head and first row of a workgroup; the rows t0 … of this invocation. */
const block = ({ heads }: HeadShape, { rows, workgroup }: Tile) => `
  let blocks = (u.length + ${rows * workgroup - 1}u) / ${rows * workgroup}u;
  let s = workgroup / (${heads}u * blocks);
  let head = workgroup / blocks % ${heads}u;
  let begin = workgroup % blocks * ${rows * workgroup}u;
  let t0 = begin + l * ${rows}u;`;

/** Which of the four keys from j0 on row i does not see. */
const unseen = (i: number) => `let hidden${i} = number >= vec4u(seen${i});`;

export function attentionForwardTuned(
  shape: HeadShape,
  form: Tile,
  stepwise: boolean,
  { keys, output }: Pick<AttentionLengths, 'keys' | 'output'>,
  interface_: string,
): string {
  const { heads, dim } = shape;
  // One query a sequence: nobody has the same keys to share.
  const tile = stepwise ? { ...form, rows: 1, quads: false } : form;
  const { rows } = tile;
  const w = new Writer(dim, tile);
  const place = stepwise
    ? `
  let i = workgroup * ${tile.workgroup}u + l;
  let s = min(i / ${heads}u, u.rows - 1u);
  let head = i % ${heads}u;
  let seen0 = min(extents[s] + 1u, u.key_rows);
  let end = seen0;
  let row0 = s;`
    : `
  ${block(shape, tile)}
  ${lines(rows, (i) => `let seen${i} = min(t0 + ${i + 1}u, extents[s]); let row${i} = s * u.length + min(t0 + ${i}u, u.length - 1u);`)}
  let end = min(min(begin + ${rows * tile.workgroup}u, u.length), extents[s]);`;
  return w.module(
    withLength(withLength(interface_, 'keys', keys), 'output', output),
    `${place}
  let keys0 = s * u.key_rows * u.key_stride + head * ${dim}u;
  let last = max(end, 1u) - 1u;
  let key_stride = u.key_stride;
  let key_first = u.key_first;
  let value_first = u.value_first;
  ${lines(
    rows,
    (i) => `${w.held(`q${i}`, 'queries', `row${i} * u.query_stride + head * ${dim}u`)}
  ${lines(w.vectors, (v) => `q${i}[${v}] *= u.scale;`)}
  var o${i}: array<vec4f, ${w.vectors}>; var largest${i} = -3.0e38; var sum${i} = 0.0;`,
  )}
  for (var j0 = 0u; j0 < end; j0 += 4u) {
    ${w.fours('k', 'keys', (o) => `keys0 + min(j0 + ${o}, last) * key_stride + key_first`)}
    ${w.fours('v', 'keys', (o) => `keys0 + min(j0 + ${o}, last) * key_stride + value_first`)}
    ${w.products('score', 'q', 'k')}
    ${w.numbers()}
    ${lines(
      rows,
      (i) => `${unseen(i)} let z${i} = select(score${i}, vec4f(-3.0e38), hidden${i});
    let m${i} = max(largest${i}, max(max(z${i}.x, z${i}.y), max(z${i}.z, z${i}.w)));
    let shrink${i} = select(exp(largest${i} - m${i}), 1.0, m${i} == largest${i});
    let weight${i} = select(exp(z${i} - m${i}), vec4f(), hidden${i});
    sum${i} = sum${i} * shrink${i} + ((weight${i}.x + weight${i}.y) + (weight${i}.z + weight${i}.w));
    largest${i} = m${i};`,
    )}
    ${w.addProducts('v', 'o', 'weight', 'shrink')}
  }
  ${lines(
    rows,
    (i) => `if (${stepwise ? `i < u.rows * ${heads}u` : `t0 + ${i}u < u.length`}) {
    let at = row${i} * ${heads}u + head;
    let share = select(1.0 / sum${i}, 0.0, seen${i} == 0u);
    ${w.store('output', `at * ${dim}u`, (v) => `o${i}[${v}] * share`)}
    log_sums[at] = select(largest${i} + log(sum${i}), 0.0, seen${i} == 0u);
  }`,
  )}`,
  );
}

export function attentionBackwardQueryTuned(
  shape: HeadShape,
  tile: Tile,
  { qkv, result }: Pick<AttentionLengths, 'qkv' | 'result'>,
  interface_: string,
): string {
  const { heads, dim } = shape;
  const { rows } = tile;
  const width = heads * dim;
  const w = new Writer(dim, tile);
  return w.module(
    withLength(withLength(interface_, 'qkv', qkv), 'result', result),
    `${block(shape, tile)}
  let end = min(min(begin + ${rows * tile.workgroup}u, u.length), lengths[s]);
  let last = max(end, 1u) - 1u;
  let keys0 = s * u.length * ${3 * width}u + head * ${dim}u;
  ${lines(
    rows,
    (i) => `let seen${i} = min(t0 + ${i + 1}u, lengths[s]);
  let row${i} = s * u.length + min(t0 + ${i}u, u.length - 1u);
  let at${i} = row${i} * ${heads}u + head;
  ${w.held(`q${i}`, 'qkv', `row${i} * ${3 * width}u + head * ${dim}u`)}
  ${lines(w.vectors, (v) => `q${i}[${v}] *= u.scale;`)}
  ${w.held(`d${i}`, 'gradient', `at${i} * ${dim}u`)}
  ${w.held(`made${i}`, 'output', `at${i} * ${dim}u`)}
  let delta${i} = ${range(w.vectors)
    .map((v) => `dot(d${i}[${v}], made${i}[${v}])`)
    .join(' + ')};
  let log_sum${i} = log_sums[at${i}];
  var dq${i}: array<vec4f, ${w.vectors}>;`,
  )}
  for (var j0 = 0u; j0 < end; j0 += 4u) {
    ${w.fours('k', 'qkv', (o) => `keys0 + min(j0 + ${o}, last) * ${3 * width}u + ${width}u`)}
    ${w.fours('v', 'qkv', (o) => `keys0 + min(j0 + ${o}, last) * ${3 * width}u + ${2 * width}u`)}
    ${w.products('score', 'q', 'k')}
    ${w.products('overlap', 'd', 'v')}
    ${w.numbers()}
    ${lines(
      rows,
      (i) => `${unseen(i)}
    let slope${i} = select(exp(min(score${i} - log_sum${i}, vec4f())) * (overlap${i} - delta${i}), vec4f(), hidden${i});`,
    )}
    ${w.addProducts('k', 'dq', 'slope')}
  }
  ${lines(
    rows,
    (i) => `if (t0 + ${i}u < u.length) {
    deltas[at${i}] = delta${i};
    ${w.store('result', `row${i} * ${3 * width}u + head * ${dim}u`, (v) => `dq${i}[${v}] * u.scale`)}
  }`,
  )}`,
  );
}

export function attentionBackwardKeyTuned(
  shape: HeadShape,
  tile: Tile,
  { qkv, result }: Pick<AttentionLengths, 'qkv' | 'result'>,
  interface_: string,
): string {
  const { heads, dim } = shape;
  const { rows } = tile;
  const width = heads * dim;
  const w = new Writer(dim, tile);
  const other = (o: string) => `(s * u.length + min(j0 + ${o}, u.length - 1u))`;
  return w.module(
    withLength(withLength(interface_, 'qkv', qkv), 'result', result),
    `${block(shape, tile)}
  ${lines(
    rows,
    (i) => `let key${i} = t0 + ${i}u;
  let row${i} = s * u.length + min(key${i}, u.length - 1u);
  ${w.held(`k${i}`, 'qkv', `row${i} * ${3 * width}u + ${width}u + head * ${dim}u`)}
  ${lines(w.vectors, (v) => `k${i}[${v}] *= u.scale;`)}
  ${w.held(`v${i}`, 'qkv', `row${i} * ${3 * width}u + ${2 * width}u + head * ${dim}u`)}
  var dk${i}: array<vec4f, ${w.vectors}>; var dv${i}: array<vec4f, ${w.vectors}>;
  // Nobody sees a key of padding.
  let first${i} = select(u.length, key${i}, key${i} < lengths[s]);`,
  )}
  for (var j0 = begin; j0 < select(0u, u.length, begin < lengths[s]); j0 += 4u) {
    ${w.fours('q', 'qkv', (o) => `${other(o)} * ${3 * width}u + head * ${dim}u`)}
    ${w.fours('d', 'gradient', (o) => `${other(o)} * ${width}u + head * ${dim}u`)}
    ${w.scalars('log_sum', (o) => `log_sums[${other(o)} * ${heads}u + head]`)}
    ${w.scalars('delta', (o) => `deltas[${other(o)} * ${heads}u + head]`)}
    ${w.numbers()}
    let past = number >= vec4u(u.length);
    ${w.products('score', 'k', 'q')}
    ${w.products('overlap', 'v', 'd')}
    ${lines(
      rows,
      (i) => `let blind${i} = (number < vec4u(first${i})) | past;
    let p${i} = select(exp(min(score${i} - log_sum, vec4f())), vec4f(), blind${i});
    let slope${i} = p${i} * (overlap${i} - delta);`,
    )}
    ${w.addProducts('d', 'dv', 'p')}
    ${w.addProducts('q', 'dk', 'slope')}
  }
  ${lines(
    rows,
    (i) => `if (key${i} < u.length) {
    ${w.store('result', `row${i} * ${3 * width}u + ${width}u + head * ${dim}u`, (v) => `dk${i}[${v}] * u.scale`)}
    ${w.store('result', `row${i} * ${3 * width}u + ${2 * width}u + head * ${dim}u`, (v) => `dv${i}[${v}]`)}
  }`,
  )}`,
  );
}
