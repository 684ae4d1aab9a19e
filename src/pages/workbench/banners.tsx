/** One banner under the transport, the gravest first: device lost, failed, refused, or a health notice. */

import { Banner } from '../../components/banner';
import { Button } from '../../components/button';
import type { Scenario } from '../../engine/scenario';
import { REGISTRY } from '../../stores/registry';
import { gravest, useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { lackNow, loadRun, useSession, writeEpisodes } from '../../stores/session';
import { useSettings } from '../../stores/settings';
import type { HealthNotice } from '../../worker/protocol';
import { openPath, showPanel } from './state';

export function Banners() {
  return (
    <div className="banners">
      <TheBanner />
    </div>
  );
}

function TheBanner() {
  const lost = useRun((state) => state.lost);
  const failure = useRun((state) => state.failure);
  const found = useSession((state) => state.problems);
  const refusedByWorker = useRun((state) => state.refused);
  const refused = found.length > 0 ? found : refusedByWorker;
  const notice = useRun((state) => gravest(state.health));
  const waits = useRun((state) => state.status !== 'training' && lackNow(state) !== undefined);
  if (lost !== undefined) return <DeviceLost reason={lost.reason} update={lost.update} />;
  if (failure !== undefined)
    return (
      <Banner
        tone="alarm"
        what={withStop(failure.what)}
        ways={
          <>
            <Button size="small" onClick={loadRun}>
              Build the run anew
            </Button>
            <Button size="small" onClick={trainOnCpu}>
              Use the CPU
            </Button>
          </>
        }
      >
        {withStop(failure.message)} {failure.advice}
      </Banner>
    );
  if (refused.length > 0)
    return (
      <Banner tone="alarm" what="This scenario cannot run as it is; the run before the change goes on.">
        <ul>
          {refused.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <SettingLink path={path} /> {message}
            </li>
          ))}
        </ul>
      </Banner>
    );
  if (notice !== undefined) return <Health notice={notice} />;
  return waits ? <Waits /> : null;
}

/** As a sentence: one full stop at its end. */
const withStop = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

const trainOnCpu = () => {
  const { executor, change } = useSettings.getState();
  // A change of the setting builds the run anew by itself.
  if (executor === 'cpu') loadRun();
  else change({ executor: 'cpu' });
};

/** The phase at hand learns from what the person gathers, and there is nothing yet. */
function Waits() {
  const running = useRun((state) => state.running);
  const update = useRun((state) => state.update);
  const collected = useRun((state) => state.collected);
  const trying = useRun((state) => state.trying);
  const lack = lackNow({ running, update, collected });
  if (lack === undefined) return null;
  return (
    <Banner
      tone="info"
      what={`Phase ${lack.index + 1} waits for you.`}
      ways={
        <Button size="small" unavailable={trying ? 'It is writing' : undefined} onClick={write}>
          Write episodes
        </Button>
      }
    >
      {lack.message} Let the policy as it is now write some and choose among them, or change{' '}
      <SettingLink path={`phases.${lack.index}.parameters.${lack.key}`} />.
    </Banner>
  );
}

const write = () => {
  showPanel('world');
  writeEpisodes();
};

function DeviceLost({ reason, update }: { reason: string; update: number }) {
  const { continueOn } = useRun.getState();
  return (
    <Banner
      tone="alarm"
      what="The GPU was lost."
      ways={
        <>
          <Button size="small" onClick={() => continueOn('auto')}>
            Go on with the GPU
          </Button>
          <Button size="small" onClick={() => continueOn('cpu')}>
            Go on with the CPU
          </Button>
        </>
      }
    >
      {reason} Training stopped at update {update}; the last good weights are kept.
    </Banner>
  );
}

export function Health({ notice }: { notice: HealthNotice }) {
  const { restoreGood, dismissHealth } = useRun.getState();
  return (
    <Banner
      tone={notice.severity}
      what={notice.what}
      ways={
        <>
          {notice.severity === 'alarm' && (
            <Button size="small" onClick={restoreGood}>
              Back to the last good weights
            </Button>
          )}
          <Button size="small" onClick={() => dismissHealth(notice.cause)}>
            Dismiss
          </Button>
        </>
      }
    >
      {notice.why} {notice.advice} <SettingLink path={notice.path} />
    </Banner>
  );
}

/** “Optimiser: Learning rate”, which opens that card's field. */
function SettingLink({ path }: { path: string }) {
  const scenario = useScenario((state) => state.scenario);
  return (
    <button type="button" className="link" onClick={() => openPath(path)}>
      {scenario === undefined ? path : nameOf(scenario, path)}
    </button>
  );
}

function nameOf(scenario: Scenario, path: string): string {
  const [slot = '', , key = ''] = path.replace(/^slots\./, '').split('.');
  if (slot === 'phases') return phaseName(scenario, path);
  if (!Object.hasOwn(scenario.slots, slot)) return path;
  const described = REGISTRY[slot as keyof Scenario['slots']][scenario.slots[slot as keyof Scenario['slots']].id];
  const field =
    described !== undefined && Object.hasOwn(described.parameters, key) ? described.parameters[key] : undefined;
  return field === undefined ? (described?.title ?? path) : `${described?.title}: ${field.label}`;
}

/** “Phase 2: Quality”, for `phases.1.parameters.quality`; the setting itself where the phase changes one. */
function phaseName({ phases }: Scenario, path: string): string {
  const [, index = '', part = '', ...rest] = path.split('.');
  const phase = `Phase ${Number(index) + 1}`;
  const schema = REGISTRY.phase[phases[Number(index)]?.id ?? '']?.parameters ?? {};
  if (part === 'from') return `${phase}: First update`;
  if (part === 'with') return rest.length === 0 ? phase : `${phase}: ${rest.join('.')}`;
  const field = Object.hasOwn(schema, rest[0] ?? '') ? schema[rest[0] ?? ''] : undefined;
  return field === undefined ? phase : `${phase}: ${field.label}`;
}
