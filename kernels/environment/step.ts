/** Steps and resets of all copies of an environment; shapes and the meaning of every buffer in step.wgsl. */
import { ceilDiv, defineKernel, type Kernel, wgsl } from '../kernel';
import { Random } from '../random/threefry';
import randomCode from '../random/threefry.wgsl?raw';
import { wgslConstants } from './constants';
import { actionSize, type EnvironmentProgram, STATE_HEADER } from './program';
import code from './step.wgsl?raw';

/** Small, so that few copies still make several workgroups. */
const WORKGROUP = 16;

export type StepBuffer =
  | 'state'
  | 'tables'
  | 'actions'
  | 'observations'
  | 'signals'
  | 'terminated'
  | 'truncated'
  | 'masks';
export type StepUniform =
  | 'copies'
  | 'first'
  | 'final_first'
  | 'seed'
  | 'step_stream'
  | 'reset_stream'
  | 'step'
  | 'max_steps'
  | 'episode_limit';
type StepKernel = Kernel<StepBuffer, StepUniform>;

/** The step of every copy, and the reset that begins a run: episode 0 of each copy. */
export function environmentKernels(program: EnvironmentProgram): { step: StepKernel; reset: StepKernel } {
  return { step: environmentKernel(program, false), reset: environmentKernel(program, true) };
}

function environmentKernel(program: EnvironmentProgram, resets: boolean): StepKernel {
  const constants = wgslConstants(
    {},
    {
      header: STATE_HEADER,
      state: program.stateSize,
      action: actionSize(program.action),
      signals: program.signals.length,
      observation: program.observationSize,
      workgroup: WORKGROUP,
    },
  );
  return defineKernel({
    name: `environment/${resets ? 'reset' : 'step'} ${program.name}`,
    wgsl: wgsl(constants, `const RESET = ${resets};`, randomCode, program.wgsl, code),
    bindings: {
      state: 'write',
      tables: 'read',
      actions: 'read',
      observations: 'write',
      signals: 'write',
      terminated: 'write',
      truncated: 'write',
      masks: 'write',
    },
    uniforms: {
      copies: 'u32',
      first: 'u32',
      final_first: 'u32',
      seed: 'u32',
      step_stream: 'u32',
      reset_stream: 'u32',
      step: 'u32',
      max_steps: 'u32',
      episode_limit: 'u32',
    },
    workgroups: ({ copies }) => ceilDiv(copies, WORKGROUP),
    reference(buffers, u) {
      const [state, actions, observations, signals, terminated, truncated] = [
        buffers.state,
        buffers.actions,
        buffers.observations,
        buffers.signals,
        buffers.terminated,
        buffers.truncated,
      ] as Float32Array[];
      const size = program.signals.length;

      const beginEpisode = (copy: number, base: number) => {
        state[base] = 0;
        program.reset(state, base + STATE_HEADER, new Random(u.seed, u.reset_stream, copy, state[base + 1]));
      };
      const show = (base: number, row: number) => {
        program.observe(state, base + STATE_HEADER, observations, row * program.observationSize);
        buffers.masks[row] = program.legal(state, base + STATE_HEADER);
      };
      for (let copy = 0; copy < u.copies; copy++) {
        const base = copy * (STATE_HEADER + program.stateSize);
        const row = u.first + copy;
        if (resets) {
          state[base + 1] = 0;
          beginEpisode(copy, base);
          show(base, row);
          continue;
        }
        const signal = signals.subarray(row * size, (row + 1) * size);
        signal.fill(0);
        terminated[row] = 0;
        truncated[row] = 0;
        if (u.episode_limit > 0 && state[base + 1] >= u.episode_limit) continue;
        const steps = ++state[base];
        const random = new Random(u.seed, u.step_stream, copy, u.step);
        const ends = program.step(
          state,
          base + STATE_HEADER,
          actions,
          row * actionSize(program.action),
          steps,
          random,
          signal,
        );
        const late = !ends && u.max_steps > 0 && steps >= u.max_steps;
        terminated[row] = Number(ends);
        truncated[row] = Number(late);
        if (ends || late) {
          program.observe(state, base + STATE_HEADER, observations, (u.final_first + row) * program.observationSize);
          state[base + 1] += 1;
          beginEpisode(copy, base);
        }
        show(base, row + u.copies);
      }
    },
  });
}
