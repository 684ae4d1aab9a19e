/** Which part of the workbench is open: the stage being edited, the tab at the side, the panel on a narrow screen. */
import { create } from 'zustand';
import { SLOTS, type Slot } from '../../engine/scenario';

/** The seven links of the update, and the plan of the run. */
export type StageName = Slot | 'training';
export const STAGES: readonly StageName[] = [...SLOTS, 'training'];
export type SideTab = 'curves' | 'lesson' | 'health';
/** On a narrow screen one panel shows at a time. */
export type PanelName = 'world' | 'pipeline' | SideTab;

interface WorkbenchState {
  readonly stage: StageName | undefined;
  /** Setting of the open stage that gets the focus. */
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
  const known = STAGES.find((one) => one === stage);
  if (known !== undefined) openStage(known, rest.at(-1));
}
