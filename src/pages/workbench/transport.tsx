/** Train, one update, reset, seed and file: the one bar that moves the run, with where it stands. */
import { Pause, Play, RotateCcw, StepForward } from 'lucide-react';
import { Button, IconButton } from '../../components/button';
import { LabelledNumber } from '../../components/number-field';
import type { Phase } from '../../engine/scenario';
import { formatCount, formatDuration, formatFigure } from '../../formats/number';
import { PRESETS } from '../../stores/registry';
import { useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { lackNow, oneUpdate, reset, setSeed, trainOrPause, useSeedPending, useSession } from '../../stores/session';
import type { RunStatus } from '../../worker/protocol';
import { FileMenu } from './file-menu';
import { SEED } from './plan';

const NO_PHASES: readonly Phase[] = [];

export function Transport() {
  const title = useScenario((state) => state.scenario?.title);
  const status = useRun((state) => state.status);
  const lack = useRun((state) => lackNow(state)?.index);
  const unavailable =
    whyNot(status) ??
    (lack === undefined || status === 'training' ? undefined : `Phase ${lack + 1} waits for you: see the notice below`);
  return (
    <section className="transport" aria-label="Transport">
      <div className="transport-title">
        <h1>{title}</h1>
        <StatusLine />
      </div>
      <div className="transport-keys">
        <TrainButton status={status} unavailable={unavailable} />
        <Button
          className="wide-only"
          icon={StepForward}
          unavailable={unavailable ?? (status === 'training' ? 'Pause first' : undefined)}
          onClick={oneUpdate}
        >
          One update
        </Button>
        <Button className="wide-only" icon={RotateCcw} onClick={reset}>
          Reset
        </Button>
        <IconButton
          className="narrow-only"
          kind="outlined"
          icon={StepForward}
          name="One update"
          unavailable={unavailable ?? (status === 'training' ? 'Pause first' : undefined)}
          onClick={oneUpdate}
        />
        <IconButton className="narrow-only" kind="outlined" icon={RotateCcw} name="Reset" onClick={reset} />
        <span className="rule wide-only" aria-hidden />
        <SeedField />
        <FileMenu />
      </div>
      <Readouts />
    </section>
  );
}

function TrainButton({ status, unavailable }: { status: RunStatus; unavailable: string | undefined }) {
  const training = status === 'training';
  const busy = status === 'loading';
  return (
    <Button
      kind="filled"
      className="train"
      icon={training ? Pause : Play}
      shortcut="Space"
      unavailable={busy ? 'The kernels are being compiled' : unavailable}
      onClick={trainOrPause}
    >
      {busy ? 'Preparing…' : training ? 'Pause' : status === 'finished' ? 'Train on' : 'Train'}
    </Button>
  );
}

/** Why the run cannot be trained now; undefined when it can. */
function whyNot(status: RunStatus): string | undefined {
  switch (status) {
    case 'empty':
      return 'The scenario cannot run as it is: see the notice below';
    case 'loading':
      return 'The run is being prepared';
    case 'stopped':
      return 'The run was stopped: take the last good weights, or reset';
    case 'device-lost':
      return 'The device was lost: choose below how to go on';
    case 'failed':
      return 'The run failed: reset to build it anew';
    default:
      return undefined;
  }
}

function SeedField() {
  const seed = useSession((state) => state.seed);
  return (
    <span className={`wide-only seed${useSeedPending() ? ' pending' : ''}`}>
      <LabelledNumber field={SEED} value={seed} onCommit={setSeed} />
    </span>
  );
}

/** “PPO · update 184 of 200 · 6.03 M steps · 4.2 s”, or what is being prepared and how far. */
function StatusLine() {
  const progress = useRun((state) => state.progress);
  const status = useRun((state) => state.status);
  const tick = useRun((state) => state.tick);
  const text = useRun((state) => state.shapes?.text !== undefined);
  const phase = useRun((state) => state.phase);
  const phases = useRun((state) => state.running?.scenario.phases ?? NO_PHASES);
  const preset = useScenario((state) => state.scenario?.preset ?? '');
  const plan = useScenario((state) => state.scenario?.training.updates ?? 0);
  if (status === 'loading')
    return (
      <p>
        {progress === undefined
          ? 'Preparing the run…'
          : `${progress.what}${progress.total > 0 ? ` ${progress.done} of ${progress.total}` : '…'}`}
      </p>
    );
  return (
    <p>
      {PRESETS[preset]?.title ?? preset} · update {tick.update} of {planned(tick.update, plan)}
      {phase !== undefined && phases.length > 1 && ` · ${phase.id}, phase ${phase.index + 1} of ${phases.length}`} ·{' '}
      {formatCount(tick.steps)} {text ? 'turns' : 'steps'} · {formatDuration(tick.seconds)}
      {status === 'paused' && ' · paused'}
      {status === 'finished' && ' · finished'}
    </p>
  );
}

/** Train at the end of a plan goes on for as many updates again. */
function planned(update: number, plan: number): number {
  return plan * Math.max(1, Math.ceil(update / plan));
}

/** On a narrow screen: the four numbers that matter. Success stands beside the return. */
function Readouts() {
  const tick = useRun((state) => state.tick);
  const figure = (...names: string[]) => {
    const value = names.map((name) => tick.values[name]).find((one) => one !== undefined);
    return value === undefined ? '\u2013' : formatFigure(value);
  };
  const text = useRun((state) => state.shapes?.text !== undefined);
  const shown: readonly (readonly [string, string])[] = text
    ? [
        ['pass@1', figure('eval/success', 'rollout/pass_at_1')],
        ['Turns', figure('rollout/turns')],
        ['Masked', figure('rollout/masked_share')],
      ]
    : [
        ['Success', figure('eval/success')],
        ['Return', figure('eval/episodic_return', 'charts/episodic_return')],
        ['Steps', formatCount(tick.steps)],
      ];
  return (
    <dl className="readouts narrow-only">
      {[['Update', String(tick.update)] as const, ...shown].map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
