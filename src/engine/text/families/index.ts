/** Every family of text environments, by its id. To add one: a file in this folder and a line here. */
import type { TextFamily } from '../environment';
import { calcTool } from './calc-tool';
import { miniKg, worldKg } from './mini-kg';

export const TEXT_ENVIRONMENTS: Readonly<Record<string, TextFamily>> = Object.fromEntries(
  [calcTool, miniKg, worldKg].map((family) => [family.id, family as unknown as TextFamily]),
);
