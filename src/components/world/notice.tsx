/** What stands in a world's place while there is none. */
import { CircleAlert } from 'lucide-react';
import type { WorldPhase } from './props';

/** `ready`: what a world says that can be trained and has nothing to show yet. */
export function Notice({ phase, ready }: { readonly phase: WorldPhase; readonly ready: string }) {
  switch (phase.kind) {
    case 'empty':
      return <p className="world-notice">Choose a scenario, and its world appears here.</p>;
    case 'loading':
      return (
        <p className="world-notice world-loading">
          {phase.what}
          {phase.total > 0 && (
            <span className="world-number">
              {phase.done} of {phase.total}
            </span>
          )}
        </p>
      );
    case 'error':
      return (
        <div className="world-notice" role="alert">
          <strong>
            <CircleAlert aria-hidden="true" /> {phase.what}
          </strong>
          <p>{phase.message}</p>
          <p>{phase.advice}</p>
        </div>
      );
    case 'ready':
      return <p className="world-notice">{ready}</p>;
  }
}
