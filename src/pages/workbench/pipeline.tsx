/** The pipeline as connected cards, each a door to its form; the wires say what flows. */
import {
  ArrowRightLeft,
  ChartColumn,
  CircleDollarSign,
  Filter,
  Grid3x3,
  ListOrdered,
  type LucideIcon,
  Network,
  Redo2,
  Target,
  Timer,
  TrendingUp,
  Undo2,
} from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { IconButton } from '../../components/button';
import { Mark } from '../../components/setting-field';
import { worldOf } from '../../stores/registry';
import { useRun } from '../../stores/run';
import { redo, same, undo, useScenario } from '../../stores/scenario';
import { lackNow, useSeedPending, useSession } from '../../stores/session';
import { isChanged, unlikePreset } from './base';
import { type CardText, cardText, phasesText, wireText } from './cards';
import { Pending } from './pending';
import { PhasesForm } from './phases-form';
import { PresetMenu } from './preset-menu';
import { StageForm } from './stage-form';
import { openStage, type StageName, slotsOf, useWorkbench } from './state';

const ICONS: Record<StageName, LucideIcon> = {
  environment: Grid3x3,
  policy: Network,
  rollout: ArrowRightLeft,
  reward: CircleDollarSign,
  filter: Filter,
  advantage: ChartColumn,
  loss: Target,
  optimizer: TrendingUp,
  training: Timer,
  phases: ListOrdered,
};

export function Pipeline() {
  const stage = useWorkbench((state) => state.stage);
  const last = useRef<StageName>(undefined);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // The focus goes back to the card whose form was closed.
    if (stage === undefined && last.current !== undefined)
      panel.current?.querySelector<HTMLElement>(`[data-stage=${last.current}]`)?.focus();
    last.current = stage;
  }, [stage]);
  return (
    <section className="panel pipeline" aria-label="Pipeline" ref={panel}>
      {stage === undefined && <Cards />}
      {stage === 'phases' && <PhasesForm icon={ICONS.phases} />}
      {stage !== undefined && stage !== 'phases' && <StageForm key={stage} stage={stage} icon={ICONS[stage]} />}
      <Pending />
    </section>
  );
}

function Cards() {
  const scenario = useScenario((state) => state.scenario);
  const training = useRun((state) => state.status === 'training');
  const refused = useRun((state) => state.refused);
  const shapes = useRun((state) => state.shapes);
  const phase = useRun((state) => state.phase);
  const { pending, problems, meaning, seed } = useSession();
  const seedPending = useSeedPending();
  const lack = useRun((state) => lackNow(state)?.message);
  if (scenario === undefined) return null;
  const world = worldOf(scenario);
  const sizes = { meaning, shapes };
  const faultOf = (stage: StageName) =>
    [...problems, ...refused].find(({ path }) => path.replace(/^slots\./, '').startsWith(stage))?.message;
  return (
    <>
      <div className="panel-head">
        <h2>Pipeline</h2>
        <div className="end">
          <History />
          <PresetMenu />
        </div>
      </div>
      <div className={`cards-list${training ? ' running' : ''}`}>
        {world === 'text' && (
          <StageCard
            stage="phases"
            text={phasesText(scenario.phases, phase?.index)}
            changed={!same(scenario.phases, useScenario.getState().opened?.phases)}
            pending={pending.some(({ path }) => path === 'phases')}
            fault={faultOf('phases') ?? lack}
          />
        )}
        {slotsOf(world).map((slot) => (
          <div key={slot} className="link-of-chain">
            <StageCard
              stage={slot}
              text={cardText(slot, scenario, sizes)}
              changed={isChanged(scenario, slot)}
              unlike={unlikePreset(scenario, slot)}
              pending={pending.some(({ path }) => path.startsWith(`${slot}.`))}
              fault={faultOf(slot)}
            />
            {slot !== 'optimizer' && <Wire text={wireText(slot, scenario, sizes)} />}
          </div>
        ))}
        <StageCard
          stage="training"
          text={{
            kind: 'Run',
            choice: `${scenario.training.updates} updates`,
            readouts: [`seed ${seed}`, `test each ${scenario.training.evaluateEvery}`],
          }}
          changed={false}
          pending={seedPending || pending.some(({ path }) => path.startsWith('training.'))}
          fault={faultOf('training')}
        />
      </div>
    </>
  );
}

interface StageCardProps {
  readonly stage: StageName;
  readonly text: CardText;
  readonly changed: boolean;
  /** In words, where its preset has something else. */
  readonly unlike?: string | undefined;
  readonly pending: boolean;
  readonly fault: string | undefined;
}

function StageCard({ stage, text, changed, unlike, pending, fault }: StageCardProps) {
  const Icon = ICONS[stage];
  return (
    <button
      type="button"
      className={`stage${fault === undefined ? '' : ' faulty'}`}
      data-stage={stage}
      onClick={() => openStage(stage)}
    >
      <Icon size={20} strokeWidth={1.75} aria-hidden />
      <span className="stage-name">
        <span className="stage-kind">
          {text.kind}
          {/* The head of the pipeline names the preset. */}
          <Mark changed={changed} unlike={unlike === undefined ? undefined : '≠ preset'} />
          {pending && <span className="at-reset">at reset</span>}
        </span>
        <span className="stage-choice">{text.choice}</span>
      </span>
      <span className="stage-readouts">
        {text.readouts.map((readout) => (
          <span key={readout}>{readout}</span>
        ))}
      </span>
      {fault !== undefined && <span className="field-fault">{fault}</span>}
    </button>
  );
}

function Wire({ text }: { text: string }) {
  return <p className="wire">{text}</p>;
}

function History() {
  const canUndo = useStore(useScenario.temporal, (state) => state.pastStates.length > 0);
  const canRedo = useStore(useScenario.temporal, (state) => state.futureStates.length > 0);
  return (
    <>
      <IconButton
        size="small"
        icon={Undo2}
        name="Undo"
        shortcut="Ctrl Z"
        unavailable={canUndo ? undefined : 'Nothing to undo'}
        onClick={undo}
      />
      <IconButton
        size="small"
        icon={Redo2}
        name="Redo"
        shortcut="Ctrl Shift Z"
        unavailable={canRedo ? undefined : 'Nothing to redo'}
        onClick={redo}
      />
    </>
  );
}
