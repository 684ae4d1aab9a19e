/** The workbench: one scenario, its pipeline, its world, its curves, and the transport that trains it. */
import { useEffect, useState } from 'react';
import { ProblemList } from '../../components/problem-list';
import { type Shortcut, useShortcuts } from '../../components/shortcuts';
import type { Problem } from '../../engine/parameters';
import { ENTRIES } from '../../stores/gallery';
import { type World, worldOf } from '../../stores/registry';
import { redo, undo, useScenario } from '../../stores/scenario';
import {
  loadOwnScenario,
  oneUpdate,
  openScenario,
  playItYourself,
  reset,
  trainOrPause,
  useSession,
} from '../../stores/session';
import { Announcer } from './announcer';
import { Banners } from './banners';
import { KINDS } from './cards';
import { PanelTabs } from './panel-tabs';
import { Pipeline } from './pipeline';
import { Side } from './side';
import { openStage, type StageName, stagesOf, useWorkbench } from './state';
import { Transport } from './transport';
import { WorldOfRun } from './world';
import '../../styles/workbench.css';

const SHORTCUTS: readonly Shortcut[] = [
  { key: ' ', name: 'Train or pause', run: trainOrPause },
  { key: '.', name: 'One update', run: oneUpdate },
  { key: 'r', name: 'Reset', run: reset },
  { key: 'p', name: 'Play it yourself, or stop', run: playItYourself },
  { key: 'z', control: true, shift: false, name: 'Undo a change of the scenario', run: undo },
  { key: 'z', control: true, shift: true, name: 'Redo', run: redo },
];
const toStage = (stage: StageName, key: number): Shortcut => ({
  key: String(key),
  name: KINDS[stage],
  run: () => openStage(stage),
});
const numbered = (world: World) => stagesOf(world).map((stage, index) => toStage(stage, index + 1));
const STAGE_KEYS: Readonly<Record<World, readonly Shortcut[]>> = {
  control: numbered('control'),
  text: [toStage('phases', 0), ...numbered('text')],
};

export default function Workbench({ id }: { readonly id: string | undefined }) {
  const problems = useOpen(id);
  const scenario = useScenario((state) => state.scenario);
  const panel = useWorkbench((state) => state.panel);
  useShortcuts('Workbench', SHORTCUTS);
  useShortcuts('Stages', STAGE_KEYS[scenario === undefined ? 'control' : worldOf(scenario)]);
  useEffect(() => {
    document.title = `${scenario?.title ?? 'Workbench'} · Agentic RL Playground`;
  }, [scenario?.title]);
  if (problems.length > 0)
    return (
      <div className="empty">
        <p>This scenario cannot be opened.</p>
        <ProblemList problems={problems} />
        <a className="button outlined" href="#/">
          To the gallery
        </a>
      </div>
    );
  if (scenario === undefined) return <p className="page-fallback">Opening the scenario…</p>;
  return (
    <div className="workbench" data-panel={panel}>
      <Transport />
      <Banners />
      <PanelTabs />
      <div className="panels">
        <WorldOfRun />
        <Pipeline />
        <Side />
      </div>
      <Announcer />
    </div>
  );
}

/** Opens the scenario of the address, unless it is the one that is open; without one, the first of the gallery. */
function useOpen(id: string | undefined): readonly Problem[] {
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  useEffect(() => {
    const open = useScenario.getState().opened;
    const wanted = id ?? (open === undefined ? ENTRIES[0]?.id : undefined);
    if (wanted === undefined || (open !== undefined && useSession.getState().own === wanted)) return setProblems([]);
    let current = true;
    void loadOwnScenario(wanted).then((parsed) => {
      if (!current) return;
      setProblems('problems' in parsed ? parsed.problems : []);
      if ('scenario' in parsed) openScenario(parsed.scenario, wanted);
    });
    return () => {
      current = false;
    };
  }, [id]);
  return problems;
}
