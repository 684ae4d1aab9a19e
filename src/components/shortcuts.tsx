/**
 * Keyboard shortcuts: each part of the page registers its own while it is shown, one listener carries them out, and
 * the list of them is the help. Single keys do nothing while a field has the focus, and can be switched off.
 */
import { useEffect } from 'react';
import { create } from 'zustand';
import { useSettings } from '../stores/settings';

export interface Shortcut {
  /** As `KeyboardEvent.key`; two keys with a space are pressed one after the other: `g w`. */
  readonly key: string;
  /** With Ctrl (or ⌘); such shortcuts cannot be switched off. */
  readonly control?: boolean;
  readonly shift?: boolean;
  /** What it does, as in the list: “Train or pause”. */
  readonly name: string;
  readonly run: () => void;
}
interface Group {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

export const useShortcutGroups = create<{ readonly groups: readonly Group[] }>()(() => ({ groups: [] }));

/** Registers the group while the caller is mounted. Give a constant list. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const group = { title, shortcuts };
    useShortcutGroups.setState(({ groups }) => ({ groups: [...groups, group] }));
    return () => useShortcutGroups.setState(({ groups }) => ({ groups: groups.filter((one) => one !== group) }));
  }, [title, shortcuts]);
}

/** Keys for the eyes: “Ctrl Z”, “Space”, “G then W”. */
export function keysOf({ key, control, shift }: Shortcut): string[] {
  const names = key
    .split(' ')
    .filter(Boolean)
    .map((one) => (one.length === 1 ? one.toUpperCase() : one));
  const plain = key === ' ' ? ['Space'] : names;
  return [...(control ? ['Ctrl'] : []), ...(shift ? ['Shift'] : []), ...plain];
}

/** The listener; mounted once by the shell. */
export function useShortcutListener(): void {
  useEffect(() => {
    let prefix = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey || isTyping(event.target)) return;
      const control = event.ctrlKey || event.metaKey;
      if (!control && (!useSettings.getState().shortcuts || isElsewhere(event.target))) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (key === ' ' && isPressable(event.target)) return;
      const all = useShortcutGroups.getState().groups.flatMap(({ shortcuts }) => shortcuts);
      const sequence = prefix === '' ? key : `${prefix} ${key}`;
      const found = all.find(
        (one) =>
          one.key === sequence &&
          (one.control ?? false) === control &&
          (one.shift === undefined ? control === false || !event.shiftKey : one.shift === event.shiftKey),
      );
      clearTimeout(timer);
      prefix = '';
      if (found !== undefined) {
        event.preventDefault();
        if (!event.repeat) found.run();
      } else if (!control && all.some((one) => one.key.startsWith(`${key} `))) {
        prefix = key;
        timer = setTimeout(() => {
          prefix = '';
        }, 1500);
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** A field takes every key, with any modifier: undo in it is the field's own. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'file'].includes(target.type);
}

/** Dialogs and menus have their own keys. */
function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=dialog], [role=menu], [role=listbox]') !== null;
}

/** Space presses what has the focus, where that can be pressed. */
function isPressable(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('button, a[href], summary, input, [role=tab], [role=switch]') !== null
  );
}
