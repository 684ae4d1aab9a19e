/**
 * The board worlds, grids and finite MDPs: tiles, colouring, policy arrows, trail, agent, in this
 * order. Cells of one look are one path, so a large grid costs few elements; the layers that do not
 * change with a step are drawn again only when they do change.
 */
import { memo, useMemo } from 'react';
import type { ValueMap } from '../../../engine/view';
import {
  agentCell,
  type BoardLayout,
  cellNumber,
  cellPath,
  centreOf,
  headPath,
  layOut,
  policyRays,
  RAMP_STEPS,
  rampInk,
  rampStep,
  range,
  round,
  shaftPath,
} from '../board';
import type { ColouredCells } from '../layers';
import { type BoardView, hasValue, type Tile, type TileKind, tilesOf, tilesSignature } from '../tiles';
import { GridObject, OBJECT_SIDE } from './objects';

export interface BoardSceneProps {
  readonly view: BoardView;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  /** What colours the cells; null for none. */
  readonly coloured: ColouredCells | null;
  /** Whose arrows are drawn; null for none. */
  readonly policy: ValueMap | null;
  /** Cells that the agent went through in this episode, in order. */
  readonly trail: readonly number[];
  /** The agent's last step is drawn as a movement. */
  readonly animate: boolean;
}

export function BoardScene({ view, width, height, scale, coloured, policy, trail, animate }: BoardSceneProps) {
  const layout = useMemo(
    () => layOut(view.width, view.height, width, height, scale),
    [view.width, view.height, width, height, scale],
  );
  const signature = tilesSignature(tilesOf(view));
  // The signature stands for the tiles: equal boards keep their tiles and what is drawn of them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const tiles = useMemo(() => tilesOf(view), [signature]);
  const lowered = layout.numbers && (coloured !== null || policy !== null);
  return (
    <g>
      {layout.axes && <Axes layout={layout} columns={view.width} rows={view.height} />}
      <Tiles layout={layout} columns={view.width} tiles={tiles} />
      {coloured !== null && <Colouring layout={layout} columns={view.width} tiles={tiles} coloured={coloured} />}
      <Things layout={layout} columns={view.width} tiles={tiles} coloured={coloured} />
      {view.kind === 'grid' && view.visible !== undefined && (
        <Sight layout={layout} columns={view.width} rows={view.height} visible={view.visible} fog={coloured === null} />
      )}
      {policy !== null && (
        <Arrows layout={layout} columns={view.width} tiles={tiles} map={policy} coloured={coloured} lowered={lowered} />
      )}
      <Trail layout={layout} columns={view.width} cells={trail} lowered={lowered} />
      <Agent view={view} layout={layout} lowered={lowered} animate={animate} />
    </g>
  );
}

interface LayerProps {
  readonly layout: BoardLayout;
  readonly columns: number;
}

const Axes = memo(function Axes({ layout, columns, rows }: LayerProps & { readonly rows: number }) {
  const middle = (i: number) => (i + 0.5) * layout.cell;
  return (
    <g>
      {range(columns).map((x) => (
        <text key={x} x={layout.left + middle(x)} y={layout.top - 6} textAnchor="middle">
          {x}
        </text>
      ))}
      {range(rows).map((y) => (
        <text key={y} x={layout.left - 6} y={layout.top + middle(y)} dy="0.35em" textAnchor="end">
          {y}
        </text>
      ))}
    </g>
  );
});

type Ink = 'lo' | 'hi' | 'plain';

/** What can be read on a cell: by its step of the ramp, or on the plain floor. */
function inkOf(coloured: ColouredCells | null, cell: number): Ink {
  const value = coloured?.values[cell] ?? Number.NaN;
  return coloured !== null && Number.isFinite(value) ? rampInk(rampStep(value, coloured.scale)) : 'plain';
}

const TILE_CLASS: Readonly<Record<TileKind, string>> = {
  plain: 'world-floor',
  wall: 'world-wall',
  hole: 'world-rim',
  goal: 'world-goal',
  lava: 'world-lava',
  unseen: 'world-unseen',
};

const Tiles = memo(function Tiles({ layout, columns, tiles }: LayerProps & { readonly tiles: readonly Tile[] }) {
  const paths = new Map<TileKind, string>();
  tiles.forEach(({ kind }, i) => {
    paths.set(kind, (paths.get(kind) ?? '') + cellPath(layout, i % columns, Math.floor(i / columns)));
  });
  return (
    <g>
      {[...paths].map(([kind, d]) => (
        <path key={kind} className={TILE_CLASS[kind]} d={d} />
      ))}
    </g>
  );
});

interface ColouringProps extends LayerProps {
  readonly tiles: readonly Tile[];
  readonly coloured: ColouredCells;
}

/** A cell with an object on it keeps its colour; its number is in the table. */
const Colouring = memo(function Colouring({ layout, columns, tiles, coloured }: ColouringProps) {
  const fills = range(RAMP_STEPS).map(() => '');
  const numbers: { cell: number; x: number; y: number; text: string; ink: string }[] = [];
  coloured.values.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    const x = i % columns;
    const y = Math.floor(i / columns);
    const step = rampStep(value, coloured.scale);
    fills[step] += cellPath(layout, x, y);
    if (layout.numbers && tiles[i]?.object === null) {
      const text =
        coloured.colouring === 'visits' ? compactCount(value) : cellNumber(value, coloured.colouring === 'error');
      numbers.push({
        cell: i,
        x: layout.left + x * layout.cell,
        y: layout.top + y * layout.cell,
        text,
        ink: rampInk(step),
      });
    }
  });
  const inset = Math.min(layout.cell * 0.1, 6);
  return (
    <g>
      {range(RAMP_STEPS).map(
        (step) => fills[step] !== '' && <path key={step} style={{ fill: `var(--seq-${step})` }} d={fills[step]} />,
      )}
      {numbers.map(({ cell, x, y, text, ink }) => (
        <text key={cell} className={`world-ink-${ink}`} x={round(x + inset)} y={round(y + inset)} dy="0.85em">
          {text}
        </text>
      ))}
    </g>
  );
});

/** 312, 1.2k, 45k: a count in four characters. */
function compactCount(count: number): string {
  if (count < 1000) return String(count);
  const thousands = count / 1000;
  return `${thousands < 9.95 ? thousands.toFixed(1) : thousands.toFixed(0)}k`;
}

/** Holes, flags, waves, doors, keys and the words of the cells. */
const Things = memo(function Things({
  layout,
  columns,
  tiles,
  coloured,
}: LayerProps & { readonly tiles: readonly Tile[]; readonly coloured: ColouredCells | null }) {
  const unit = layout.cell / OBJECT_SIDE;
  return (
    <g>
      {range(tiles.length).map((cell) => {
        const tile = tiles[cell];
        if (tile.kind === 'plain' && tile.word === '' && tile.object === null) return null;
        const { x, y } = centreOf(layout, cell % columns, Math.floor(cell / columns), false);
        return (
          <g key={cell} transform={`translate(${round(x)} ${round(y)})`}>
            <Thing tile={tile} layout={layout} unit={unit} ink={inkOf(coloured, cell)} />
          </g>
        );
      })}
    </g>
  );
});

function Thing({
  tile,
  layout,
  unit,
  ink,
}: {
  readonly tile: Tile;
  readonly layout: BoardLayout;
  readonly unit: number;
  readonly ink: Ink;
}) {
  const half = layout.cell / 2;
  // A word that does not fit is left to the table.
  const word = tile.word !== '' && tile.word.length <= layout.letters;
  switch (tile.kind) {
    case 'hole':
      return (
        <>
          <circle className="world-hole" r={0.31 * layout.cell} />
          {word && (
            <text className="world-hole-word" dy="0.35em" textAnchor="middle">
              {tile.word}
            </text>
          )}
        </>
      );
    case 'goal':
      return (
        <>
          <path
            className="world-goal-flag"
            transform={`translate(0 ${word ? -0.1 * layout.cell : 0}) scale(${unit})`}
            d="M-8 11V-11h16l-3.6 5l3.6 5H-8"
          />
          {word && (
            <text className="world-strong" y={half - 5} textAnchor="middle">
              {tile.word}
            </text>
          )}
        </>
      );
    case 'lava':
      return (
        <>
          <path
            className="world-waves"
            transform={`translate(0 ${word ? -0.14 * layout.cell : 0}) scale(${unit})`}
            d="M-16 -6q4 -6 8 0t8 0t8 0t8 0M-16 6q4 -6 8 0t8 0t8 0t8 0"
          />
          {word && (
            <text className="world-lava-word" y={half - 6} textAnchor="middle">
              {tile.word}
            </text>
          )}
        </>
      );
    case 'plain':
      return (
        <>
          {tile.object !== null && (
            <g transform={`scale(${unit})`}>
              <GridObject cell={tile.object} letter={unit >= 0.9} />
            </g>
          )}
          {word && (
            <text className={`world-word world-ink-${ink}`} x={-half + 6} y={half - 6}>
              {tile.word}
            </text>
          )}
        </>
      );
    default:
      return null;
  }
}

/** What the policy sees: an outline around it, and fog over the rest (not over colours that are data). */
function Sight({
  layout,
  columns,
  rows,
  visible,
  fog,
}: LayerProps & { readonly rows: number; readonly visible: readonly number[]; readonly fog: boolean }) {
  const seen = new Set(visible);
  let hidden = '';
  if (fog) {
    for (let i = 0; i < columns * rows; i++) {
      if (!seen.has(i)) hidden += cellPath(layout, i % columns, Math.floor(i / columns));
    }
  }
  return (
    <g>
      {hidden !== '' && <path className="world-fog" d={hidden} />}
      <path className="world-sight" d={outlineOf(layout, columns, rows, seen)} />
    </g>
  );
}

/** The edges between a cell that is in the set and one that is not. */
function outlineOf(layout: BoardLayout, columns: number, rows: number, cells: ReadonlySet<number>): string {
  const { cell, left, top } = layout;
  const inside = (x: number, y: number) => x >= 0 && y >= 0 && x < columns && y < rows && cells.has(y * columns + x);
  let path = '';
  for (const i of cells) {
    const x = i % columns;
    const y = Math.floor(i / columns);
    const corner = (dx: number, dy: number) => `M${round(left + (x + dx) * cell)} ${round(top + (y + dy) * cell)}`;
    if (!inside(x, y - 1)) path += `${corner(0, 0)}h${round(cell)}`;
    if (!inside(x, y + 1)) path += `${corner(0, 1)}h${round(cell)}`;
    if (!inside(x - 1, y)) path += `${corner(0, 0)}v${round(cell)}`;
    if (!inside(x + 1, y)) path += `${corner(1, 0)}v${round(cell)}`;
  }
  return path;
}

interface ArrowsProps extends LayerProps {
  readonly tiles: readonly Tile[];
  readonly map: ValueMap;
  readonly coloured: ColouredCells | null;
  readonly lowered: boolean;
}

/** A likely action is a bold arrow, another a thin line, one that does not move a dot. */
const Arrows = memo(function Arrows({ layout, columns, tiles, map, coloured, lowered }: ArrowsProps) {
  const strokes = { lo: { bold: '', thin: '' }, hi: { bold: '', thin: '' }, plain: { bold: '', thin: '' } };
  const dots: { cell: number; x: number; y: number; r: number; ink: Ink }[] = [];
  if (tiles.length !== map.width * map.height || layout.cell < 14) return null;
  const head = Math.min(layout.cell * 0.11, 7);
  tiles.forEach((tile, i) => {
    if (!hasValue(tile) || tile.object !== null) return;
    const { x, y } = centreOf(layout, i % columns, Math.floor(i / columns), lowered);
    const ink = inkOf(coloured, i);
    const { rays, still } = policyRays(map, i, layout.reach);
    for (const { dx, dy, length, likely } of rays) {
      const stroke = strokes[ink];
      if (likely)
        stroke.bold +=
          shaftPath(x, y, dx, dy, length) + headPath(x, y, dx, dy, length, Math.min(head, 0.6 * length + 1.5));
      else stroke.thin += shaftPath(x, y, dx, dy, length);
    }
    // The area is the probability, as the length is for an arrow.
    if (still > 0) dots.push({ cell: i, x, y, r: Math.sqrt(still) * layout.cell * 0.11, ink });
  });
  const bold = Math.min(Math.max(layout.cell * 0.042, 1.4), 2.6);
  return (
    <g>
      {Object.entries(strokes).map(([ink, { bold: strong, thin }]) => (
        <g key={ink} className={`world-arrows world-stroke-${ink}`}>
          {thin !== '' && <path className="world-thin" strokeWidth={bold / 2} d={thin} />}
          {strong !== '' && <path strokeWidth={bold} d={strong} />}
        </g>
      ))}
      {dots.map(({ cell, x, y, r, ink }) => (
        <circle key={cell} className={`world-dot-${ink}`} cx={round(x)} cy={round(y)} r={round(r)} />
      ))}
    </g>
  );
});

function Trail({
  layout,
  columns,
  cells,
  lowered,
}: LayerProps & { readonly cells: readonly number[]; readonly lowered: boolean }) {
  if (cells.length < 2) return null;
  const d = cells
    .map((cell) => {
      const { x, y } = centreOf(layout, cell % columns, Math.floor(cell / columns), lowered);
      return `${round(x)} ${round(y)}`;
    })
    .join('L');
  return (
    <g>
      <path className="world-trail-halo" d={`M${d}`} />
      <path className="world-trail" d={`M${d}`} />
    </g>
  );
}

interface AgentProps {
  readonly view: BoardView;
  readonly layout: BoardLayout;
  readonly lowered: boolean;
  readonly animate: boolean;
}

/** A triangle where the world has a direction to face, else a ring; what is carried hangs at its corner. */
function Agent({ view, layout, lowered, animate }: AgentProps) {
  const cell = agentCell(view)!;
  const { x, y } = centreOf(layout, cell % view.width, Math.floor(cell / view.width), lowered);
  const unit = layout.cell / OBJECT_SIDE;
  return (
    <g
      className={animate ? 'world-agent world-moving' : 'world-agent'}
      style={{ transform: `translate(${round(x)}px, ${round(y)}px)` }}
    >
      {view.kind === 'grid' ? (
        <>
          <path
            className="world-agent-body"
            transform={`rotate(${view.agent.direction * 90}) scale(${unit})`}
            d="M14 0L-10 11.5V-11.5z"
          />
          {view.carrying !== null && (
            <g transform={`translate(${0.27 * layout.cell} ${-0.27 * layout.cell})`}>
              <circle className="world-hand" r={0.24 * layout.cell} />
              <g transform={`scale(${unit * 0.62})`}>
                <GridObject cell={view.carrying} letter={false} />
              </g>
            </g>
          )}
        </>
      ) : (
        <>
          <circle className="world-agent-ring" r={0.25 * layout.cell} strokeWidth={Math.max(0.05 * layout.cell, 1.5)} />
          <circle className="world-agent-body" r={0.117 * layout.cell} />
        </>
      )}
    </g>
  );
}
