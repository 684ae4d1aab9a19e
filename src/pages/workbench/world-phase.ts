/** What the world's panel can show: nothing yet, how far the run is prepared, what failed, or the world. */
import { useMemo } from 'react';
import type { WorldPhase } from '../../components/world/props';
import { useRun } from '../../stores/run';

export function usePhase(): WorldPhase {
  const status = useRun((state) => state.status);
  const progress = useRun((state) => state.progress);
  const failure = useRun((state) => state.failure);
  return useMemo<WorldPhase>(() => {
    if (failure !== undefined) return { kind: 'error', ...failure };
    if (status === 'loading')
      return { kind: 'loading', ...(progress ?? { what: 'Preparing the run', done: 0, total: 0 }) };
    return status === 'empty' ? { kind: 'empty' } : { kind: 'ready' };
  }, [status, progress, failure]);
}
