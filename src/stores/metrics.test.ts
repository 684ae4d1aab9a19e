import { describe, expect, it } from 'vitest';
import { controlCurves, textCurves } from './metrics';

const names = (has: readonly string[], phases: readonly string[] = []) =>
  textCurves(has, phases).flatMap(({ metrics }) => metrics.map(({ name }) => name));

describe('curves of a run of tokens', () => {
  it('wait for what every rollout reports, and not for what the scenario has not', () => {
    const shown = names([]);
    expect(shown).toContain('rollout/tokens');
    expect(shown).toContain('losses/grad_norm');
    expect(shown).not.toContain('losses/imitation_loss');
    expect(shown).not.toContain('losses/preference_loss');
    expect(shown).not.toContain('rollout/staleness');
  });
  it('have those of the phases from the start, also while another phase runs', () => {
    const shown = names(['losses/imitation_loss', 'losses/grad_norm'], ['imitate', 'reinforce']);
    expect(shown).toContain('losses/imitation_loss');
    expect(shown).toContain('rollout/pass_at_1');
  });
  it('are none of reinforcement where the plan only prefers', () => {
    const shown = names([], ['prefer']);
    expect(shown).toContain('losses/chosen_log_prob');
    expect(shown).not.toContain('losses/value_loss');
    expect(shown).not.toContain('rollout/idle_share');
  });
  it('are those with data once a rollout has reported', () => {
    const shown = names(['rollout/tokens', 'rollout/staleness']);
    expect(shown).toEqual(['eval/success', 'eval/episodic_return', 'rollout/tokens', 'rollout/staleness']);
  });
  it('end with the signals of the environment, and what a claim asks of right episodes', () => {
    const reported = ['rollout/tokens', 'signals/queries', 'signals/success', 'signals_right/queries'];
    expect(
      textCurves(reported, [])
        .at(-1)
        ?.metrics.map(({ title }) => title),
    ).toEqual(['queries']);
    const claimed = textCurves(reported, [], ['signals_right/queries', 'eval/success']).at(-1);
    expect(claimed?.metrics.map(({ title }) => title)).toEqual(['queries when right', 'queries']);
  });
  it('are no curves of a run of control', () => {
    expect(controlCurves(undefined).some(({ name }) => name.startsWith('rollout/'))).toBe(false);
    expect(controlCurves((name) => name === 'losses/entropy').map(({ name }) => name)).toEqual([
      'eval/success',
      'eval/episodic_return',
      'losses/entropy',
    ]);
  });
});
