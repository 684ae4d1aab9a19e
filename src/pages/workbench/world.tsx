/** The world panel, connected to the run. */
import { useMemo } from 'react';
import { WorldPanel } from '../../components/world';
import type { WorldActions, WorldPhase } from '../../components/world/props';
import { useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { playItYourself } from '../../stores/session';

const { playAct, playHint, playStart, playStop, watch } = useRun.getState();
const startPlaying = () =>
  useRun.getState().play === undefined ? playItYourself() : playStart(Math.floor(Math.random() * 2 ** 31));

export function World() {
  const title = useScenario((state) => state.scenario?.title ?? '');
  const phase = usePhase();
  const shapes = useRun((state) => state.shapes);
  const actions = useMemo<WorldActions>(
    () => ({
      names: shapes?.actionNames ?? [],
      continuous: shapes?.continuous ?? false,
      low: shapes?.actionLow ?? [],
      high: shapes?.actionHigh ?? [],
    }),
    [shapes],
  );
  return (
    <WorldPanel
      className="world-panel"
      title={title}
      phase={phase}
      update={useRun((state) => state.tick.update)}
      running={useRun((state) => state.status === 'training')}
      actions={actions}
      clip={useRun((state) => state.world ?? null)}
      valueMap={useRun((state) => state.valueMap ?? null)}
      copies={useScenario((state) => copiesOf(state.scenario?.slots.rollout.parameters))}
      success={useRun((state) => state.evaluation?.success ?? null)}
      play={useRun((state) => state.play ?? null)}
      hint={useRun((state) => state.hint ?? null)}
      onPlayStart={startPlaying}
      onPlayAct={playAct}
      onPlayHint={playHint}
      onPlayStop={playStop}
      onWatch={watch}
    />
  );
}

function usePhase(): WorldPhase {
  const status = useRun((state) => state.status);
  const progress = useRun((state) => state.progress);
  const failure = useRun((state) => state.failure);
  return useMemo<WorldPhase>(() => {
    if (failure !== undefined) return { kind: 'error', ...failure };
    if (status === 'loading')
      return { kind: 'loading', ...(progress ?? { what: 'Preparing the run', done: 0, total: 0 }) };
    return status === 'empty' ? { kind: 'empty' } : { kind: 'ready' };
  }, [status, progress, failure]);
}

function copiesOf(rollout: Readonly<Record<string, unknown>> | undefined): number {
  return typeof rollout?.copies === 'number' ? rollout.copies : 1;
}
