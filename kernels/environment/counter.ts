/** For tests: an environment that counts its steps, 0 1 2 3 4, and terminates at 4; see counter.wgsl. */
import code from './counter.wgsl?raw';
import type { EnvironmentProgram } from './program';

/** `maxSteps` below 4 truncates instead, so that both ends can be told apart. */
export function counter(maxSteps = 0): EnvironmentProgram {
  return {
    name: `counter[${maxSteps}]`,
    wgsl: code,
    stateSize: 1,
    observationSize: 1,
    action: { kind: 'discrete', count: 1, names: ['count'] },
    signals: ['reward', 'success'],
    tables: new Float32Array(0),
    maxSteps,
    masksActions: false,
    reset(state, s) {
      state[s] = 0;
    },
    step(state, s, _actions, _a, _steps, _random, signal) {
      state[s]++;
      signal[0] = 1;
      signal[1] = Number(state[s] === 4);
      return state[s] === 4;
    },
    observe(state, s, out, o) {
      out[o] = state[s];
    },
    legal: () => 0b1,
  };
}
