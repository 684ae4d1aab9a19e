/**
 * The tuned forms of the linear layer's three kernels: WGSL generated for one layer shape and tile.
 * They compute what linear*.wgsl computes, with the same bindings and uniforms, in another order.
 *
 * Why they are faster. On a software adapter a load with a computed address costs as much as ten
 * multiply-adds (shared/performance.md), so the tile must reuse what it loads:
 *  - An invocation keeps `rows` rows of its input in registers and walks over all outputs, so a weight
 *    is loaded once for `rows` rows, and no two invocations have to meet: no barrier, no shared memory.
 *  - The four invocations of a quad need the same weights. With `quads` each loads a quarter of them
 *    and hands it to the others, which divides the loads by four. Quad swaps are all but free where
 *    broadcasts are not: after swap r lane l has what lane l ^ r loaded, so each lane walks fours in its
 *    own order, and the four are added in pairs of pairs, whose sum is the same in every such order.
 *  - Sums grow by the product of two vec4s, one register each: four interleaved sums (a vec4) would not fit the
 *    registers and cost twice as much. Where nothing but the products fills the loop, a chain of `fma` is
 *    quicker than `dot`, which a software adapter does not fuse.
 * The order of a sum does not depend on `rows` or `quads`, so those never change a bit of a result.
 */

export interface Shape {
  readonly inputs: number;
  readonly outputs: number;
}

/**
 * A layer's place among those above the same input: `alone` takes the derivative; of two heads on one
 * trunk the `first` leaves its sum, and the `last` adds its own and takes the derivative of both.
 */
export type Role = 'alone' | 'first' | 'last';

/** Rows an invocation holds, and whether the four of a quad share their loads. */
export interface Tile {
  readonly rows: number;
  readonly quads: boolean;
  /** Invocations a workgroup, whole quads: few where there are few cores, a warp where there are many. */
  readonly workgroup: number;
}

/**
 * Lengths of the arrays, where they are known when the kernel is made: a bounds check against a constant
 * is far cheaper than one against a length that must be fetched, above all for stores. A result of known
 * length must have room for whole workgroups of tiles: rows past the last are written too, and mean nothing.
 */
export type ArrayLengths = Readonly<
  Partial<Record<'parameters' | 'input' | 'gradient' | 'made' | 'result' | 'partials', number | undefined>>
>;

/** What an activation is to a kernel: its WGSL, whether its derivative looks at its input, and whether it is one at all. */
export interface Bend {
  readonly wgsl: string;
  readonly needsInput: boolean;
  readonly bent: boolean;
}

/** Without a bias the sum starts at 0; with `accumulate` it is added to what the output holds (a residual stream). */
export interface LinearOptions {
  readonly bias?: boolean;
  readonly accumulate?: boolean;
}

/** Declares an array of the interface with its length. */
export function withLength(interface_: string, name: string, length: number | undefined): string {
  return length === undefined
    ? interface_
    : interface_
        .replace(`> ${name}: array<f32>`, `> ${name}: array<f32, ${length}>`)
        .replace(`> ${name}: array<vec4f>`, `> ${name}: array<vec4f, ${length / 4}>`);
}

/** Inputs held in registers at once; wider layers are walked in chunks of about this many. */
const CHUNK = 64;
/** Outputs per turn of the loop at most: few inputs leave a quad's four loads room for four outputs. */
const OUTPUTS_A_TURN = 4;
/** Samples that the weight-gradient kernel holds in registers at once. */
const SAMPLES = 64;

/** How a sum that nothing is made of ends. */
const STORE = 'result[out] = z;';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const lines = (n: number, line: (i: number) => string) => range(n).map(line).join('\n');
const XYZW = ['x', 'y', 'z', 'w'] as const;

/** What the lane l ^ r has. */
export function swapped(value: string, r: number): string {
  return [value, `quadSwapX(${value})`, `quadSwapY(${value})`, `quadSwapDiagonal(${value})`][r];
}

/** `a` as a vec4 whose components from `used` on are 0. */
function firstComponents(a: string, used: number): string {
  if (used === 4) return a;
  return `vec4f(${range(4)
    .map((c) => (c < used ? `${a}.${XYZW[c]}` : '0.0'))
    .join(', ')})`;
}

interface RowProduct {
  /** Whole rows of a multiple of 4 numbers are read as vec4s, so they must begin at a multiple of 4. */
  readonly inputs: number;
  readonly outputs: number;
  readonly tile: Tile;
  /** Array of the inputs; held row s begins at `base${s}`. */
  readonly source: string;
  /** The weight of output j and input k is parameters[weight0 + j · outputStride + k · inputStride]. */
  readonly outputStride: number;
  readonly inputStride: number;
  /** WGSL added to the row of a result: `u.output_first + ` or nothing. */
  readonly rowsFrom: string;
  /** What output `j` starts from, before the sum, of any row. */
  readonly initial: string;
  /** Whether the sum is added to what the result holds. */
  readonly accumulate: boolean;
  /** The result has room for whole workgroups of tiles, so that no row needs a bounds test. */
  readonly roomy: boolean;
  /** WGSL that finishes an output whose sum is `z` and whose address is `out`. */
  readonly finish: string;
}

/**
 * The loop that both the forward and the input-gradient kernel are: held rows times all outputs. Inputs
 * that do not fit one chunk are walked in several; the sums so far wait in the result itself.
 */
function rowProduct(product: RowProduct): string {
  const { inputs, outputs, tile, finish, accumulate } = product;
  const chunk = chunkOf(product);
  const before = accumulate ? 'select(0.0, start, k0 == 0u) + result[out]' : 'select(result[out], start, k0 == 0u)';
  // Where the last chunk ends like the others, one text serves all: half as much to compile.
  const alike = inputs % chunk === 0 && finish === STORE && inputs > chunk;
  const last = alike ? inputs : Math.floor((inputs - 1) / chunk) * chunk;
  const first = accumulate ? 'start + result[out]' : 'start';
  return `
    ${lines(tile.rows, (s) => `let to${s} = (${product.rowsFrom}r + ${s}u) * ${outputs}u; var x${s}: array<vec4f, ${Math.ceil(Math.min(inputs, chunk) / 4)}>;`)}
    ${last > 0 ? `for (var k0 = 0u; k0 < ${last}u; k0 += ${chunk}u) ${chunkProduct(product, 'k0', chunk, before, STORE)}` : ''}
    ${alike ? '' : chunkProduct(product, `${last}u`, inputs - last, last > 0 ? 'result[out]' : first, finish)}`;
}

/** Inputs held at once: more where they divide the layer's and there is one text to compile, since sums wait in memory between chunks. */
function chunkOf({ inputs, finish }: RowProduct): number {
  const larger = [128, 112, 96, 80].find((chunk) => inputs % chunk === 0);
  return (finish === STORE && larger) || CHUNK;
}

/** Inputs k0 … k0 + length - 1 of the product; `before` is what the sum is added to, `finish` what becomes of it. */
function chunkProduct(product: RowProduct, k0: string, length: number, before: string, finish: string): string {
  const { tile, outputs, source, outputStride, inputStride } = product;
  const vectors = Math.ceil(length / 4);
  // Divides the outputs, so that no output needs a bounds test.
  const turn = [4, 2, 1].find((n) => n <= OUTPUTS_A_TURN && n * vectors <= 16 && outputs % n === 0) ?? 1;
  const used = (v: number) => Math.min(4, length - 4 * v);
  // Whole fours of vectors are handed round by swaps, each lane's in its own order.
  const fours = length % 16 === 0;
  const own = (v: string) => (fours && tile.quads ? `(${v} ^ lane)` : v);
  const vec4At = (address: (k: string) => string, k: string, n: number) =>
    `vec4f(${range(4)
      .map((c) => (c < n ? address(`${k} + ${c}u`) : '0.0'))
      .join(', ')})`;
  // Held in private arrays that a short loop fills: as quick as named registers, and far less to compile.
  const held = (v: string, n: number) =>
    lines(tile.rows, (s) =>
      product.inputs % 4 === 0
        ? `x${s}[${v}] = ${source}[(base${s} + ${k0}) / 4u + ${own(v)}];`
        : `x${s}[${v}] = ${vec4At((k) => `${source}[base${s} + ${k}]`, `${k0} + 4u * ${own(v)}`, n)};`,
    );
  const full = Math.floor(length / 4);
  // Addresses are worked out before the loop: the compiler of a software adapter does not do it.
  const loaded = tile.quads ? Math.ceil((turn * vectors) / 4) : turn * vectors;
  // Vector f of a turn is loaded by lane f % 4 of the quad; without quads by everyone.
  const vectorOf = (i: number) => (tile.quads ? `(${4 * i}u + lane)` : `${i}u`);
  const addresses = lines(
    loaded,
    (i) =>
      `let p${i} = weight0 + ${vectorOf(i)} / ${vectors}u * ${outputStride}u + (${k0} + ${vectorOf(i)} % ${vectors}u * 4u) * ${inputStride}u;`,
  );
  const loads = lines(
    loaded,
    (i) =>
      `let l${i} = vec4f(${range(4)
        .map((c) => `parameters[p${i} + step + ${c * inputStride}u]`)
        .join(', ')});`,
  );
  const weightOf = (t: number, v: number) => {
    const f = t * vectors + v;
    if (!tile.quads) return `let w${f} = ${firstComponents(`l${f}`, used(v))};`;
    if (fours) return `let w${f} = ${swapped(`l${f >> 2}`, v & 3)};`;
    return `let b${f} = quadBroadcast(l${f >> 2}, ${f & 3}u); let w${f} = ${firstComponents(`b${f}`, used(v))};`;
  };
  // Inputs outside, rows inside: a weight is used by every row while it is in a register.
  const rows = range(tile.rows);
  const term = (t: number, v: number, s: number) => `product(x${s}[${v}], w${t * vectors + v})`;
  const single = (t: number) => `
      ${rows.map((s) => `var z${t * tile.rows + s} = 0.0;`).join(' ')}
      ${lines(vectors, (v) => `${weightOf(t, v)} ${rows.map((s) => `z${t * tile.rows + s} = z${t * tile.rows + s} + ${term(t, v, s)};`).join(' ')}`)}`;
  /** The first pair of each four into one sum, the second into another. */
  const paired = (t: number) => `
      ${lines(
        2,
        (half) => `
        ${rows.map((s) => `var half${half}_${t * tile.rows + s} = 0.0;`).join(' ')}
        ${range(vectors / 4)
          .map((q) => 4 * q + 2 * half)
          .map(
            (v) =>
              `${weightOf(t, v)} ${weightOf(t, v + 1)} ${rows.map((s) => `half${half}_${t * tile.rows + s} = half${half}_${t * tile.rows + s} + (${term(t, v, s)} + ${term(t, v + 1, s)});`).join(' ')}`,
          )
          .join('\n')}`,
      )}
      ${rows.map((s) => `let z${t * tile.rows + s} = half0_${t * tile.rows + s} + half1_${t * tile.rows + s};`).join(' ')}`;
  const sums = lines(turn, fours ? paired : single);
  const starts = lines(turn, (t) => `let start${t} = ${product.initial.replace('$j', `j0 + ${t}u`)};`);
  const finishOne = (out: string, z: string, start: string) =>
    `{ let out = ${out}; let start = ${start}; let z = ${z} + ${before}; ${finish} }`;
  const whole = lines(turn * tile.rows, (i) =>
    finishOne(`to${i % tile.rows} + j0 + ${Math.floor(i / tile.rows)}u`, `z${i}`, `start${Math.floor(i / tile.rows)}`),
  );
  // No branch may stand between what a quad hands round, and branches are dear to compile: one for a full tile, one loop for the last.
  const overhang = `var all = array<f32, ${turn * tile.rows}>(${range(turn * tile.rows)
    .map((i) => `z${i}`)
    .join(', ')});
    var starts = array<f32, ${turn}>(${range(turn)
      .map((t) => `start${t}`)
      .join(', ')});
    for (var s = 0u; s < u.rows - r; s++) {
      for (var t = 0u; t < ${turn}u; t++) ${finishOne(`to0 + s * ${outputs}u + j0 + t`, `all[t * ${tile.rows}u + s]`, 'starts[t]')}
    }`;
  return `{
    for (var v = 0u; v < ${full}u; v++) { ${held('v', 4)} }
    ${full < vectors ? held(`${full}u`, used(full)) : ''}
    ${addresses}
    for (var j0 = 0u; j0 < ${outputs}u; j0 += ${turn}u) {
      let step = j0 * ${outputStride}u;
      ${loads}
      ${starts}
      ${sums}
      ${product.roomy ? whole : `if (r + ${tile.rows}u <= u.rows) { ${whole} } else if (r < u.rows) { ${overhang} }`}
    }
  }`;
}

/** Declares arrays with their lengths. */
export function sized(interface_: string, lengths: ArrayLengths): string {
  return Object.entries(lengths).reduce((text, [name, length]) => withLength(text, name, length), interface_);
}

/** Declares `name` as vec4s where its rows are whole vec4s: one address for four numbers. */
function asVectors(interface_: string, name: string, width: number): string {
  return width % 4 === 0 ? interface_.replace(`> ${name}: array<f32>`, `> ${name}: array<vec4f>`) : interface_;
}

/** a · b. */
const PRODUCT = `fn product(a: vec4f, b: vec4f) -> f32 {
  return fma(a.x, b.x, fma(a.y, b.y, fma(a.z, b.z, a.w * b.w)));
}`;

const header = (tile: Tile) => (tile.quads ? 'enable subgroups;' : '');
const entry = ({ workgroup }: Tile, body: string) => `
@compute @workgroup_size(${workgroup})
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let invocation = (wg.y * count.x + wg.x) * ${workgroup}u + l;
  let lane = l & 3u;
  ${body}
}`;

export function linearForwardTuned(
  { inputs, outputs }: Shape,
  tile: Tile,
  { wgsl, needsInput, bent }: Bend,
  lengths: ArrayLengths,
  { bias = true, accumulate = false }: LinearOptions,
  interface_: string,
): string {
  return `${header(tile)}
${PRODUCT}
${wgsl}
${sized(asVectors(interface_, 'input', inputs).replace(' output:', ' result:'), lengths)}
${entry(
  tile,
  `
  let r = invocation * ${tile.rows}u;
  let weight0 = u.weight;
  let bias0 = u.bias;
  ${needsInput ? 'let pre_at = select(0u, u.pre_offset - u.output_first * u.outputs, u.pre_offset > 0u);' : ''}
  ${lines(
    tile.rows,
    (s) => `
  let row${s} = min(r + ${s}u, u.rows - 1u);
  let base${s} = select(u.input_first + row${s}, indices[u.indices_first + row${s}], u.gather == 1u) * ${inputs}u;`,
  )}
  ${rowProduct({
    inputs,
    tile,
    source: 'input',
    outputStride: inputs,
    inputStride: 1,
    outputs,
    roomy: lengths.result !== undefined,
    rowsFrom: 'u.output_first + ',
    initial: bias ? 'parameters[bias0 + $j]' : '0.0',
    accumulate,
    // Where pre-activations are not kept, what is written first is written over: cheaper than a branch.
    finish: bent ? `${needsInput ? 'result[pre_at + out] = z;' : ''} result[out] = activate(z);` : STORE,
  })}`,
)}`;
}

export function linearBackwardInputTuned(
  { inputs, outputs }: Shape,
  tile: Tile,
  { wgsl, bent }: Bend,
  role: Role,
  lengths: ArrayLengths,
  interface_: string,
): string {
  return `${header(tile)}
${PRODUCT}
${wgsl}
${sized(asVectors(interface_, 'gradient', outputs), lengths)}
${entry(
  tile,
  `
  let r = invocation * ${tile.rows}u;
  let weight0 = u.weight;
  let made_at = u.pre_offset;
  ${lines(tile.rows, (s) => `let base${s} = u.gradient_first + min(r + ${s}u, u.rows - 1u) * ${outputs}u;`)}
  ${rowProduct({
    inputs: outputs,
    tile,
    source: 'gradient',
    outputStride: 1,
    inputStride: inputs,
    outputs: inputs,
    roomy: lengths.result !== undefined,
    rowsFrom: '',
    initial: '0.0',
    accumulate: role === 'last',
    finish: role === 'first' || !bent ? STORE : 'result[out] = z * activate_gradient(made[made_at + out]);',
  })}`,
)}`;
}

/**
 * The weight gradient is the same product over samples: an invocation holds SAMPLES numbers of `rows`
 * neighbours on the longer side of the matrix, and walks over the shorter side, whose numbers the quad
 * shares. Both sides' sizes are uniforms, so that layers of a policy have few pipelines.
 */
export function linearBackwardWeightTuned(
  { inputs, outputs }: Shape,
  tile: Tile,
  gather: boolean,
  lengths: ArrayLengths,
  withBias: boolean,
  interface_: string,
): string {
  const ownInputs = inputs > outputs;
  const [own, other] = ownInputs ? ['input', 'gradient'] : ['gradient', 'input'];
  const [ownWidth, otherWidth] = ownInputs ? ['u.inputs', 'u.outputs'] : ['u.outputs', 'u.inputs'];
  const longer = Math.max(inputs, outputs);
  const columns = ownColumns(tile);
  const whole = longer % (4 * columns) === 0;
  const rowOf = (array: string, n: string) => {
    if (array === 'gradient') return `(${n})`;
    return gather ? `indices[u.indices_first + ${n}]` : `(u.input_first + ${n})`;
  };
  const first = (array: string) => (array === 'gradient' ? 'u.gradient_first + ' : '');
  // Sample n of the other side is loaded by lane n % 4 of the quad and handed round by swaps, so each lane holds
  // the four in its own order. Past the end the held side is 0.
  const loads = tile.quads ? SAMPLES / 4 : SAMPLES;
  const sample = (i: string) => (tile.quads ? `n0 + 4u * ${i} + lane` : `n0 + ${i}`);
  const fill = `
    for (var n = 0u; n < ${SAMPLES}u; n++) {
      let held = n0 + ${tile.quads ? '(n ^ lane)' : 'n'};
      let base = ${first(own)}${rowOf(own, 'min(held, last)')} * ${ownWidth};
      ${lines(columns, (c) => `h${c}[n / 4u][n % 4u] = select(0.0, ${own}[base + ${whole ? `own0 + ${c}u` : `min(own0 + ${c}u, ${ownWidth} - 1u)`}], held < end);`)}
    }
    for (var i = 0u; i < ${loads}u; i++) { others[i] = ${first(other)}${rowOf(other, `min(${sample('i')}, last)`)} * ${otherWidth}; }`;
  // Gradients that are held meet a last column of ones; others are read again by whoever sums them.
  const ones = withBias && !ownInputs;
  const read = (i: number) => `${other}[others[${i}] + j]`;
  const load = lines(loads, (i) => `let l${i} = ${ones ? `select(1.0, ${read(i)}, j < inputs)` : read(i)};`);
  const terms = lines(SAMPLES / 4, (i) => {
    const four = range(4).map((n) => (tile.quads ? swapped(`l${i}`, n) : `l${4 * i + n}`));
    return `let w${i} = vec4f(${four.join(', ')}); ${lines(columns, (c) => `sum${c} = sum${c} + dot(h${c}[${i}], w${i});`)}`;
  });
  const column = ownInputs
    ? ''
    : ones
      ? `let biased = j == inputs; let step = select(inputs, 1u, biased); let column = select(place + j, to + u.bias + own0, biased);`
      : 'let step = inputs; let column = place + j;';
  const address = (c: string) => (ownInputs ? `place + ${c} + j * inputs` : `column + ${c} * step`);
  const add = (where: string, value: string) =>
    `{ let a = ${where}; partials[a] = select(partials[a], 0.0, n0 == begin) + ${value}; }`;
  const addColumn = (c: number) => {
    const one = add(address(`${c}u`), `sum${c}`);
    return whole ? one : `if (own0 + ${c}u < ${ownWidth}) ${one}`;
  };
  const bias = `if (part < u.parts) {
      for (var c = own0; c < min(own0 + ${columns}u, u.outputs); c++) {
        var sum = 0.0;
        for (var n = n0; n < min(n0 + ${SAMPLES}u, end); n++) {
          sum += gradient[u.gradient_first + n * u.outputs + c];
        }
        ${add('to + u.bias + c', 'sum')}
      }
    }`;
  return `${header(tile)}
${sized(interface_, lengths)}
${entry(
  tile,
  `
  let tiles = (${ownWidth} + ${4 * columns - 1}u) / ${4 * columns}u * 4u;
  let part = invocation / tiles;
  let own0 = invocation % tiles * ${columns}u;
  let to = part * u.stride;
  let begin = part * u.part_rows;
  let end = min(u.rows, begin + u.part_rows);
  let last = max(end, 1u) - 1u;
  let inputs = u.inputs;
  let place = to + u.weight + own0${ownInputs ? '' : ' * inputs'};
  ${lines(columns, (c) => `var h${c}: array<vec4f, ${SAMPLES / 4}>;`)}
  var others: array<u32, ${loads}>;
  // Every invocation of a quad walks the same samples, so the swaps are in uniform control flow.
  for (var i = 0u; i < u.part_rows; i += ${SAMPLES}u) {
    let n0 = begin + i;
    ${fill}
    ${withBias && ownInputs ? bias : ''}
    for (var j = 0u; j < ${otherWidth}${ones ? ' + 1u' : ''}; j++) {
      ${column}
      ${load}
      ${lines(columns, (c) => `var sum${c} = 0.0;`)}
      ${terms}
      if (part < u.parts) { ${lines(columns, addColumn)} }
    }
  }`,
)}`;
}

/** Columns that an invocation of the weight gradient holds. */
function ownColumns({ rows }: Tile): number {
  return rows;
}

/** Invocations for one part: whole quads over the longer side. */
export function invocationsAPart({ inputs, outputs }: Shape, tile: Tile): number {
  return Math.ceil(Math.max(inputs, outputs) / (4 * ownColumns(tile))) * 4;
}
