/** Which part of the workbench is open: the stage being edited, the tab at the side, the panel on a narrow screen. */
import { create } from 'zustand';
import { SLOTS, type Slot } from '../../engine/scenario';
import type { World } from '../../stores/registry';

/** The links of the update, the phases that it goes through, and the plan of the run. */
export type StageName = Slot | 'phases' | 'training';

/** The links that such a world has: those of control know no filter. */
export function slotsOf(world: World): readonly Slot[] {
  return world === 'text' ? SLOTS : SLOTS.filter((slot) => slot !== 'filter');
}

/** The cards of such a world that have a number, in order. */
export function stagesOf(world: World): readonly StageName[] {
  return [...slotsOf(world), 'training'];
}
export type SideTab = 'curves' | 'lesson' | 'health';
/** On a narrow screen one panel shows at a time. */
export type PanelName = 'world' | 'pipeline' | SideTab;

interface WorkbenchState {
  readonly stage: StageName | undefined;
  /** Setting of the open stage that gets the focus; of the phases, `1.parameters.quality`. */
  readonly focus: string | undefined;
  readonly tab: SideTab;
  readonly panel: PanelName;
  /** Every curve as a table. */
  readonly tables: boolean;
  /** The dialog with the WGSL that runs. */
  readonly kernels: boolean;
}
export const useWorkbench = create<WorkbenchState>()(() => ({
  stage: undefined,
  focus: undefined,
  tab: 'curves',
  panel: 'world',
  tables: false,
  kernels: false,
}));

export function openStage(stage: StageName, focus?: string): void {
  useWorkbench.setState({ stage, focus, panel: 'pipeline' });
}
export function closeStage(): void {
  useWorkbench.setState({ stage: undefined, focus: undefined });
}
export function showPanel(panel: PanelName): void {
  useWorkbench.setState(panel === 'world' || panel === 'pipeline' ? { panel } : { panel, tab: panel });
}

/** Opens the card of a path such as `loss.parameters.clip`, with or without `slots.` before it. */
export function openPath(path: string): void {
  const [stage, ...rest] = path.replace(/^slots\./, '').split('.');
  if (stage === 'phases') return openStage('phases', rest.join('.'));
  const known = [...SLOTS, 'training' as const].find((one) => one === stage);
  if (known !== undefined) openStage(known, rest.at(-1));
}
