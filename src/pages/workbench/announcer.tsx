/** Says to screen readers what changed, once: the state of the run and each evaluation, not every update. */
import { useRun } from '../../stores/run';

export function Announcer() {
  const status = useRun((state) => state.status);
  const evaluation = useRun((state) => state.evaluation);
  const update = useRun((state) => (state.status === 'training' ? undefined : state.update));
  const words = {
    empty: '',
    loading: 'Preparing the run',
    ready: 'Ready to train',
    training: 'Training',
    paused: `Paused at update ${update}`,
    finished: `Finished at update ${update}`,
    stopped: `Stopped at update ${update}`,
    'device-lost': 'The device was lost',
    failed: 'The run failed',
  }[status];
  return (
    <>
      <p className="visually-hidden" role="status">
        {words}
      </p>
      <p className="visually-hidden" role="status">
        {evaluation &&
          `Evaluation at update ${evaluation.update}: success ${evaluation.success.toFixed(2)}, return ${evaluation.returnMean.toFixed(1)}`}
      </p>
    </>
  );
}
