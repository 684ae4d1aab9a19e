/** One transition of each row from a given state; see transition.wgsl for shapes. */
import { ceilDiv, defineKernel, type Kernel, wgsl } from '../kernel';
import { Random } from '../random/threefry';
import randomCode from '../random/threefry.wgsl?raw';
import { wgslConstants } from './constants';
import { actionSize, type EnvironmentProgram } from './program';
import code from './transition.wgsl?raw';

export type TransitionBuffer = 'state' | 'tables' | 'actions' | 'steps' | 'result';
export type TransitionUniform = 'count' | 'seed' | 'draw' | 'reset';

/** Numbers a row of `result`: signals, terminated, legal actions, observation. */
export function resultSize(program: EnvironmentProgram): number {
  return program.signals.length + 2 + program.observationSize;
}

export function transition(program: EnvironmentProgram): Kernel<TransitionBuffer, TransitionUniform> {
  const signals = program.signals.length;
  const size = resultSize(program);
  const sizes = {
    state: program.stateSize,
    action: actionSize(program.action),
    signals,
    observation: program.observationSize,
  };
  return defineKernel({
    name: `environment/transition ${program.name}`,
    wgsl: wgsl(wgslConstants({}, sizes), randomCode, program.wgsl, code),
    bindings: { state: 'write', tables: 'read', actions: 'read', steps: 'read', result: 'write' },
    uniforms: { count: 'u32', seed: 'u32', draw: 'u32', reset: 'u32' },
    workgroups: ({ count }) => ceilDiv(count, 64),
    reference(buffers, u) {
      const [state, actions, result] = [buffers.state, buffers.actions, buffers.result] as Float32Array[];
      for (let row = 0; row < u.count; row++) {
        const s = row * sizes.state;
        const at = row * size;
        const random = new Random(u.seed, 0, row, u.draw);
        const signal = result.subarray(at, at + signals);
        signal.fill(0);
        let terminated = false;
        if (u.reset === 1) program.reset(state, s, random);
        else terminated = program.step(state, s, actions, row * sizes.action, buffers.steps[row], random, signal);
        result[at + signals] = Number(terminated);
        result[at + signals + 1] = program.legal(state, s);
        program.observe(state, s, result, at + signals + 2);
      }
    },
  });
}
