/**
 * What the page remembers about its visitor, in localStorage under one key: theme, text size, single-key
 * shortcuts, the executor asked for, and tile measurements by adapter. The stored state has a version and moves up
 * step by step; a newer one is left alone. A failed write says so and never stops the page.
 */
import * as v from 'valibot';
import { create } from 'zustand';
import type { ExecutorChoice, TuningMemory } from '../worker/protocol';

export const STORAGE_KEY = 'agentic-rl-playground';
export const STORAGE_VERSION = 1;

const schema = v.object({
  /** Undefined follows the system. */
  theme: v.fallback(v.optional(v.picklist(['light', 'dark'])), undefined),
  largeText: v.fallback(v.boolean(), false),
  shortcuts: v.fallback(v.boolean(), true),
  executor: v.fallback(v.picklist(['auto', 'webgpu', 'cpu']), 'auto'),
  tuning: v.fallback(v.record(v.string(), v.string()), {}),
});

export interface Remembered {
  readonly theme?: 'light' | 'dark' | undefined;
  readonly largeText: boolean;
  readonly shortcuts: boolean;
  readonly executor: ExecutorChoice;
  readonly tuning: TuningMemory;
}
export interface SettingsState extends Remembered {
  /** Why nothing is remembered at present, in a sentence; shown until dismissed. */
  readonly notice?: string | undefined;
  change(part: Partial<Remembered>): void;
  dismissNotice(): void;
}
export type StorageLike = Pick<Storage, 'getItem' | 'setItem'>;
const DEFAULTS: Remembered = { largeText: false, shortcuts: true, executor: 'auto', tuning: {} };

/** Steps of the stored state: `steps[n - 1]` brings version n to n + 1. */
const STEPS: readonly ((state: unknown) => unknown)[] = [];

/** A store over the given storage; undefined where the browser gives none (blocked cookies). */
export function createSettings(storage: StorageLike | undefined) {
  const loaded = read(storage);
  return create<SettingsState>()((set, get) => ({
    ...loaded.state,
    notice: loaded.notice,
    change: (part) => {
      set(part);
      if (loaded.locked) return;
      const { theme, largeText, shortcuts, executor, tuning } = get();
      const failure = write(storage, { theme, largeText, shortcuts, executor, tuning });
      if (failure !== undefined) set({ notice: failure });
    },
    dismissNotice: () => set({ notice: undefined }),
  }));
}

function read(storage: StorageLike | undefined): { state: Remembered; locked?: boolean; notice?: string } {
  if (storage === undefined) return { state: DEFAULTS, locked: true };
  try {
    const text = storage.getItem(STORAGE_KEY);
    if (text === null) return { state: DEFAULTS };
    const stored: unknown = JSON.parse(text);
    const version = typeof stored === 'object' && stored !== null && 'version' in stored ? stored.version : undefined;
    if (typeof version === 'number' && version > STORAGE_VERSION)
      return {
        state: DEFAULTS,
        locked: true,
        notice: 'Your settings were saved by a newer version of this page. They are kept, and not used here.',
      };
    const old = typeof stored === 'object' && stored !== null && 'state' in stored ? stored.state : {};
    const first = typeof version === 'number' && version >= 1 ? version : 1;
    const state = STEPS.slice(first - 1).reduce((value, step) => step(value), old);
    return { state: v.parse(v.fallback(schema, DEFAULTS as v.InferOutput<typeof schema>), state) };
  } catch {
    // Text that is not JSON, or storage that may not be read: start from the defaults.
    return { state: DEFAULTS };
  }
}

function write(storage: StorageLike | undefined, state: Remembered): string | undefined {
  try {
    storage?.setItem(STORAGE_KEY, JSON.stringify({ version: STORAGE_VERSION, state }));
    return undefined;
  } catch (error) {
    return isQuotaError(error)
      ? 'The browser’s storage is full, so this setting holds only until you close the page. What was saved before is kept.'
      : 'The browser does not let this page store anything, so this setting holds only until you close the page.';
  }
}

/** Chromium and Safari, Firefox, and older engines name the same failure differently. */
function isQuotaError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name === 'QuotaExceededError' || name === 'NS_ERROR_DOM_QUOTA_REACHED' || code === 22 || code === 1014;
}

function browserStorage(): StorageLike | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export const useSettings = createSettings(browserStorage());

/** Whether the page is dark now: the visitor's choice, else the system's. */
export function isDark(theme: 'light' | 'dark' | undefined): boolean {
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}
