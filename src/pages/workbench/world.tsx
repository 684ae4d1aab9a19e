/** The world panel, connected to the run. */
import { lazy, Suspense, useMemo } from 'react';
import { WorldPanel } from '../../components/world';
import type { WorldActions } from '../../components/world/props';
import { worldOf } from '../../stores/registry';
import { useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { playItYourself } from '../../stores/session';
import { usePhase } from './world-phase';

const { playAct, playHint, playStart, playStop, watch } = useRun.getState();
const startPlaying = () =>
  useRun.getState().play === undefined ? playItYourself() : playStart(Math.floor(Math.random() * 2 ** 31));

const TextWorld = lazy(() => import('./text-world'));

/** Steps of copies, or episodes of tokens: the scenario's environment says which. */
export function WorldOfRun() {
  const world = useScenario(({ scenario }) => (scenario === undefined ? 'control' : worldOf(scenario)));
  if (world === 'control') return <ControlWorld />;
  return (
    <Suspense fallback={<section className="panel world-panel" aria-label="World" />}>
      <TextWorld />
    </Suspense>
  );
}

function ControlWorld() {
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

function copiesOf(rollout: Readonly<Record<string, unknown>> | undefined): number {
  return typeof rollout?.copies === 'number' ? rollout.copies : 1;
}
