/** Health: what is wrong now, what is watched, and the size of the run. */
import { formatBytes, formatFigure } from '../../formats/number';
import { useRun } from '../../stores/run';
import { Health } from './banners';

const WATCHED = [
  'A value that is not finite stops the run at that update.',
  'KL of an update that jumps: the step was too large.',
  'A gradient norm that jumps: the loss or the reward is out of scale.',
  'Entropy near zero early: the policy stopped trying.',
  'Nothing learned for long: no signal, or too small a step.',
  'Episodes that never end: no time limit, or nothing ends them.',
  'Return that rises while success does not: the reward pays for something else.',
];

export function HealthPanel() {
  const health = useRun((state) => state.health);
  return (
    <div className="health">
      {health.length === 0 ? (
        <p className="health-fine">Nothing is wrong in this run so far.</p>
      ) : (
        health.map((notice) => <Health key={notice.cause} notice={notice} />)
      )}
      <h3>Watched in every update</h3>
      <ul>
        {WATCHED.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Evaluation />
      <Sizes />
    </div>
  );
}

function Evaluation() {
  const evaluation = useRun((state) => state.evaluation);
  const text = useRun((state) => state.shapes?.text !== undefined);
  if (evaluation === undefined) return null;
  return (
    <>
      <h3>Last evaluation</h3>
      <dl className="facts">
        <dt>At update</dt>
        <dd>{evaluation.update}</dd>
        <dt>Episodes</dt>
        <dd>{evaluation.episodes}</dd>
        <dt>Success</dt>
        <dd>{formatFigure(evaluation.success)}</dd>
        <dt>Return, mean ± deviation</dt>
        <dd>
          {formatFigure(evaluation.returnMean)} ± {formatFigure(evaluation.returnDeviation)}
        </dd>
        <dt>Length, mean</dt>
        <dd>
          {formatFigure(evaluation.length)} {text ? 'turns' : 'steps'}
        </dd>
      </dl>
    </>
  );
}

function Sizes() {
  const shapes = useRun((state) => state.shapes);
  if (shapes === undefined) return null;
  const { text } = shapes;
  return (
    <>
      <h3>Size of the run</h3>
      <dl className="facts">
        <dt>Weights</dt>
        <dd>{shapes.parameterCount.toLocaleString('en')}</dd>
        <dt>{text ? 'Episodes' : 'Samples'} an update</dt>
        <dd>{shapes.batch.toLocaleString('en')}</dd>
        <dt>{text ? 'Episodes' : 'Samples'} a minibatch</dt>
        <dd>{shapes.minibatch.toLocaleString('en')}</dd>
        {text ? (
          <>
            <dt>Vocabulary</dt>
            <dd>{text.vocabulary.length} tokens</dd>
            <dt>Context</dt>
            <dd>{text.context} tokens</dd>
            <dt>An episode at most</dt>
            <dd>
              {text.turns} turns of {text.turnTokens} tokens
            </dd>
            <dt>Tasks</dt>
            <dd>{text.tasks.toLocaleString('en')}</dd>
          </>
        ) : (
          <>
            <dt>Observation</dt>
            <dd>{shapes.observationSize} numbers</dd>
            <dt>{shapes.continuous ? 'Action' : 'Actions'}</dt>
            <dd>{shapes.continuous ? `${shapes.actionCount} numbers` : shapes.actionCount}</dd>
          </>
        )}
        <dt>Memory in buffers</dt>
        <dd>{formatBytes(shapes.gpuBytes)}</dd>
      </dl>
    </>
  );
}
