/** Edits of a schedule of phases: the first begins at update 0, and each of the others after the one before it. */
import type { AnyParameters } from '../engine/parameters';
import type { GatheredCounts, Lack } from '../engine/phases/phase';
import type { Phase } from '../engine/scenario';
import { PHASE_KINDS } from './registry';

/** A new phase takes the second half of what the last one had. */
export function addPhase(
  phases: readonly Phase[],
  id: string,
  parameters: AnyParameters,
  updates: number,
): readonly Phase[] {
  const last = phases.at(-1);
  const from = last === undefined ? 0 : last.from + Math.max(1, Math.floor((updates - last.from) / 2));
  return [...phases, { id, from, parameters, with: {} }];
}

/** The phase after a removed one does not begin earlier, unless it is the first now. */
export function removePhase(phases: readonly Phase[], index: number): readonly Phase[] {
  return phases.filter((_, at) => at !== index).map((phase, at) => (at === 0 ? { ...phase, from: 0 } : phase));
}

/** Two neighbours change places; the updates at which places begin stay. */
export function movePhase(phases: readonly Phase[], index: number, by: 1 | -1): readonly Phase[] {
  const [one, other] = [phases[index], phases[index + by]];
  if (one === undefined || other === undefined) return phases;
  return phases.map((phase, at) => {
    if (at === index) return { ...other, from: phase.from };
    return at === index + by ? { ...one, from: phase.from } : phase;
  });
}

/** First and last update at which phase `index` may begin. */
export function roomOf(phases: readonly Phase[], index: number, updates: number): readonly [number, number] {
  if (index === 0) return [0, 0];
  const low = (phases[index - 1]?.from ?? 0) + 1;
  return [low, Math.max(low, (phases[index + 1]?.from ?? Math.max(updates, low + 1)) - 1)];
}

/** What a phase waits for until the person has gathered it; undefined where it can begin. */
export function lackOf(phase: Phase, gathered: GatheredCounts): Lack | undefined {
  return PHASE_KINDS[phase.id]?.lacks?.(phase.parameters as never, gathered);
}

/** That of the phase which the next update belongs to, and its place in the list. */
export function lackAt(
  phases: readonly Phase[],
  update: number,
  gathered: GatheredCounts,
): (Lack & { readonly index: number }) | undefined {
  const index = phases.findLastIndex(({ from }) => from <= update);
  const phase = phases[index];
  const lack = phase && lackOf(phase, gathered);
  return lack && { ...lack, index };
}
