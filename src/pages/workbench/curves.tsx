/** Every metric of the run as a curve. */
import { Chart, type Reference } from '../../components/chart';
import type { Resolved } from '../../engine/resolve';
import type { Scenario } from '../../engine/scenario';
import { formatFigure } from '../../formats/number';
import { controlCurves, type Metric, textCurves } from '../../stores/metrics';
import { useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';
import { useSession } from '../../stores/session';
import { useWorkbench } from './state';

export default function Curves() {
  const scenario = useScenario((state) => state.scenario);
  const meaning = useSession((state) => state.meaning);
  const tables = useWorkbench((state) => state.tables);
  const shapes = useRun((state) => state.shapes);
  // Which metrics the run reports is known with its first update; until then every frame waits. The count says when to
  // look again: the series are read outside React.
  useRun((state) => (state.tick.update === 0 ? undefined : state.series.size));
  const { series, tick } = useRun.getState();
  if (scenario === undefined) return null;
  const signalHelp = Object.fromEntries(
    (shapes?.signals ?? []).map((name, index) => [name, shapes?.text?.signalHelp[index] ?? '']),
  );
  const has = (name: string) => series.has(name);
  const chart = (metric: Metric) => (
    <Chart
      key={metric.name}
      metric={metric}
      plan={scenario.training.updates}
      asTable={tables}
      reference={referenceOf(metric.name, scenario, meaning)}
    />
  );
  return (
    <>
      {shapes?.text
        ? textCurves(
            series.keys(),
            scenario.phases.map(({ id }) => id),
            scenario.claims.map(({ metric }) => metric),
            signalHelp,
          ).map(({ title, metrics }) => (
            <div key={title} className="curve-group">
              <h3>{title}</h3>
              {metrics.map(chart)}
            </div>
          ))
        : controlCurves(tick.update === 0 ? undefined : has).map(chart)}
      <p className="curves-note">
        Thin: each update, or the least and greatest of several. Thick: moving average over about 13 points, in short
        runs over a tenth of the plan. Across: updates.{scenario.phases.length > 1 && ' Dashed: a phase begins.'}
      </p>
    </>
  );
}

/** A line to compare with, where one is known: the claim's bound, the score that counts as solved, the entropy of pure chance, the target KL. */
function referenceOf(name: string, scenario: Scenario, meaning: Resolved | undefined): Reference | undefined {
  const claim = scenario.claims.find((one) => one.metric === name && one.with === undefined);
  if (claim !== undefined)
    return { value: claim.value, label: `claim ${claim.comparison === '>=' ? '≥' : '≤'} ${formatFigure(claim.value)}` };
  const solved = meaning?.environment.solvedAt;
  if (name === 'eval/episodic_return' && solved !== undefined) return solved;
  const masked = meaning?.environment.program.masksActions;
  if (name === 'losses/entropy' && meaning?.distribution === 'categorical' && !masked)
    return { value: Math.log(meaning.policy.outputs), label: `uniform over ${meaning.policy.outputs} actions` };
  const target = scenario.slots.loss.parameters.target_kl;
  if (name === 'losses/approx_kl' && typeof target === 'number' && target > 0)
    return { value: target, label: `target ${formatFigure(target)}` };
  return undefined;
}
