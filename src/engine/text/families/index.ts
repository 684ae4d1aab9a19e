/** Every family of text environments, by its id. To add one: a file or folder here and a line below. */
import type { TextFamily } from '../environment';
import { calcTool } from './calc-tool';
import { miniKg, worldKg } from './mini-kg';
import { verifierFiller, verifierPassword, verifierPreference, verifierSum, verifierTable } from './verifier';

const FAMILIES = [
  verifierTable,
  verifierPassword,
  verifierSum,
  verifierFiller,
  verifierPreference,
  calcTool,
  miniKg,
  worldKg,
] as const;

export const TEXT_ENVIRONMENTS: Readonly<Record<string, TextFamily>> = Object.fromEntries(
  FAMILIES.map((family) => [family.id, family as unknown as TextFamily]),
);
