/**
 * Holds the project's one rule about structure: imports go one way.
 *
 *   pages → editors, components → stores → worker/protocol → engine → kernels
 *
 * A layer may also reach past its neighbour, but never upwards. Exit code 1 names each import that
 * does.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve, sep } from 'node:path';
import { ROOT } from './setup.mjs';

/** The tree to check: this one, or (in tests) the folder named as argument. */
const TREE = resolve(process.argv[2] ?? ROOT);

/** The packages in which the page draws and keeps its state; nothing below the page may know them. */
const PAGE_PACKAGES = /^(react|react-dom|react-markdown|recharts|radix-ui|lucide-react|wouter|zustand|zundo)(\/|$)/;

/** What every part of the page may use. */
const BELOW_THE_PAGE = ['protocol', 'schemas', 'formats', 'engine', 'kernels'];

/**
 * Layer by layer: where it lies, which others it may import, and whether it may use the page's
 * packages. The first entry that fits names a file's layer.
 */
const LAYERS = {
  kernels: { at: 'kernels/', uses: [] },
  scenarios: { at: 'scenarios/', uses: [] },
  // Parameter schemas: plain data with their checks, shared by the engine and the file formats.
  schemas: { at: 'src/engine/parameters.ts', uses: [] },
  formats: { at: 'src/formats/', uses: ['schemas'], types: ['engine'] },
  engine: { at: 'src/engine/', uses: ['schemas', 'formats', 'kernels'] },
  protocol: { at: 'src/worker/protocol.ts', uses: ['schemas', 'formats', 'engine'] },
  worker: { at: 'src/worker/', uses: ['protocol', 'schemas', 'formats', 'engine', 'kernels'] },
  headless: { at: 'src/headless/', uses: ['scenarios', 'schemas', 'formats', 'engine', 'kernels'] },
  stores: { at: 'src/stores/', uses: ['scenarios', ...BELOW_THE_PAGE], page: true },
  styles: { at: 'src/styles/', uses: [] },
  components: { at: 'src/components/', uses: ['styles', 'stores', ...BELOW_THE_PAGE], page: true },
  editors: { at: 'src/editors/', uses: ['components', 'styles', 'stores', ...BELOW_THE_PAGE], page: true },
  pages: { at: 'src/pages/', uses: ['editors', 'components', 'styles', 'stores', ...BELOW_THE_PAGE], page: true },
  app: { at: 'src/', uses: ['pages', 'editors', 'components', 'styles', 'stores'], page: true },
};

/** Tests may also use what runs without a page: executors to compare, the GPU for Node, scenarios. */
const TEST = /(\.test|\/testing|\/agree)\.tsx?$/;
const IN_TESTS = ['scenarios', 'schemas', 'formats', 'engine', 'kernels', 'headless'];

/** Group 1: `type` of a type-only import. Group 2 or 3: what is imported. */
const IMPORT =
  /^[ \t]*(?:import|export)\b(\s+type\b)?[^'"`;()=]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/gm;

const complaints = ['kernels', 'src'].flatMap(sources).flatMap(check);
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exitCode = 1;

/** Every TypeScript file under a folder of the root, as a path with forward slashes. */
function sources(folder) {
  return readdirSync(join(TREE, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).split(sep).join('/')}`)
    .filter((path) => /\.tsx?$/.test(path));
}

/** A sentence for each import of the file that its layer may not have. */
function check(file) {
  const text = readFileSync(join(TREE, file), 'utf8');
  const from = layerOf(file);
  return [...text.matchAll(IMPORT)].flatMap((match) => {
    const target = match[2] ?? match[3];
    const reason = target.startsWith('.')
      ? forbiddenLayer(from, layerOf(posix.join(posix.dirname(file), target)), match[1] !== undefined, TEST.test(file))
      : forbiddenPackage(from, target);
    return reason ? [`${file}:${lineOf(text, match.index)} imports ${target}: ${reason}`] : [];
  });
}

function forbiddenLayer(from, to, typesOnly, inTest) {
  if (to === undefined) return `${from} may not import from outside the layers`;
  const { uses, types = [] } = LAYERS[from];
  if (to === from || uses.includes(to) || (inTest && IN_TESTS.includes(to))) return undefined;
  if (!types.includes(to)) return `${from} may not import ${to}`;
  return typesOnly ? undefined : `${from} may import only types of ${to}, with \`import type\``;
}

function forbiddenPackage(from, name) {
  return PAGE_PACKAGES.test(name) && !LAYERS[from].page ? `${from} may not know the page's packages` : undefined;
}

function layerOf(path) {
  return Object.keys(LAYERS).find((name) => path.startsWith(LAYERS[name].at.replace(/\.ts$/, '')));
}

function lineOf(text, index) {
  return text.slice(0, index).split('\n').length;
}
