/** A multi-armed bandit as a program; see bandit.wgsl for what it does and its source. */
import { wgsl } from '../kernel';
import code from './bandit.wgsl?raw';
import { programName, wgslConstants } from './constants';
import type { EnvironmentProgram } from './program';

export interface BanditSettings {
  /** One mean an arm; where they are redrawn, only their number counts. */
  readonly means: readonly number[];
  /** Bernoulli arms pay 1 with probability mean, else 0; Gaussian arms pay mean plus noise. */
  readonly kind: 'gaussian' | 'bernoulli';
  /** Standard deviation of a Gaussian arm's pay. */
  readonly noise: number;
  /** New means each episode: standard normal (Gaussian), uniform on [0, 1) (Bernoulli). */
  readonly redrawn: boolean;
  /** Standard deviation of each mean's random walk, a pull. */
  readonly drift: number;
  /** Pulls an episode. */
  readonly pulls: number;
  /** Whether the observation tells what each arm paid so far. */
  readonly memory: boolean;
}

/** Where the arms' words start, three an arm: mean, pulls, sum of pay. */
export const ARMS_START = 1;

export function bandit(settings: BanditSettings): EnvironmentProgram {
  const { means, kind, noise, redrawn, drift, pulls, memory } = settings;
  const arms = means.length;
  const bernoulli = kind === 'bernoulli';
  const floats = { noise, drift };
  const counts = { arms, pulls, bernoulli, redrawn, memory };
  const meanAt = (s: number, arm: number) => s + ARMS_START + 3 * arm;
  const allArms = Array.from({ length: arms }, (_, arm) => arm);
  return {
    name: programName('bandit', floats, counts),
    wgsl: wgsl(wgslConstants(floats, counts), code),
    stateSize: ARMS_START + 3 * arms,
    observationSize: memory ? 1 + 2 * arms : 1,
    action: { kind: 'discrete', count: arms, names: allArms.map((arm) => `arm ${arm + 1}`) },
    signals: ['reward', 'regret', 'best', 'success'],
    tables: Float32Array.from(means),
    maxSteps: 0,
    masksActions: false,

    reset(state, s, random) {
      state[s] = 0;
      for (const arm of allArms) {
        const mean = !redrawn ? means[arm] : bernoulli ? random.uniform() : random.normal();
        state.set([mean, 0, 0], meanAt(s, arm));
      }
    },
    step(state, s, actions, a, _steps, random, signal) {
      const at = meanAt(s, actions[a]);
      const mean = state[at];
      const best = Math.max(...allArms.map((arm) => state[meanAt(s, arm)]));

      const reward = bernoulli ? Number(random.uniform() < mean) : mean + noise * random.normal();
      state[s] += 1;
      state[at + 1] += 1;
      state[at + 2] += reward;
      if (drift > 0) {
        for (const arm of allArms) {
          const moved = state[meanAt(s, arm)] + drift * random.normal();
          state[meanAt(s, arm)] = bernoulli ? Math.min(Math.max(moved, 0), 1) : moved;
        }
      }

      const ended = state[s] >= pulls;
      signal[0] = reward;
      signal[1] = best - mean;
      signal[2] = Number(mean === best);
      signal[3] = Number(ended && mean === best);
      return ended;
    },
    observe(state, s, out, o) {
      out[o] = 1;
      if (!memory) return;
      for (const arm of allArms) {
        const [tried, paid] = [state[meanAt(s, arm) + 1], state[meanAt(s, arm) + 2]];
        out[o + 1 + 2 * arm] = paid / Math.max(tried, 1);
        out[o + 2 + 2 * arm] = tried / pulls;
      }
    },
    legal: () => 2 ** arms - 1,
  };
}
