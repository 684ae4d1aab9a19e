/**
 * What every choice in the pipeline says about itself. A choice is registered by its id in the
 * index of its folder; its form, help, validation and documentation follow from `parameters`.
 */
import type { Schema } from '../parameters';

export interface Described<S extends Schema = Schema> {
  readonly id: string;
  readonly title: string;
  /** One sentence for the card's editor. */
  readonly summary: string;
  /** Plain-text formula, or '' where there is none. */
  readonly formula: string;
  /** Paper or reference implementation. */
  readonly source: string;
  readonly parameters: S;
}
