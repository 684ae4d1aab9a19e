/** Fills a buffer with random bits, uniform or normal numbers; each element is its own copy of a stream. */
import { ceilDiv, defineKernel, wgsl } from '../kernel';
import code from './fill.wgsl?raw';
import { Random } from './threefry';
import threefry from './threefry.wgsl?raw';

function fill(name: string, element: 'f32' | 'u32', drawWgsl: string, draw: (random: Random) => number) {
  return defineKernel({
    name: `random/${name}`,
    wgsl: wgsl(
      threefry,
      `alias Element = ${element};`,
      `fn draw(random: ptr<function, Random>) -> Element { return ${drawWgsl}; }`,
      code,
    ),
    bindings: { output: 'write' },
    uniforms: { count: 'u32', seed: 'u32', stream: 'u32', step: 'u32' },
    workgroups: ({ count }) => ceilDiv(count, 64),
    reference({ output }, { count, seed, stream, step }) {
      for (let i = 0; i < count; i++) output[i] = draw(new Random(seed, stream, i, step));
    },
  });
}

/** 32 random bits an element: the first word of the first draw. */
export const randomBits = fill('bits', 'u32', 'random_bits(random).x', (random) => random.bits()[0]);

/** Uniform in [0, 1). */
export const randomUniform = fill('uniform', 'f32', 'random_uniform(random)', (random) => random.uniform());

/** Standard normal. */
export const randomNormal = fill('normal', 'f32', 'random_normal(random)', (random) => random.normal());
