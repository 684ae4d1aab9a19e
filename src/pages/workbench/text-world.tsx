/** The world of tokens, connected to the run. */
import { TextWorld } from '../../components/text';
import { count } from '../../components/text/episode';
import { useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { playItYourself } from '../../stores/session';
import { openStage } from './state';
import { usePhase } from './world-phase';

const { playAct, playBack, playHint, playStart, playStop, tryOut, pick, prefer, forget, watch } = useRun.getState();
const startPlaying = () =>
  useRun.getState().textPlay === undefined ? playItYourself() : playStart(Math.floor(Math.random() * 2 ** 31));

export default function TextWorldOfRun() {
  const status = useRun((state) => state.status);
  const canAsk = status === 'ready' || status === 'training' || status === 'paused' || status === 'finished';
  return (
    <TextWorld
      phase={usePhase()}
      running={status === 'training'}
      imitating={useRun((state) => state.phase?.id === 'imitate')}
      shapes={useRun((state) => state.shapes)}
      teach={useRun(({ running }) => running?.scenario.slots.loss.parameters.observations_teach === true)}
      written={useRun((state) => state.transcripts)}
      tried={useRun((state) => state.tried)}
      trying={useRun((state) => state.trying)}
      notTried={useRun((state) => state.notTried)}
      play={useRun((state) => state.textPlay)}
      hint={useRun((state) => state.hint)}
      picked={useRun((state) => state.collected.picked)}
      gathered={<Gathered />}
      cannotTry={canAsk ? undefined : 'The run is not ready'}
      onPlayStart={startPlaying}
      onPlayAct={playAct}
      onPlayHint={playHint}
      onPlayBack={playBack}
      onPlayStop={playStop}
      onTry={tryOut}
      onPick={pick}
      onPrefer={prefer}
      onWatch={(episodes, taught) => watch(episodes, false, taught)}
    />
  );
}

/** How many demonstrations and pairs there are, and which phases would learn from them. */
function Gathered() {
  const { demonstrations, pairs, missed } = useRun((state) => state.collected);
  const phases = useScenario((state) => state.scenario?.phases);
  const used = (id: string, sources: readonly string[]) =>
    phases?.some((phase) => phase.id === id && sources.includes(String(phase.parameters.source))) === true;
  const imitated = used('imitate', ['picked', 'both']);
  const preferred = used('prefer', ['clicked']);
  return (
    <p className="gathered" role="status">
      {missed && 'The run keeps an episode only for a while, and that one is gone. '}
      {count(demonstrations, 'demonstration')} and {count(pairs, 'pair')} gathered.{' '}
      {demonstrations + pairs > 0 && (
        <>
          <button type="button" className="link" onClick={forget}>
            Forget them
          </button>{' '}
        </>
      )}
      {!(imitated && preferred) && (
        <>
          {imitated || preferred
            ? `No phase learns from your ${imitated ? 'pairs' : 'demonstrations'} yet: `
            : 'No phase learns from them yet: '}
          <button type="button" className="link" onClick={() => openStage('phases')}>
            Phases
          </button>
        </>
      )}
    </p>
  );
}
