/**
 * The tuned forms of the linear layer's three kernels: WGSL generated for one layer shape and tile.
 * They compute what linear*.wgsl computes, with the same bindings and uniforms, in another order.
 *
 * Why they are faster. On a software adapter a load with a computed address costs as much as ten
 * multiply-adds (shared/performance.md), so the tile must reuse what it loads:
 *  - An invocation keeps `rows` rows of its input in registers and walks over all outputs, so a weight
 *    is loaded once for `rows` rows, and no two invocations have to meet: no barrier, no shared memory.
 *  - The four invocations of a quad need the same weights. With `quads` each loads a quarter of them
 *    and hands it to the others by quadBroadcast, a register move, which divides the loads by four.
 * Sums run over k in four interleaved partial sums (one vec4), then are added: the order does not
 * depend on `rows` or `quads`, so those never change a bit of a result.
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
}

/** Inputs held in registers at once; wider layers are walked in chunks of this many. */
const CHUNK = 64;
/** Outputs per turn of the loop at most: few inputs leave a quad's four loads room for four outputs. */
const OUTPUTS_A_TURN = 4;
/** Samples that the weight-gradient kernel holds in registers at once, and the rows of weights it sums for them. */
const SAMPLES = 64;
const OWN_ROWS = 4;

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const lines = (n: number, line: (i: number) => string) => range(n).map(line).join('\n');
const XYZW = ['x', 'y', 'z', 'w'] as const;

/** `a` as a vec4 whose components from `used` on are 0. */
function firstComponents(a: string, used: number): string {
  if (used === 4) return a;
  return `vec4f(${range(4).map((c) => (c < used ? `${a}.${XYZW[c]}` : '0.0')).join(', ')})`;
}

interface RowProduct {
  /** Whole rows of a multiple of 4 numbers are read as vec4s, so they must begin at a multiple of 4. */
  readonly inputs: number;
  readonly outputs: number;
  readonly tile: Tile;
  /** Array of the inputs; held row s begins at `base${s}`. */
  readonly source: string;
  /** WGSL address of the weight of output j and input k. */
  weightAt(j: string, k: string): string;
  /** WGSL added to the row of a result: `u.output_first + ` or nothing. */
  readonly rowsFrom: string;
  /** What output `j` starts from, before the sum, of any row. */
  readonly initial: string;
  /** Whether the sum is added to what the result holds. */
  readonly accumulate: boolean;
  /** WGSL that finishes output `j` of row `r` whose sum is `z`; its address is `out`. */
  readonly finish: string;
}

/**
 * The loop that both the forward and the input-gradient kernel are: held rows times all outputs.
 * Where the inputs do not fit one chunk, the sums so far wait in the result itself.
 */
function rowProduct(product: RowProduct): string {
  const chunks = Math.ceil(product.inputs / CHUNK);
  return lines(chunks, (c) => chunkProduct(product, c * CHUNK, Math.min(CHUNK, product.inputs - c * CHUNK), c === 0, c === chunks - 1));
}

function chunkProduct(product: RowProduct, k0: number, length: number, first: boolean, last: boolean): string {
  const { tile, outputs, source, weightAt } = product;
  const vectors = Math.ceil(length / 4);
  // Divides the outputs, so that no output needs a bounds test.
  const turn = [4, 2, 1].find((n) => n <= OUTPUTS_A_TURN && n * vectors <= 16 && outputs % n === 0) ?? 1;
  const used = (v: number) => Math.min(4, length - 4 * v);
  const vec4At = (address: (k: string) => string, k: string, n: number) =>
    `vec4f(${range(4).map((c) => (c < n ? address(`${k} + ${c}u`) : '0.0')).join(', ')})`;
  const loads = lines(tile.quads ? Math.ceil((turn * vectors) / 4) : 0, (i) => {
    // Vector f of this turn is loaded by lane f % 4 of the quad.
    const f = `(${4 * i}u + lane)`;
    return `let l${i} = ${vec4At((k) => weightAt(`j + ${f} / ${vectors}u`, k), `${k0}u + ${f} % ${vectors}u * 4u`, 4)};`;
  });
  const weights = lines(turn * vectors, (f) => {
    const [t, v] = [Math.floor(f / vectors), f % vectors];
    if (tile.quads) return `let b${f} = quadBroadcast(l${f >> 2}, ${f & 3}u); let w${f} = ${firstComponents(`b${f}`, used(v))};`;
    return `let w${f} = ${vec4At((k) => weightAt(`j + ${t}u`, k), `${k0 + 4 * v}u`, used(v))};`;
  });
  const sums = lines(turn * tile.rows, (i) => {
    const [t, s] = [Math.floor(i / tile.rows), i % tile.rows];
    const terms = lines(vectors - 1, (v) => `a${i} = a${i} + x${s}_${v + 1} * w${t * vectors + v + 1};`);
    return `var a${i} = x${s}_0 * w${t * vectors}; ${terms} let z${i} = (a${i}.x + a${i}.y) + (a${i}.z + a${i}.w) + start${t};`;
  });
  // No branch may stand between the broadcasts of a quad, and branches are dear to compile: one for a full tile, one loop for the last.
  const before = first && !product.accumulate ? '' : ' + result[out]';
  const finishOne = (out: string, z: string) => `{
    let out = ${out}; let z = ${z}${before};
    ${last ? product.finish : 'result[out] = z;'}
  }`;
  const starts = lines(turn, (t) => `let start${t} = ${first ? product.initial.replace('$j', `j0 + ${t}u`) : '0.0'};`);
  const sumNames = range(turn * tile.rows).map((i) => `z${i}`);
  return `{
    ${lines(tile.rows, (s) => `let to${s} = (${product.rowsFrom}r + ${s}u) * ${outputs}u;`)}
    ${lines(tile.rows, (s) =>
      lines(vectors, (v) => {
        if (product.inputs % 4 === 0) return `let x${s}_${v} = ${source}[base${s} / 4u + ${k0 / 4 + v}u];`;
        return `let x${s}_${v} = ${vec4At((k) => `${source}[base${s} + ${k}]`, `${k0 + 4 * v}u`, used(v))};`;
      }),
    )}
    for (var j0 = 0u; j0 < ${outputs}u; j0 += ${turn}u) {
      let j = j0;
      ${loads}
      ${weights}
      ${starts}
      ${sums}
      if (r + ${tile.rows}u <= u.rows) {
        ${lines(turn * tile.rows, (i) => finishOne(`to${i % tile.rows} + j0 + ${Math.floor(i / tile.rows)}u`, `z${i}`))}
      } else if (r < u.rows) {
        var all = array<f32, ${sumNames.length}>(${sumNames.join(', ')});
        for (var s = 0u; s < u.rows - r; s++) {
          for (var t = 0u; t < ${turn}u; t++) ${finishOne(`to0 + s * ${outputs}u + j0 + t`, `all[t * ${tile.rows}u + s]`)}
        }
      }
    }
  }`;
}

/** Declares `name` as vec4s where its rows are whole vec4s: one address for four numbers. */
function asVectors(interface_: string, name: string, width: number): string {
  return width % 4 === 0 ? interface_.replace(`> ${name}: array<f32>`, `> ${name}: array<vec4f>`) : interface_;
}

const header = (tile: Tile) => (tile.quads ? 'enable subgroups;' : '');
const ENTRY = (body: string) => `
@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) l: u32) {
  let invocation = (wg.y * count.x + wg.x) * ${WORKGROUP}u + l;
  let lane = l & 3u;
  ${body}
}`;

/** Small, so that few rows still make several workgroups; a multiple of the quad. */
export const WORKGROUP = 16;

export function linearForwardTuned({ inputs, outputs }: Shape, tile: Tile, activation: string, keepPre: boolean, interface_: string): string {
  return `${header(tile)}
${activation}
${asVectors(interface_, 'input', inputs).replace(' output:', ' result:')}
${ENTRY(`
  let r = invocation * ${tile.rows}u;
  let weight0 = u.weight;
  let bias0 = u.bias;
  ${lines(tile.rows, (s) => `
  let row${s} = min(r + ${s}u, u.rows - 1u);
  let base${s} = select(u.input_first + row${s}, indices[u.indices_first + row${s}], u.gather == 1u) * ${inputs}u;`)}
  ${rowProduct({
    inputs,
    tile,
    source: 'input',
    weightAt: (j, k) => `parameters[weight0 + (${j}) * ${inputs}u + ${k}]`,
    outputs,
    rowsFrom: 'u.output_first + ',
    initial: 'parameters[bias0 + $j]',
    accumulate: false,
    finish: `${keepPre ? 'if (u.pre_offset > 0u) { result[u.pre_offset + out - u.output_first * u.outputs] = z; }' : ''}
          result[out] = activate(z);`,
  })}`)}`;
}

export function linearBackwardInputTuned({ inputs, outputs }: Shape, tile: Tile, activation: string, keepPre: boolean, role: Role, interface_: string): string {
  return `${header(tile)}
${activation}
${asVectors(interface_, 'gradient', outputs)}
${ENTRY(`
  let r = invocation * ${tile.rows}u;
  let weight0 = u.weight;
  ${lines(tile.rows, (s) => `let base${s} = u.gradient_first + min(r + ${s}u, u.rows - 1u) * ${outputs}u;`)}
  ${rowProduct({
    inputs: outputs,
    tile,
    source: 'gradient',
    weightAt: (j, k) => `parameters[weight0 + (${k}) * ${inputs}u + ${j}]`,
    outputs: inputs,
    rowsFrom: '',
    initial: '0.0',
    accumulate: role === 'last',
    finish: role === 'first' ? 'result[out] = z;' : `result[out] = z * activate_gradient(${keepPre ? 'made[u.pre_offset + out]' : '0.0'}, made[out]);`,
  })}`)}`;
}

/**
 * The weight gradient is the same product over samples: an invocation holds SAMPLES numbers of four
 * neighbours on the longer side of the matrix, and walks over the shorter side, whose numbers the quad
 * shares. Both sides' sizes are uniforms, so that all layers of a policy have one pipeline or two.
 */
export function linearBackwardWeightTuned({ inputs, outputs }: Shape, tile: Tile, interface_: string): string {
  const ownInputs = inputs > outputs;
  const [own, other] = ownInputs ? ['input', 'gradient'] : ['gradient', 'input'];
  const [ownWidth, otherWidth] = ownInputs ? ['u.inputs', 'u.outputs'] : ['u.outputs', 'u.inputs'];
  const vectors = (ownInputs ? inputs : outputs) % 4 === 0;
  const rowOf = (array: string, n: string) =>
    array === 'gradient' ? `(${n})` : `select(u.input_first + ${n}, indices[u.indices_first + ${n}], u.gather == 1u)`;
  const first = (array: string) => (array === 'gradient' ? 'u.gradient_first + ' : '');
  const at = (base: string) =>
    vectors ? `${own}[(${base} + own0) / 4u]` : `vec4f(${range(4).map((c) => `${own}[${base} + min(own0 + ${c}u, ${ownWidth} - 1u)]`).join(', ')})`;
  const held = lines(SAMPLES, (n) => `let b${n} = ${first(own)}${rowOf(own, `min(n0 + ${n}u, last)`)} * ${ownWidth}; let h${n} = ${at(`b${n}`)};`);
  // Sample n of the other side is loaded by lane n % 4 of the quad; past the end it is 0.
  const loads = tile.quads ? SAMPLES / 4 : SAMPLES;
  const sample = (i: number) => (tile.quads ? `n0 + ${4 * i}u + lane` : `n0 + ${i}u`);
  const bases = lines(loads, (i) => `let o${i} = ${first(other)}${rowOf(other, `min(${sample(i)}, last)`)} * ${otherWidth};`);
  const load = lines(loads, (i) => `let l${i} = select(0.0, ${other}[o${i} + j], ${sample(i)} < end);`);
  const spread = lines(SAMPLES, (n) => (tile.quads ? `let w${n} = quadBroadcast(l${n >> 2}, ${n & 3}u);` : `let w${n} = l${n};`));
  const address = (s: string) => (ownInputs ? `to + u.weight + j * u.inputs + own0 + ${s}` : `to + u.weight + (own0 + ${s}) * u.inputs + j`);
  const add = (where: string, value: string) => `{ let a = ${where}; partials[a] = select(partials[a], 0.0, n0 == begin) + ${value}; }`;
  const bias = ownInputs
    ? `if (own0 == 0u) { ${add('to + u.bias + j', range(SAMPLES).map((n) => `w${n}`).join(' + '))} }`
    : '';
  const ownBias = ownInputs
    ? ''
    : `{ var sums = ${range(SAMPLES).map((n) => `select(vec4f(), h${n}, n0 + ${n}u < end)`).join(' + ')};
      for (var s = 0u; s < 4u && own0 + s < ${ownWidth}; s++) ${add('to + u.bias + own0 + s', 'sums[s]')} }`;
  return `${header(tile)}
${vectors ? asVectors(interface_, own, 4) : interface_}
${ENTRY(`
  let tiles = (${ownWidth} + ${4 * OWN_ROWS - 1}u) / ${4 * OWN_ROWS}u * 4u;
  let part = invocation / tiles;
  let own0 = invocation % tiles * ${OWN_ROWS}u;
  let to = part * u.stride;
  let begin = part * u.part_rows;
  let end = min(u.rows, begin + u.part_rows);
  let last = max(end, 1u) - 1u;
  // Every invocation of a quad walks the same samples, so the broadcasts are in uniform control flow.
  for (var i = 0u; i < u.part_rows; i += ${SAMPLES}u) {
    let n0 = begin + i;
    ${held}
    ${bases}
    if (part < u.parts) { ${ownBias} }
    for (var j = 0u; j < ${otherWidth}; j++) {
      ${load}
      ${spread}
      var even = h0 * w0;
      var odd = h1 * w1;
      ${lines(SAMPLES / 2 - 1, (n) => `even += h${2 * n + 2} * w${2 * n + 2}; odd += h${2 * n + 3} * w${2 * n + 3};`)}
      let sums = even + odd;
      if (part < u.parts) {
        ${bias}
        if (own0 + 4u <= ${ownWidth}) {
          ${lines(4, (s) => add(address(`${s}u`), `sums.${XYZW[s]}`))}
        } else {
          for (var s = 0u; s < 4u && own0 + s < ${ownWidth}; s++) ${add(address('s'), 'sums[s]')}
        }
      }
    }
  }`)}`;
}

/** Invocations for one part: whole quads over the longer side. */
export function invocationsAPart({ inputs, outputs }: Shape): number {
  return Math.ceil(Math.max(inputs, outputs) / (4 * OWN_ROWS)) * 4;
}
