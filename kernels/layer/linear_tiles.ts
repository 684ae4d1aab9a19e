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

/** Rows an invocation holds, and whether the four of a quad share their loads. */
export interface Tile {
  readonly rows: number;
  readonly quads: boolean;
}

/** Inputs held in registers at once; wider layers are walked in chunks of this many. */
const CHUNK = 64;
/** Outputs per turn of the loop at most: few inputs leave a quad's four loads room for four outputs. */
const OUTPUTS_A_TURN = 4;
/** The block of weights an invocation sums in the weight-gradient kernel, own × shared side. */
const OWN_BLOCK = 16;
const SHARED_BLOCK = 16;

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
  /** What output `j` starts from, before the sum. */
  readonly initial: string;
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
    return `var a${i} = x${s}_0 * w${t * vectors}; ${terms} let z${i} = (a${i}.x + a${i}.y) + (a${i}.z + a${i}.w);`;
  });
  // No branch may stand between the broadcasts of a quad, and branches are dear to compile: one for a full tile, one loop for the last.
  const finishOne = (t: string, s: string, z: string) => `{
    let out = (${product.rowsFrom}r + ${s}) * ${outputs}u + j0 + ${t}; let j = j0 + ${t}; let z = ${z} + ${first ? product.initial : 'result[out]'};
    ${last ? product.finish : 'result[out] = z;'}
  }`;
  const sumNames = range(turn * tile.rows).map((i) => `z${i}`);
  return `{
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
      ${sums}
      if (r + ${tile.rows}u <= u.rows) {
        ${lines(turn * tile.rows, (i) => finishOne(`${Math.floor(i / tile.rows)}u`, `${i % tile.rows}u`, `z${i}`))}
      } else if (r < u.rows) {
        var all = array<f32, ${sumNames.length}>(${sumNames.join(', ')});
        for (var s = 0u; s < u.rows - r; s++) {
          for (var t = 0u; t < ${turn}u; t++) ${finishOne('t', 's', `all[t * ${tile.rows}u + s]`)}
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
  ${lines(tile.rows, (s) => `
  let row${s} = min(r + ${s}u, u.rows - 1u);
  let base${s} = select(u.input_first + row${s}, indices[u.indices_first + row${s}], u.gather == 1u) * ${inputs}u;`)}
  ${rowProduct({
    inputs,
    tile,
    source: 'input',
    weightAt: (j, k) => `parameters[u.weight + (${j}) * ${inputs}u + ${k}]`,
    outputs,
    rowsFrom: 'u.output_first + ',
    initial: 'parameters[u.bias + j]',
    finish: `${keepPre ? 'if (u.pre_offset > 0u) { result[u.pre_offset + out - u.output_first * u.outputs] = z; }' : ''}
          result[out] = activate(z);`,
  })}`)}`;
}

export function linearBackwardInputTuned({ inputs, outputs }: Shape, tile: Tile, activation: string, keepPre: boolean, interface_: string): string {
  return `${header(tile)}
${activation}
${asVectors(interface_, 'gradient', outputs)}
${ENTRY(`
  let r = invocation * ${tile.rows}u;
  ${lines(tile.rows, (s) => `let base${s} = u.gradient_first + min(r + ${s}u, u.rows - 1u) * ${outputs}u;`)}
  ${rowProduct({
    inputs: outputs,
    tile,
    source: 'gradient',
    weightAt: (j, k) => `parameters[u.weight + (${k}) * ${inputs}u + ${j}]`,
    outputs: inputs,
    rowsFrom: '',
    initial: 'select(0.0, result[out], u.accumulate == 1u)',
    finish: `let slope = activate_gradient(${keepPre ? 'made[u.pre_offset + out]' : '0.0'}, made[out]);
          result[out] = z * select(1.0, slope, u.differentiate == 1u);`,
  })}`)}`;
}

/** Blocks of weights and how the invocations number them; shared by the WGSL and the workgroup count. */
export function weightBlocks({ inputs, outputs }: Shape) {
  // The longer side is the one that each invocation of a quad has its own piece of.
  const ownInputs = inputs >= outputs;
  const [own, shared] = ownInputs ? [inputs, outputs] : [outputs, inputs];
  const ownBlock = Math.min(OWN_BLOCK, 4 * Math.ceil(own / 16));
  const quadsOfOwn = Math.ceil(Math.ceil(own / ownBlock) / 4);
  const sharedBlocks = Math.ceil(shared / SHARED_BLOCK);
  return { ownInputs, own, shared, ownBlock, quadsOfOwn, sharedBlocks, invocationsAPart: quadsOfOwn * sharedBlocks * 4 };
}

export function linearBackwardWeightTuned({ inputs, outputs }: Shape, tile: Tile, interface_: string): string {
  const blocks = weightBlocks({ inputs, outputs });
  const { ownInputs, own, shared, ownBlock } = blocks;
  const sharedBlock = Math.min(SHARED_BLOCK, 4 * Math.ceil(shared / 4));
  const [ownVectors, sharedVectors] = [ownBlock / 4, sharedBlock / 4];
  const vec4At = (isInput: boolean, index: string) => {
    const [array, base, width] = isInput ? ['input', 'x', inputs] : ['gradient', 'd', outputs];
    if (width % 4 === 0) return `${array}[(${base} + ${index}) / 4u]`;
    return `vec4f(${range(4).map((c) => `${array}[${base} + ${index} + ${c}u]`).join(', ')})`;
  };
  const sharedLoads = tile.quads
    ? `let s = ${vec4At(!ownInputs, 'shared0 + lane * 4u')};\n${lines(sharedVectors, (v) => `let s${v} = quadBroadcast(s, ${v}u);`)}`
    : lines(sharedVectors, (v) => `let s${v} = ${vec4At(!ownInputs, `shared0 + ${4 * v}u`)};`);
  const component = (prefix: string, i: number) => `${prefix}${i >> 2}.${XYZW[i & 3]}`;
  // acc{i}_{v}: own element i times shared vector v.
  const accumulate = lines(ownBlock, (i) => lines(sharedVectors, (v) => `a${i}_${v} = a${i}_${v} + ${component('o', i)} * s${v};`));
  const bias = ownInputs
    ? lines(sharedVectors, (v) => `b${v} = b${v} + s${v};`)
    : lines(ownVectors, (v) => `b${v} = b${v} + o${v};`);
  const biasVectors = ownInputs ? sharedVectors : ownVectors;
  const weight = (o: string, s: string) => (ownInputs ? `(${s}) * ${inputs}u + ${o}` : `(${o}) * ${inputs}u + ${s}`);
  const overhangs = own % (4 * ownBlock) !== 0 || shared % sharedBlock !== 0;
  const one = (i: string, s: string, value: string) => `partials[to + u.weight + ${weight(`own0 + ${i}`, `shared0 + ${s}`)}] = ${value};`;
  // Straight stores where the blocks fit; else a loop with bounds tests, since branches are dear to compile.
  const stores = overhangs
    ? `var all = array<vec4f, ${ownBlock * sharedVectors}>(${range(ownBlock * sharedVectors).map((n) => `a${Math.floor(n / sharedVectors)}_${n % sharedVectors}`).join(', ')});
  for (var i = 0u; i < ${ownBlock}u && own0 + i < ${own}u; i++) {
    for (var s = 0u; s < ${sharedBlock}u && shared0 + s < ${shared}u; s++) { ${one('i', 's', `all[i * ${sharedVectors}u + s / 4u][s % 4u]`)} }
  }`
    : lines(ownBlock, (i) => lines(sharedBlock, (s) => one(`${i}u`, `${s}u`, `a${i}_${s >> 2}.${XYZW[s & 3]}`)));
  const biasBlock = ownInputs ? sharedBlock : ownBlock;
  const bias0 = ownInputs ? 'shared0' : 'own0';
  const biasStores = `var sums = array<vec4f, ${biasVectors}>(${range(biasVectors).map((v) => `b${v}`).join(', ')});
    for (var i = 0u; i < ${biasBlock}u && ${bias0} + i < ${outputs}u; i++) { partials[to + u.bias + ${bias0} + i] = sums[i / 4u][i % 4u]; }`;
  return `${header(tile)}
${asVectors(asVectors(interface_, 'input', inputs), 'gradient', outputs)}
${ENTRY(`
  let part = invocation / ${blocks.invocationsAPart}u;
  let block = invocation % ${blocks.invocationsAPart}u;
  let own0 = (block / ${4 * blocks.sharedBlocks}u * 4u + lane) * ${ownBlock}u;
  let shared0 = block / 4u % ${blocks.sharedBlocks}u * ${SHARED_BLOCK}u;
  ${lines(ownBlock, (i) => lines(sharedVectors, (v) => `var a${i}_${v} = vec4f();`))}
  ${lines(biasVectors, (v) => `var b${v} = vec4f();`)}
  // Every invocation of a quad walks the same rows, so the broadcasts are in uniform control flow.
  for (var i = 0u; i < u.part_rows; i++) {
    let r = part * u.part_rows + i;
    let row = select(u.input_first + r, indices[u.indices_first + r], u.gather == 1u);
    let x = row * ${inputs}u;
    let d = u.gradient_first + r * ${outputs}u;
    ${sharedLoads}
    ${lines(ownVectors, (v) => `let o${v} = ${vec4At(ownInputs, `own0 + ${4 * v}u`)};`)}
    if (r < u.rows) {
      ${accumulate}
      ${bias}
    }
  }
  if (part >= u.parts) { return; }
  let to = part * u.stride;
  ${stores}
  if (${ownInputs ? 'own0' : 'shared0'} == 0u) {
    ${biasStores}
  }`)}`;
}
