/** The things of MiniGrid, drawn around (0, 0) for a cell of side 44: shape first, then colour and letter. */
import type { GridCell } from '../../../engine/view';
import { COLOURS, colourName, DOOR, OBJECT } from '../minigrid';

/** The side for which the shapes below are written. */
export const OBJECT_SIDE = 44;

export function GridObject({ cell, letter }: { readonly cell: GridCell; readonly letter: boolean }) {
  return (
    <g className={`world-c-${colourName(cell)}`}>
      <Shape cell={cell} />
      {letter && (
        <text className="world-letter" x={17} y={19} textAnchor="middle">
          {COLOURS[cell.colour]?.letter}
        </text>
      )}
    </g>
  );
}

function Shape({ cell }: { readonly cell: GridCell }) {
  switch (cell.object) {
    case OBJECT.door:
      return <Door state={cell.state} />;
    case OBJECT.key:
      return <path className="world-key" d="M-11.6 0a5.6 5.6 0 1 0 11.2 0a5.6 5.6 0 1 0 -11.2 0M0 0h14M8 0v6M13 0v5" />;
    case OBJECT.ball:
      return (
        <>
          <circle className="world-ball" r={11} />
          <path className="world-shine" d="M-6 -3a6 6 0 0 1 5 -4" />
        </>
      );
    case OBJECT.box:
      return <path className="world-box" d="M-12 -12h24v24h-24zM-12 -1h24M-3 -4v6h6v-6" />;
    default:
      return null;
  }
}

/** Open: only the frame and a leaf ajar. Closed: a leaf with its knob. Locked: a padlock on it. */
function Door({ state }: { readonly state: number }) {
  if (state === DOOR.open) {
    return (
      <>
        <rect className="world-frame" x={-17} y={-19} width={34} height={38} rx={2} />
        <path className="world-leaf" d="M-17 -19l9 5v28l-9 5z" />
      </>
    );
  }
  return (
    <>
      <rect className="world-leaf" x={-17} y={-19} width={34} height={38} rx={2} />
      {state === DOOR.locked && (
        <>
          <rect className="world-lock" x={-12} y={-6} width={13} height={10} rx={1.5} />
          <path className="world-shackle" d="M-9 -6v-3a3.5 3.5 0 0 1 7 0v3" />
        </>
      )}
      <circle className="world-lock" cx={9} cy={0} r={3.2} />
    </>
  );
}
