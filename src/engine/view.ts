/** What the page draws of a world: plain data, made from one copy's state by its environment. */

export interface GridCell {
  /** MiniGrid's numbers: object, colour, state. */
  readonly object: number;
  readonly colour: number;
  readonly state: number;
}

export type View =
  | { readonly kind: 'cartpole'; readonly position: number; readonly angle: number }
  | { readonly kind: 'mountain-car'; readonly position: number; readonly goal: number }
  | { readonly kind: 'acrobot'; readonly angles: readonly [number, number] }
  | { readonly kind: 'pendulum'; readonly angle: number; readonly torque: number }
  | {
      readonly kind: 'grid';
      readonly width: number;
      readonly height: number;
      /** Row-major, `cells[y * width + x]`. */
      readonly cells: readonly GridCell[];
      readonly agent: { readonly x: number; readonly y: number; readonly direction: number };
      readonly carrying: GridCell | null;
      /** Cells that the policy sees now (`y * width + x`); absent with full view. */
      readonly visible?: readonly number[];
    }
  | {
      readonly kind: 'mdp';
      /** States laid out on a board of `width` columns; labels such as start, hole, goal. */
      readonly width: number;
      readonly height: number;
      readonly labels: readonly string[];
      readonly state: number;
      /** A drawn description beside the board, one line (Taxi: "passenger at R, to G"). */
      readonly caption?: string;
      /** Board cell of a state, where several states share one. */
      readonly cell: number;
    }
  | {
      readonly kind: 'bandit';
      readonly means: readonly number[];
      readonly lastArm: number;
      readonly lastReward: number;
    };

/** Values and policy over probe states, for the heat map. Entries by board cell. */
export interface ValueMap {
  readonly width: number;
  readonly height: number;
  /** V(s) by cell; NaN where a cell has no state (walls). */
  readonly values: Float32Array;
  /** Probabilities by cell and action, `[cell * actions + a]`. */
  readonly probabilities: Float32Array;
  readonly actions: number;
  /** Unit vector of each action on the board, [dx, dy] with y down; null: the action does not move (shown as a dot). */
  readonly directions: readonly (readonly [number, number] | null)[];
  /** Exact values from value iteration, where the environment knows them. */
  readonly exact?: Float32Array;
}
