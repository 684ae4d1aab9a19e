import { describe, expect, it, vi } from 'vitest';
import { createSettings, STORAGE_KEY, type StorageLike } from './settings';

const storage = (text: string | null = null) => {
  const kept = { text };
  return {
    kept,
    getItem: (key: string) => (key === STORAGE_KEY ? kept.text : null),
    setItem: vi.fn((_key: string, value: string) => {
      kept.text = value;
    }),
  } satisfies StorageLike & { kept: { text: string | null } };
};

it('remembers a change and finds it again', () => {
  const place = storage();
  createSettings(place)
    .getState()
    .change({ theme: 'dark', tuning: { adapter: 'tile 64' } });
  const again = createSettings(place).getState();
  expect(again.theme).toBe('dark');
  expect(again.tuning).toEqual({ adapter: 'tile 64' });
  expect(again.shortcuts).toBe(true);
});

describe('what was stored is not trusted (F37)', () => {
  it.each([
    ['not JSON', '{"version": 1, "state'],
    ['nothing in it', '{}'],
    ['no version', '{"state": {"theme": "purple", "largeText": "yes"}}'],
    ['a field of the wrong type', '{"version": 1, "state": {"theme": 3, "tuning": [1], "executor": "quantum"}}'],
    ['no object', '{"version": 1, "state": null}'],
  ])('%s: defaults, field by field', (_name, text) => {
    const { theme, largeText, shortcuts, executor, tuning, notice } = createSettings(storage(text)).getState();
    expect({ theme, largeText, shortcuts, executor, tuning, notice }).toEqual({
      theme: undefined,
      largeText: false,
      shortcuts: true,
      executor: 'auto',
      tuning: {},
      notice: undefined,
    });
  });
  it('a good field beside a bad one is kept', () => {
    const { theme, executor } = createSettings(
      storage('{"version": 1, "state": {"theme": "dark", "executor": 7}}'),
    ).getState();
    expect([theme, executor]).toEqual(['dark', 'auto']);
  });
  it('a newer version is refused kindly and left as it is', () => {
    const place = storage('{"version": 999, "state": {"theme": "dark"}}');
    const store = createSettings(place);
    expect(store.getState().notice).toMatch(/newer version/);
    expect(store.getState().theme).toBeUndefined();
    store.getState().change({ theme: 'light' });
    expect(store.getState().theme).toBe('light');
    expect(place.setItem).not.toHaveBeenCalled();
  });
});

describe('storage that fails (F35)', () => {
  it.each([
    ['Chromium', { name: 'QuotaExceededError' }],
    ['Firefox', { name: 'NS_ERROR_DOM_QUOTA_REACHED' }],
    ['older engines', { code: 22 }],
  ])('%s is full: the page says so, the change holds, the old text stays', (_browser, error) => {
    const place = storage('{"version": 1, "state": {"theme": "dark"}}');
    place.setItem.mockImplementation(() => {
      throw error;
    });
    const store = createSettings(place);
    store.getState().change({ largeText: true });
    expect(store.getState().notice).toMatch(/storage is full/);
    expect(store.getState().largeText).toBe(true);
    expect(place.kept.text).toContain('dark');
    store.getState().dismissNotice();
    expect(store.getState().notice).toBeUndefined();
  });
  it('is blocked: the page works without', () => {
    const store = createSettings(undefined);
    store.getState().change({ theme: 'dark' });
    expect(store.getState()).toMatchObject({ theme: 'dark', notice: undefined });
  });
});
