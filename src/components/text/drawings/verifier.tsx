/** What a checker is asked, what was answered, what it accepts, and whether it did. */
import { Check, Hourglass, X } from 'lucide-react';
import type { TextView } from '../../../engine/view';

type Verifier = Extract<TextView, { kind: 'verifier' }>;

export function VerifierDrawing({ view: { prompt, answer, expected, accepted } }: { view: Verifier }) {
  const Icon = accepted === null ? Hourglass : accepted ? Check : X;
  return (
    <figure className="drawing">
      <dl className="verifier">
        <dt>Asked</dt>
        <dd>{prompt.join(' ') || 'nothing'}</dd>
        <dt>Answered</dt>
        <dd>{answer.join(' ') || 'nothing yet'}</dd>
        <dt>Accepted would be</dt>
        <dd>{expected.join(' ') || 'not told'}</dd>
        <dt>Checker</dt>
        <dd className={accepted === null ? '' : accepted ? 'accepted' : 'rejected'}>
          <Icon size={15} aria-hidden /> {accepted === null ? 'has not spoken' : accepted ? 'accepts' : 'rejects'}
        </dd>
      </dl>
    </figure>
  );
}
