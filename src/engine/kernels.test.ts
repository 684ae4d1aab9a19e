/** What every kernel promises (F18): its bindings and uniforms are those of its WGSL, and fit the default limits. */
import { describe, expect, it } from 'vitest';
import type * as Wgsl from 'wgsl_reflect';
import { counter } from '../../kernels/environment/counter';
import { environmentKernels } from '../../kernels/environment/step';
import { transition } from '../../kernels/environment/transition';
import type { Kernel } from '../../kernels/kernel';
import {
  ACTIVATIONS,
  type ActivationName,
  activationBackward,
  activationForward,
} from '../../kernels/layer/activation';
import { type LinearForm, linearBackwardInput, linearBackwardWeight, linearForward } from '../../kernels/layer/linear';
import { policyLoss } from '../../kernels/loss/policy_loss';
import { createCpuExecutor } from './device/cpu';
import { webGpuExecutor } from './device/testing';
import { ENVIRONMENTS } from './environments';
import { defaultsOf } from './parameters';
import { PRESETS } from './presets';
import { REGISTRY } from './registry';
import { Run } from './run';
import type { Slot } from './scenario';
import { TOKEN_ADVANTAGES } from './stages/token_advantages';
import { type Changes, smallScenario } from './testing';
import { TextRun } from './text/run';
import { type TextChanges, textScenario } from './text/testing';

// The package’s entry for Node is CommonJS marked as a module, which Node refuses.
const entry: string = 'wgsl_reflect/wgsl_reflect.module.js';
const { WgslReflect } = (await import(entry)) as typeof Wgsl;

const MAX_STORAGE_BUFFERS = 8;
const MAX_INVOCATIONS = 256;

/** Every kernel that a module of kernels/ exports as it is. */
function exported(): Kernel[] {
  const modules = import.meta.glob<Record<string, unknown>>(
    ['../../kernels/**/*.ts', '!**/*.test.ts', '!../../kernels/agree.ts'],
    { eager: true },
  );
  return Object.values(modules).flatMap((module) => Object.values(module).filter(isKernel));
}

function isKernel(value: unknown): value is Kernel {
  return typeof value === 'object' && value !== null && 'wgsl' in value && 'bindings' in value && 'reference' in value;
}

/** Kernels that are made for a shape or choice: one of each kind. */
function made(): Kernel[] {
  const forms: LinearForm[] = [
    'plain',
    ...[1, 4].flatMap((rows) => [false, true].map((quads) => ({ rows, quads, workgroup: 16 }))),
  ];
  const shape = { inputs: 10, outputs: 6 };
  const linear = forms.flatMap((form) => [
    linearForward(shape, 'gelu', form),
    linearBackwardInput(shape, 'gelu', form),
    linearBackwardInput(shape, 'tanh', form, 'first'),
    linearBackwardInput(shape, 'tanh', form, 'last'),
    linearBackwardWeight(shape, form, true),
    linearBackwardWeight(shape, form, false),
  ]);
  const activations = (Object.keys(ACTIVATIONS) as ActivationName[]).flatMap((name) => [
    activationForward(name),
    activationBackward(name),
  ]);
  const losses = (['categorical', 'gaussian'] as const).flatMap((distribution) =>
    (['ppo', 'policy_gradient'] as const).map((objective) => policyLoss({ distribution, objective })),
  );
  const environments = Object.values(ENVIRONMENTS).flatMap((environment) => {
    const built = environment.build({}, '');
    return 'instance' in built
      ? [transition(built.instance.program), ...Object.values(environmentKernels(built.instance.program))]
      : [];
  });
  const levels = ['doorkey', 'lavagap', 'fourrooms', 'custom'].flatMap((level) =>
    ['partial', 'full'].flatMap((view) => {
      const built = ENVIRONMENTS.minigrid.build({ level, view }, '');
      return 'instance' in built ? Object.values(environmentKernels(built.instance.program)) : [];
    }),
  );
  return [
    ...linear,
    ...activations,
    ...losses,
    ...environments,
    ...levels,
    ...Object.values(environmentKernels(counter())),
  ] as unknown as Kernel[];
}

/** What runs use: every environment with every preset that fits it, and every choice of loss, advantage and optimiser. */
async function used(): Promise<Kernel[]> {
  const environments = Object.keys(ENVIRONMENTS).map((id): Changes => ({ environment: { id } }));
  const choices = (['loss', 'advantage', 'optimizer'] as const).flatMap((slot) =>
    idsFor('control', slot).map((id): Changes => ({ [slot]: { id } })),
  );
  const switches: Changes[] = [{ rollout: { normalize_observations: true }, reward: { normalize: true } }];
  const kernels: Kernel[] = [];
  const presets = Object.values(PRESETS).filter(({ world }) => world === 'control');
  for (const { id: preset } of presets)
    for (const changes of [...environments, ...choices, ...switches]) {
      const needsCritic = preset === 'reinforce' ? { loss: { value_coefficient: 0, ...changes.loss } } : {};
      const run = await Run.create(createCpuExecutor(), smallScenario(preset, { ...changes, ...needsCritic }), 0);
      kernels.push(...run.kernels());
      run.destroy();
    }
  return kernels;
}

function idsFor(world: 'control' | 'text', slot: Slot): string[] {
  return Object.values(REGISTRY[slot])
    .filter((choice) => (choice.world ?? world) === world)
    .map(({ id }) => id);
}

/** What text runs use: every policy, advantage, loss and optimiser, and preference learning. */
async function usedOnText(): Promise<Kernel[]> {
  const transformers = (['layer', 'rms'] as const).flatMap((norm) =>
    ['gelu', 'swiglu'].map(
      (activation): TextChanges => ({
        policy: { id: 'transformer', norm, activation, positions: norm === 'rms' ? 'rotary' : 'learned' },
      }),
    ),
  );
  const choices = (['advantage', 'loss', 'optimizer'] as const).flatMap((slot) =>
    idsFor('text', slot).map((id): TextChanges => ({ [slot]: { id } })),
  );
  const prefer: TextChanges = { phases: [{ id: 'prefer', from: 0, parameters: {}, with: {} }] };
  const kernels: Kernel[] = [];
  for (const changes of [{ policy: { id: 'gru' } }, ...transformers, ...choices, prefer]) {
    const id = String((changes.advantage ?? { id: 'group-relative' }).id);
    const critic = TOKEN_ADVANTAGES[id].needs(defaultsOf(TOKEN_ADVANTAGES[id].parameters) as never).includes('critic');
    const loss = critic ? { value_coefficient: 0.5, ...changes.loss } : changes.loss;
    const run = await TextRun.create(createCpuExecutor(), textScenario({ ...changes, ...(loss ? { loss } : {}) }), 0);
    kernels.push(...run.kernels());
    run.destroy();
  }
  return kernels;
}

const kernels = [
  ...new Map(
    [...exported(), ...made(), ...(await used()), ...(await usedOnText())].map((kernel) => [kernel.wgsl, kernel]),
  ).values(),
];

describe('the set of kernels', () => {
  it('holds every WGSL file with an entry point', () => {
    const files = import.meta.glob<string>('../../kernels/**/*.wgsl', {
      query: '?raw',
      import: 'default',
      eager: true,
    });
    const entries = Object.entries(files).filter(([, text]) => text.includes('@compute'));
    const missing = entries.filter(
      ([, text]) => !kernels.some(({ wgsl }) => wgsl.includes(text.slice(0, text.indexOf('\n')))),
    );
    expect(entries.length).toBeGreaterThan(30);
    expect(missing.map(([path]) => path)).toEqual([]);
  });

  it('gives a name to one text only', () => {
    const texts = new Map<string, Set<string>>();
    for (const { name, wgsl } of kernels) texts.set(name, (texts.get(name) ?? new Set()).add(wgsl));
    expect([...texts].filter(([, set]) => set.size > 1).map(([name]) => name)).toEqual([]);
  });
});

describe.each(kernels.map((kernel) => ({ name: kernel.name, kernel })))('$name', ({ kernel }) => {
  it('declares what its WGSL declares, within the default limits', () => {
    const reflection = new WgslReflect(outline(kernel.wgsl));
    const entries = reflection.entry.compute;
    expect(entries.map(({ name }) => name)).toEqual(['main']);
    const size = entries[0].attributes?.find(({ name }) => name === 'workgroup_size')?.value ?? [];
    const invocations = [size]
      .flat()
      .reduce((product: number, text) => product * constant(kernel.wgsl, String(text)), 1);
    expect(invocations).toBeGreaterThan(0);
    expect(invocations).toBeLessThanOrEqual(MAX_INVOCATIONS);

    const storage = reflection.storage
      .map(({ group, binding, name, access }) => ({
        group,
        binding,
        name,
        access: access === 'read_write' ? 'write' : 'read',
      }))
      .sort((a, b) => a.binding - b.binding);
    // The tuned linear layers call every array that they write `result`.
    if (kernel.name.startsWith('layer/linear[') && storage[3].name === 'result') storage[3].name = 'output';
    const declared = Object.entries(kernel.bindings).map(([name, access], binding) => ({
      group: 0,
      binding,
      name,
      access,
    }));
    expect(storage).toEqual(declared);
    expect(declared.length).toBeLessThanOrEqual(MAX_STORAGE_BUFFERS);

    const scalars = Object.entries(kernel.uniforms);
    const uniforms = reflection.uniforms.map(({ group, binding, name, type, members }) => ({
      group,
      binding,
      name,
      type: type.name,
      members: members?.map((member) => [member.name, member.type.name]),
    }));
    expect(uniforms).toEqual(
      scalars.length === 0
        ? []
        : [{ group: 0, binding: declared.length, name: 'u', type: 'Uniforms', members: scalars }],
    );
  });
});

/** The module with empty functions: what the parser of the package cannot read is inside them. */
function outline(wgsl: string): string {
  const text = wgsl.replace(/\/\/.*$/gm, '');
  let result = '';
  let at = 0;
  for (const { index, 0: head } of text.matchAll(/\bfn \w+[^{]*\{/g)) {
    if (index < at) continue;
    let end = index + head.length;
    for (let depth = 1; depth > 0; end++) depth += Number(text[end] === '{') - Number(text[end] === '}');
    result += `${text.slice(at, index)}${head}}`;
    at = end;
  }
  return result + text.slice(at);
}

/** A number, or the value of `const NAME = 16u;`. */
function constant(wgsl: string, text: string): number {
  return Number.parseInt(
    /^\d/.test(text) ? text : (new RegExp(`const ${text}(?:: u32)? = (\\d+)`).exec(wgsl)?.[1] ?? ''),
    10,
  );
}

it('compiles on a device with the default limits', async () => {
  const executor = await webGpuExecutor();
  const own = kernels.filter(({ name }) => !/^environment|quads/.test(name));
  await executor.prepare(own);
});
