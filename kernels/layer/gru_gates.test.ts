import { describe, expect, it } from 'vitest';
import { agree, expectGolden, flags, normals } from '../agree';
import { Random } from '../random/threefry';
import { gruBegin, gruGates, gruGatesBackward } from './gru_gates';
import { torchGru } from './gru_golden';

describe('gated recurrent unit', () => {
  it('agrees with PyTorch, forward and backward through time', () =>
    expectGolden('torch_gru', torchGru, ({ inputs }) => inputs.cell === 'gru'));

  it.each([
    [1, 1],
    [3, 5],
    [65, 16],
  ])('agrees on both executors for %i sequences of %i units', async (sequences, hidden) => {
    const count = sequences * hidden;
    const tokens = Uint32Array.from({ length: sequences * 3 + 2 }, (_, i) => new Random(1, 1, i, 0).below(4));
    const gates = new Float32Array(5 * 4 * count);
    const states = normals(6 * count, 3);
    const given = { inputs: normals(4 * 3 * hidden, 1), tokens, recurrent: normals(3 * count, 2) };
    const running = Uint32Array.from(flags(sequences, 0.7));
    const place = { sequences, hidden, token_first: 2, token_stride: 3, first: sequences, after: 2 * sequences };
    const written = await agree(gruGates, { ...given, running, states, gates }, { ...place, running_stride: 1 });
    for (let s = 0; s < sequences; s++) {
      const next = [...written.states.subarray((2 * sequences + s) * hidden, (2 * sequences + s + 1) * hidden)];
      const before = [...states.subarray((sequences + s) * hidden, (sequences + s + 1) * hidden)];
      if (running[s] === 0) expect(next).toEqual(before);
      else expect(next).not.toEqual(before);
    }
    const results = {
      carry: normals(count, 5),
      input_gradient: new Float32Array(5 * 3 * count),
      recurrent_gradient: new Float32Array(5 * 3 * count),
    };
    const kept = { gates: written.gates, states: written.states, state_gradient: normals(5 * count, 4) };
    for (const last of [0, 1])
      await agree(gruGatesBackward, { ...kept, ...results }, { sequences, hidden, first: sequences, last });
  });

  it('begins where an running sequence is at position 0', async () => {
    const given = { positions: Uint32Array.of(0, 0, 3), running: Uint32Array.of(1, 0, 1) };
    const states = Float32Array.of(1, 2, 3, 4, 5, 6);
    const written = await agree(gruBegin, { ...given, states }, { sequences: 3, hidden: 2 });
    expect([...written.states]).toEqual([0, 0, 3, 4, 5, 6]);
  });
});
