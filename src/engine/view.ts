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

/** What the page draws of a world of tokens, beside its transcript. */
export type TextView =
  | {
      readonly kind: 'verifier';
      /** What is asked, and what was answered so far; `accepted` null until the checker has spoken. */
      readonly prompt: readonly string[];
      readonly answer: readonly string[];
      readonly expected: readonly string[];
      readonly accepted: boolean | null;
    }
  | {
      readonly kind: 'calc';
      readonly expression: readonly string[];
      /** Operator tables that only the tool knows, `cells[row * size + column]`; the called ones marked. */
      readonly tables: readonly { readonly name: string; readonly size: number; readonly cells: readonly number[] }[];
      readonly calls: readonly {
        readonly text: string;
        readonly result: string;
        readonly failed: boolean;
        /** The cell that was looked up; null for a call that could not be read. */
        readonly cell: { readonly table: number; readonly row: number; readonly column: number } | null;
      }[];
      readonly answer: string | null;
      readonly expected: string;
    }
  | {
      readonly kind: 'graph';
      readonly question: string;
      readonly entities: readonly string[];
      /** `seen`: a query has returned it; `path`: it lies on the way to the answer. */
      readonly edges: readonly {
        readonly from: number;
        readonly to: number;
        readonly relation: string;
        readonly seen: boolean;
        readonly path: boolean;
      }[];
      readonly start: number;
      readonly answer: number | null;
      readonly expected: readonly number[];
    };

/** What an update made of an episode that it learned from. */
export interface Taught {
  /** By token; 0 where the token did not teach. */
  readonly advantages: readonly number[];
  /** Observations taught too. */
  readonly observations: boolean;
}

/** One episode of tokens as the page shows it, finished or being written. Arrays run along its tokens unless said otherwise. */
export interface Transcript {
  /** Number of the episode within the run. */
  readonly episode: number;
  /** Update of the policy that began it. */
  readonly update: number;
  /** What is asked, in words. */
  readonly task: string;
  readonly tokens: readonly number[];
  /** ROLE of src/engine/text/trajectory.ts: 1 the environment wrote it, 2 the policy did. */
  readonly roles: readonly number[];
  readonly turnOf: readonly number[];
  /** Natural logarithm of the probability with which the policy wrote each of its tokens; 0 for observations. */
  readonly logProbs: readonly number[];
  /** By finished turn. */
  readonly rewards: readonly number[];
  readonly signals: readonly (readonly number[])[];
  readonly ended: boolean;
  readonly truncated: boolean;
  readonly success: boolean;
  /** Absent until an update has learned from it, and where a filter left it out. */
  readonly taught?: Taught;
  /** So many tokens of the first turn a person gave; the policy went on from them. */
  readonly given?: number;
  /** By the scripted expert, for the policy to imitate. */
  readonly expert?: boolean;
  readonly view: TextView;
}
