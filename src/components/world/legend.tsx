/** The row under the world: what the colours and arrows mean, with their numbers, and the error to exact. */
import { plainNumber, RAMP_STEPS, range, summary } from './board';
import type { ReadOut } from './describe';
import type { ColouredCells } from './layers';

const NAMES = { value: 'Value', visits: 'Visits', error: 'Error' } as const;
const NOTES = { value: '', visits: 'log scale, recent steps', error: '|learned − exact|' } as const;

interface LegendProps {
  readonly coloured: ColouredCells | null;
  readonly arrows: boolean;
  readonly readOuts: readonly ReadOut[];
  /** What the marks of the drawing mean; '' when they have words of their own. */
  readonly marks: string;
  /** By cell; null where exact values are not known. */
  readonly error: Float32Array | null;
  /** Opens the numbers as a table; absent where there is no board. */
  readonly table?: { readonly open: boolean; readonly onToggle: () => void };
}

export function Legend({ coloured, arrows, readOuts, marks, error, table }: LegendProps) {
  const exact = error === null ? null : summary(error);
  return (
    <div className="world-legend">
      {coloured !== null && <Ramp coloured={coloured} />}
      {arrows && (
        <span className="world-key-item">
          <svg width="20" height="12" aria-hidden="true">
            <path className="world-legend-arrow" d="M1 6h15M11 2l5 4-5 4" />
          </svg>
          longer = likelier
        </span>
      )}
      {readOuts.map(({ label, value, unit }) => (
        <span key={label} className="world-key-item">
          {label}
          <b className="world-number">
            {value}
            {unit}
          </b>
        </span>
      ))}
      {marks !== '' && <span>{marks}</span>}
      <span className="world-legend-end">
        {exact !== null && (
          <span
            title={`Mean of |learned − exact| over ${exact.count} states; the largest is ${exact.largest.toFixed(3)}`}
          >
            error to exact <b className="world-number">{exact.mean.toFixed(3)}</b>
          </span>
        )}
        {table !== undefined && (
          <button type="button" className="world-quiet" aria-pressed={table.open} onClick={table.onToggle}>
            Table
          </button>
        )}
      </span>
    </div>
  );
}

function Ramp({ coloured: { colouring, scale } }: { readonly coloured: ColouredCells }) {
  return (
    <span className="world-key-item" title={NOTES[colouring]}>
      {NAMES[colouring]}
      <span className="world-number">{plainNumber(scale.low)}</span>
      <span className="world-ramp" aria-hidden="true">
        {range(RAMP_STEPS).map((step) => (
          <i key={step} style={{ background: `var(--seq-${step})` }} />
        ))}
      </span>
      <span className="world-number">{plainNumber(scale.high)}</span>
      {scale.logarithmic && <span>log</span>}
    </span>
  );
}
