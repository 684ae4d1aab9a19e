/** For tests: small scenarios, made from a preset by naming what differs. */
import { createHash } from 'node:crypto';
import type { EnvironmentProgram } from '../../kernels/environment/program';
import type { AnyParameters } from './parameters';
import { PRESETS } from './presets';
import { type Resolved, resolve } from './resolve';
import type { Choice, Scenario, Slot, TrainingPlan } from './scenario';

/** Parameters by slot; `id` chooses another stage than the preset's. */
export type Changes = Readonly<Partial<Record<Slot, AnyParameters>>>;

const BASE: Readonly<Record<Slot, Choice>> = {
  environment: { id: 'frozen-lake', parameters: { slippery: false } },
  policy: { id: 'mlp', parameters: { hidden: [16] } },
  rollout: { id: 'synchronous', parameters: { copies: 8, steps: 16 } },
  reward: { id: 'weighted', parameters: {} },
  filter: { id: 'none', parameters: {} },
  advantage: { id: 'gae', parameters: {} },
  loss: { id: 'ppo-clip', parameters: {} },
  optimizer: { id: 'adam', parameters: {} },
};

/** What a scenario says of itself: nothing. */
export const BLANK = {
  id: 'test',
  title: 'Test',
  summary: '',
  capabilities: [],
  fields: [],
  phases: [],
  claims: [],
  lesson: '',
} as const satisfies Partial<Scenario>;

/** FrozenLake 4×4 without slipping unless `changes` say otherwise; 8 copies × 16 steps, one hidden layer of 16. */
export function smallScenario(preset: string, changes: Changes = {}, training: Partial<TrainingPlan> = {}): Scenario {
  const slots = Object.entries(BASE).map(([name, base]) => {
    const slot = name as Slot;
    // The preset's own size of rollout is for real training.
    const { copies: _c, steps: _s, ...given } = PRESETS[preset].slots[slot]?.parameters ?? {};
    const { id, ...own } = changes[slot] ?? {};
    const choice = PRESETS[preset].slots[slot]?.id ?? base.id;
    const chosen = String(id ?? choice);
    return [
      slot,
      {
        id: chosen,
        parameters: { ...(chosen === base.id ? base.parameters : {}), ...(chosen === choice ? given : {}), ...own },
      },
    ];
  });
  return {
    ...BLANK,
    preset,
    slots: Object.fromEntries(slots),
    training: { updates: 100, evaluateEvery: 100, evaluationEpisodes: 20, greedyEvaluation: true, ...training },
  };
}

/** A resolved scenario whose environment is another program, which need not be in the registry. */
export function resolvedWith(program: EnvironmentProgram, scenario: Scenario): Resolved {
  const resolved = resolve(scenario, 2 ** 30);
  const outputs = program.action.kind === 'discrete' ? program.action.count : program.action.size;
  return {
    ...resolved,
    environment: { program, view: resolved.environment.view },
    policy: { ...resolved.policy, observationSize: program.observationSize, outputs },
  };
}

/** SHA-256 of the bits. */
export function sha(data: Float32Array): string {
  return createHash('sha256')
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest('hex');
}
