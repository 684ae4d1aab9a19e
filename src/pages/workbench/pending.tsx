/** Settings that wait for a reset: how many, and the button that applies them. */
import { RotateCcw } from 'lucide-react';
import { Button } from '../../components/button';
import { reset, usePendingCount } from '../../stores/session';

export function Pending() {
  const count = usePendingCount();
  if (count === 0) return null;
  return (
    <div className="pending-bar" role="status">
      <span>{count === 1 ? 'One change takes' : `${count} changes take`} effect at reset.</span>
      <Button size="small" icon={RotateCcw} onClick={reset}>
        Reset
      </Button>
    </div>
  );
}
