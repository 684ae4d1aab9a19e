/** A board in a few pixels: walls, holes, goal and lava as squares, the way as a line, the agent as a point. */
import { agentCell, round } from '../board';
import { type BoardView, type TileKind, tilesOf } from '../tiles';

const MINI_CLASS: Readonly<Partial<Record<TileKind, string>>> = {
  wall: 'world-wall',
  hole: 'world-hole',
  goal: 'world-mini-goal',
  lava: 'world-lava',
};

interface MiniBoardProps {
  readonly view: BoardView;
  readonly width: number;
  readonly height: number;
  readonly trail: readonly number[];
}

export function MiniBoard({ view, width, height, trail }: MiniBoardProps) {
  const cell = Math.min(width / view.width, height / view.height);
  const left = (width - cell * view.width) / 2;
  const top = (height - cell * view.height) / 2;
  const paths = new Map<string, string>();
  const add = (name: string, i: number) => {
    const x = round(left + (i % view.width) * cell);
    const y = round(top + Math.floor(i / view.width) * cell);
    const side = round(cell - (cell >= 5 ? 1 : 0.2));
    paths.set(name, `${paths.get(name) ?? ''}M${x} ${y}h${side}v${side}h${-side}z`);
  };
  tilesOf(view).forEach((tile, i) => {
    const name = tile.object === null ? MINI_CLASS[tile.kind] : 'world-mini-object';
    if (name !== undefined) add(name, i);
  });
  const place = (i: number) =>
    `${round(left + ((i % view.width) + 0.5) * cell)} ${round(top + (Math.floor(i / view.width) + 0.5) * cell)}`;
  const [x, y] = place(agentCell(view)!).split(' ');
  return (
    <g>
      <rect className="world-mini-ground" x={left} y={top} width={cell * view.width} height={cell * view.height} />
      {[...paths].map(([name, d]) => (
        <path key={name} className={name} d={d} />
      ))}
      {trail.length > 1 && <path className="world-mini-trail" d={`M${trail.map(place).join('L')}`} />}
      <circle className="world-agent-body" cx={x} cy={y} r={Math.max(cell * 0.42, 2.4)} />
    </g>
  );
}
