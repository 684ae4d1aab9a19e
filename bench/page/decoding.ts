/** Sampling with the model's memory of what it has read: the transformer of the update's rows, all slots writing. */
import { BufferPool } from '../../src/engine/device/pool';
import { tuneLayer } from '../../src/engine/device/tuning';
import { Layout } from '../../src/engine/policies/layout';
import { TRANSFORMER } from '../../src/engine/policies/transformer';
import { SAMPLER_KERNELS, TurnSampler } from '../../src/engine/text/sampler';
import { TRANSFORMER_SETTINGS } from '../peers/transformer/ours';
import { LENGTH, VOCABULARY } from '../peers/transformer/problem';
import { openGpu } from './adapter';
import { milliseconds, summarize, type Timing } from './timing';

/** Tokens a second of `slots` sequences that grow from one token to the model's context; read back once. */
export async function decoding(slots: number, rounds: number): Promise<Timing> {
  const executor = await openGpu();
  const pool = new BufferPool(executor);
  const { forms } = await tuneLayer(executor, TRANSFORMER.widest(TRANSFORMER_SETTINGS, VOCABULARY), {});
  const layout = new Layout();
  const model = TRANSFORMER.build(TRANSFORMER_SETTINGS, {
    room: { vocabulary: VOCABULARY, context: LENGTH, sequences: slots, length: LENGTH },
    heads: { logits: true, value: false },
    pool,
    layout,
    prefix: 'actor',
    forms,
  });
  // One state in which any token but padding may follow, and none ends the turn: everyone writes to the end.
  const grammar = pool.u32('grammar', VOCABULARY);
  executor.upload(
    grammar,
    Uint32Array.from({ length: VOCABULARY }, (_, token) => Number(token > 0)),
  );
  const world = { vocabulary: Array.from({ length: VOCABULARY }, String), stops: [] };
  const sampler = new TurnSampler(pool, model, world, { table: grammar, enforced: true, anything: 0 }, slots, 0);
  await executor.prepare([...model.kernels(), ...SAMPLER_KERNELS]);
  const parameters = pool.f32('parameters', layout.size);
  executor.upload(parameters, layout.initialize(1));

  const settings = { temperature: 1, topK: 0, topP: 1, greedy: false, turnTokens: LENGTH - 1 };
  let written = 0;
  const write = async (round: number) => {
    const asks = Array.from({ length: slots }, (_, i) => ({
      episode: round * slots + i,
      tokens: [1],
      begun: 0,
      state: 0,
    }));
    const turns = await sampler.turn(parameters, asks, 1, settings);
    written = turns.reduce((total, turn) => total + (turn?.tokens.length ?? 0), 0);
  };
  await write(0);
  const samples: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const ms = await milliseconds(() => write(round));
    samples.push((1000 * written) / ms);
  }
  pool.destroy();
  executor.destroy();
  return summarize(samples, false);
}
