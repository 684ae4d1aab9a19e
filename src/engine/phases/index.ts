/** The kinds of phases, by id. */
import { imitate } from './imitate';
import { merge } from './merge';
import type { PhaseKind } from './phase';
import { prefer } from './prefer';
import { reinforce } from './reinforce';

export const PHASES = { imitate, reinforce, prefer, merge } as unknown as Readonly<Record<string, PhaseKind>>;
