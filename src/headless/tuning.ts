/**
 * The tiles chosen for each adapter, kept between runs: measured anew they might come out otherwise, and the same
 * seed on the same adapter would no longer give the same bits.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TuningMemory } from '../engine/device/tuning';
import { isRecord } from '../engine/parameters';

const FOLDER = join('node_modules', '.cache');
const FILE = join(FOLDER, 'tuning.json');

/** Empty where nothing was kept, or what was kept cannot be read. */
export function recallTuning(): TuningMemory {
  try {
    const kept: unknown = JSON.parse(readFileSync(FILE, 'utf8'));
    return isRecord(kept) ? (kept as TuningMemory) : {};
  } catch {
    return {};
  }
}

export function keepTuning(memory: TuningMemory): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(FILE, `${JSON.stringify({ ...recallTuning(), ...memory }, null, 2)}\n`);
}
