/**
 * Counter-based random numbers: Threefry-2x32, 20 rounds (Salmon et al., SC 2011), the same bits as
 * threefry.wgsl. A draw is named by (seed, stream, copy, step, draw), so nothing is stored and no
 * two purposes share a stream.
 */

/** One stream number per purpose, below 256. Evaluation has its own, so that it never disturbs training. */
export const STREAM = {
  initialise: 1,
  action: 2,
  environmentStep: 3,
  environmentReset: 4,
  permutation: 5,
  evaluationAction: 6,
  evaluationStep: 7,
  evaluationReset: 8,
  play: 9,
  /** Text worlds: which tasks, what the policy writes, what the environment answers, what the expert shows. */
  task: 10,
  turn: 11,
  answer: 12,
  demonstration: 13,
  evaluationTask: 14,
  evaluationTurn: 15,
  evaluationAnswer: 16,
  shuffle: 17,
} as const;

const ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24] as const;
const PARITY = 0x1bd11bda;
const UNIT = 2 ** -24;

/** 64 random bits as two unsigned words, for key (k0, k1) and counter (c0, c1). */
export function threefry(k0: number, k1: number, c0: number, c1: number): [number, number] {
  const keys = [k0, k1, k0 ^ k1 ^ PARITY];
  let x = (c0 + k0) | 0;
  let y = (c1 + k1) | 0;
  for (let round = 0; round < 20; round++) {
    const by = ROTATIONS[round % 8];
    x = (x + y) | 0;
    y = ((y << by) | (y >>> (32 - by))) ^ x;
    if (round % 4 === 3) {
      const injection = (round + 1) / 4;
      x = (x + keys[injection % 3]) | 0;
      y = (y + keys[(injection + 1) % 3] + injection) | 0;
    }
  }
  return [x >>> 0, y >>> 0];
}

/** Draws are told apart in the key, above the stream number: all 2^32 copies and steps stay free. */
const DRAW = 256;

/** A position in a stream; the twin of `struct Random` in threefry.wgsl. */
export class Random {
  private draw = 0;

  constructor(
    private readonly seed: number,
    private readonly stream: number,
    private readonly copy: number,
    private readonly step: number,
  ) {}

  bits(): [number, number] {
    return threefry(this.seed | 0, this.stream + DRAW * this.draw++, this.copy | 0, this.step | 0);
  }

  /** Uniform in [0, 1), a multiple of 2^-24. */
  uniform(): number {
    return (this.bits()[0] >>> 8) * UNIT;
  }

  /** Uniform integer in [0, n). Rounds as float32 does, so that both executors choose alike. */
  below(n: number): number {
    return Math.min(Math.floor(Math.fround(this.uniform() * n)), n - 1);
  }

  /** Standard normal (Box and Muller 1958). */
  normal(): number {
    const [a, b] = this.bits();
    const u = 1 - (a >>> 8) * UNIT;
    const v = (b >>> 8) * UNIT;
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
  }
}
