/** The side panel: curves, lesson, health; below them the first claim with its verdict, always. */
import { Check, CircleAlert, Ellipsis, TriangleAlert } from 'lucide-react';
import { DropdownMenu, Tabs } from 'radix-ui';
import { lazy, Suspense, useContext } from 'react';
import { Badge } from '../../components/badge';
import { FloatingLayer, IconButton } from '../../components/button';
import { gravest, useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { canTrain } from '../../stores/session';
import { ClaimLine } from './claims';
import { HealthPanel } from './health';
import { type SideTab, useWorkbench } from './state';

const Curves = lazy(() => import('./curves'));
const Lesson = lazy(() => import('./lesson'));
const KernelsDialog = lazy(() => import('./kernels'));

const TITLES: Readonly<Record<SideTab, string>> = { curves: 'Curves', lesson: 'Lesson', health: 'Health' };

export function Side() {
  const tab = useWorkbench((state) => state.tab);
  const kernels = useWorkbench((state) => state.kernels);
  return (
    <section className="panel side" aria-label="Curves, lesson, health">
      <Tabs.Root
        className="side-tabs"
        value={tab}
        onValueChange={(value) => useWorkbench.setState({ tab: value as SideTab })}
      >
        <div className="panel-head">
          <h2 className="narrow-only">{TITLES[tab]}</h2>
          <Tabs.List className="tabs" aria-label="Side panel">
            <Tabs.Trigger value="curves">Curves</Tabs.Trigger>
            <Tabs.Trigger value="lesson">Lesson</Tabs.Trigger>
            <Tabs.Trigger value="health">
              Health <HealthBadge />
            </Tabs.Trigger>
          </Tabs.List>
          <span className="end">
            <MoreMenu />
          </span>
        </div>
        <Tabs.Content value="curves" className="panel-body">
          <Suspense fallback={<p>Loading the curves…</p>}>
            <Curves />
          </Suspense>
        </Tabs.Content>
        <Tabs.Content value="lesson" className="panel-body">
          <Suspense fallback={<p>Loading the lesson…</p>}>
            <Lesson />
          </Suspense>
        </Tabs.Content>
        <Tabs.Content value="health" className="panel-body">
          <HealthPanel />
        </Tabs.Content>
      </Tabs.Root>
      <FirstClaim />
      {kernels && (
        <Suspense>
          <KernelsDialog />
        </Suspense>
      )}
    </section>
  );
}

function HealthBadge() {
  const severity = useRun((state) => (state.failure || state.lost ? 'alarm' : gravest(state.health)?.severity));
  if (severity === undefined)
    return (
      <Badge tone="ok" icon={Check}>
        ok
      </Badge>
    );
  return (
    <Badge tone={severity} icon={severity === 'alarm' ? CircleAlert : TriangleAlert}>
      {severity === 'alarm' ? 'alarm' : 'look'}
    </Badge>
  );
}

function MoreMenu() {
  const tables = useWorkbench((state) => state.tables);
  const ready = useRun((state) => state.status !== 'training' && canTrain());
  const episodes = useScenario((state) => state.scenario?.training.evaluationEpisodes ?? 0);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton size="small" icon={Ellipsis} name="More about the curves" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={useContext(FloatingLayer)}>
        <DropdownMenu.Content className="menu" align="end" sideOffset={6} collisionPadding={8}>
          <DropdownMenu.CheckboxItem
            className="menu-item"
            checked={tables}
            onCheckedChange={(checked) => useWorkbench.setState({ tables: checked })}
          >
            All as tables
            <DropdownMenu.ItemIndicator>
              <Check size={14} aria-hidden />
            </DropdownMenu.ItemIndicator>
          </DropdownMenu.CheckboxItem>
          <DropdownMenu.Item className="menu-item" disabled={!ready} onSelect={() => useRun.getState().evaluate()}>
            Evaluate now, {episodes} episodes{!ready && ' (pause first)'}
          </DropdownMenu.Item>
          <DropdownMenu.Item className="menu-item" onSelect={() => useWorkbench.setState({ kernels: true })}>
            Kernels of this run, in WGSL
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function FirstClaim() {
  const claim = useScenario((state) => state.scenario?.claims[0]);
  return claim === undefined ? null : <ClaimLine claim={claim} className="claim-foot" />;
}
