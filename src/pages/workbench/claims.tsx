/** A claim with its verdict beside it, as it was measured, and how this run stands to it. */
import { VerdictBadge } from '../../components/badge';
import type { Claim } from '../../engine/scenario';
import { boundText, figureText, measuredText, meets, verdictOf } from '../../formats/verdict';
import { type Standing, standingOf } from '../../stores/claims';
import { useRun } from '../../stores/run';
import { useScenario } from '../../stores/scenario';

export function ClaimLine({ claim, className }: { claim: Claim; className?: string }) {
  return (
    <div className={['claim', className].filter(Boolean).join(' ')}>
      <p className="claim-sentence">“{claim.sentence}”</p>
      <VerdictBadge verdict={verdictOf(claim)} />
      <p className="claim-figures">{measuredText(claim)}</p>
      <ThisRun claim={claim} />
    </div>
  );
}

function ThisRun({ claim }: { claim: Claim }) {
  const opened = useScenario((state) => state.opened);
  const running = useRun((state) => state.running);
  const marks = useRun((state) => state.marks);
  const tick = useRun((state) => state.tick);
  const series = useRun((state) => state.series);
  if (opened === undefined) return null;
  return (
    <p className="claim-figures this-run">
      This run: {standingText(claim, standingOf(claim, opened, { running, marks, tick, series }))}.
    </p>
  );
}

function standingText(claim: Claim, standing: Standing): string {
  switch (standing.kind) {
    case 'other settings':
      return 'not measured with these settings';
    case 'training': {
      const { left, figure } = standing;
      const soFar = figure === undefined ? '' : `, ${figureText(claim, figure)} so far`;
      return `${left} ${left === 1 ? 'update' : 'updates'} to go${soFar}`;
    }
    case 'not evaluated':
      return `no evaluation at update ${standing.update} yet`;
    case 'complete':
      return `${figureText(claim, standing.figure)}, one seed, asked ${boundText(claim)}: ${meets(claim, standing.figure) ? 'reached' : 'not reached'}`;
  }
}
