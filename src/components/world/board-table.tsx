/** The board as a table: the text twin of the heat map, cell by cell. */
import type { ValueMap } from '../../engine/view';
import { errorOf, range } from './board';
import { hasValue, type Tile, tileName } from './tiles';

interface BoardTableProps {
  readonly title: string;
  readonly columns: number;
  readonly tiles: readonly Tile[];
  readonly map: ValueMap | null;
  readonly visits: Float32Array;
  readonly actionNames: readonly string[];
}

export function BoardTable({ title, columns, tiles, map, visits, actionNames }: BoardTableProps) {
  const known = map !== null && map.values.length === tiles.length ? map : null;
  const error = known === null ? null : errorOf(known);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="world-table" tabIndex={0} aria-label={`${title}: numbers by cell`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Cell</th>
            <th scope="col">Holds</th>
            <th scope="col">Value</th>
            {error !== null && (
              <>
                <th scope="col">Exact</th>
                <th scope="col">Error</th>
              </>
            )}
            <th scope="col">Visits</th>
            <th scope="col">Likeliest action</th>
          </tr>
        </thead>
        <tbody>
          {range(tiles.length).map((cell) => {
            const tile = tiles[cell];
            if (tile.kind === 'wall' || tile.kind === 'unseen') return null;
            const chooses = known !== null && hasValue(tile);
            return (
              <tr key={cell}>
                <th scope="row">
                  {cell % columns}, {Math.floor(cell / columns)}
                </th>
                <td>{tileName(tile)}</td>
                <td>{chooses ? fixed(known.values[cell]) : ''}</td>
                {error !== null && (
                  <>
                    <td>{chooses ? fixed(known!.exact![cell]) : ''}</td>
                    <td>{chooses ? fixed(error[cell]) : ''}</td>
                  </>
                )}
                <td>{visits[cell] ?? 0}</td>
                <td>{chooses ? likeliest(known, cell, actionNames) : ''}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function fixed(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3).replace('-', '−') : '';
}

/** "right 0.82" */
function likeliest(map: ValueMap, cell: number, names: readonly string[]): string {
  const row = [...map.probabilities.subarray(cell * map.actions, (cell + 1) * map.actions)];
  const best = row.indexOf(Math.max(...row));
  return best < 0 ? '' : `${names[best] ?? `action ${best}`} ${row[best].toFixed(2)}`;
}
