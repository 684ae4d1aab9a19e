/**
 * What lies on each cell of a board, the same for grids and finite MDPs: the drawing, the small
 * copies and the table are made from it.
 */
import type { GridCell, View } from '../../engine/view';
import { cellName, isObject, OBJECT } from './minigrid';

export type TileKind = 'plain' | 'wall' | 'hole' | 'goal' | 'lava' | 'unseen';

export interface Tile {
  readonly kind: TileKind;
  /** The word in the cell; '' for none. */
  readonly word: string;
  /** A door, key, ball or box on it. */
  readonly object: GridCell | null;
}

export type BoardView = Extract<View, { kind: 'grid' | 'mdp' }>;

export function tilesOf(view: BoardView): readonly Tile[] {
  return view.kind === 'grid' ? view.cells.map(gridTile) : view.labels.map(mdpTile);
}

function gridTile(cell: GridCell): Tile {
  switch (cell.object) {
    case OBJECT.unseen:
      return { kind: 'unseen', word: '', object: null };
    case OBJECT.wall:
      return { kind: 'wall', word: '', object: null };
    case OBJECT.goal:
      return { kind: 'goal', word: 'goal', object: null };
    case OBJECT.lava:
      return { kind: 'lava', word: '', object: null };
    default:
      return { kind: 'plain', word: '', object: isObject(cell) ? cell : null };
  }
}

/** Labels that only say that nothing is there. */
const PLAIN = new Set(['', 'frozen', 'floor', 'safe', 'empty']);

function mdpTile(label: string): Tile {
  const word = label.toLowerCase();
  if (PLAIN.has(word)) return { kind: 'plain', word: '', object: null };
  if (word === 'hole' || word === 'goal' || word === 'wall') return { kind: word, word: label, object: null };
  if (word === 'cliff' || word === 'lava') return { kind: 'lava', word: label, object: null };
  return { kind: 'plain', word: label, object: null };
}

/** A cell in which the policy chooses: only these have a value to show. */
export function hasValue(tile: Tile): boolean {
  return tile.kind === 'plain';
}

/** For the table and the text twin: "yellow door, locked", "hole", "floor". */
export function tileName(tile: Tile): string {
  if (tile.object !== null) return cellName(tile.object);
  if (tile.kind === 'plain') return tile.word === '' ? 'floor' : tile.word;
  return tile.word === '' ? tile.kind : tile.word;
}

/** Equal for two boards that look the same: views are fresh objects with every step. */
export function tilesSignature(tiles: readonly Tile[]): string {
  return tiles
    .map(({ kind, word, object }) =>
      object === null ? kind.charAt(0) + word : `${object.object},${object.colour},${object.state}`,
    )
    .join('|');
}
