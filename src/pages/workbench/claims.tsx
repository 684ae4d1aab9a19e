/** A claim with its verdict beside it, as it was measured, and what this run shows so far. */
import { VerdictBadge } from '../../components/badge';
import type { Claim } from '../../engine/scenario';
import { formatFigure } from '../../formats/number';
import { deviation, mean, meets, verdictOf } from '../../formats/verdict';
import { useRun } from '../../stores/run';

export function ClaimLine({ claim, className }: { claim: Claim; className?: string }) {
  const now = useRun((state) => state.tick.values[claim.metric]);
  return (
    <div className={['claim', className].filter(Boolean).join(' ')}>
      <p className="claim-sentence">“{claim.sentence}”</p>
      <VerdictBadge verdict={verdictOf(claim)} />
      <p className="claim-figures">
        {measured(claim)}
        {now !== undefined &&
          ` This run: ${formatFigure(now)}, one seed, ${meets(claim, now) ? 'meets' : 'does not meet'} ${bound(claim)}.`}
      </p>
    </div>
  );
}

const bound = ({ comparison, value }: Claim) => `${comparison === '>=' ? '≥' : '≤'}\u00a0${formatFigure(value)}`;

function measured(claim: Claim): string {
  const { measured: record } = claim;
  if (record === undefined) return 'Not measured yet.';
  const spread = deviation(record.figures);
  return `Measured ${formatFigure(mean(record.figures))}${spread === undefined ? '' : ` ± ${formatFigure(spread)}`} ${bound(claim)}, ${record.seeds.length} seeds.`;
}
