/** Keyboard and display: the list of shortcuts as they are registered now, and how the page looks. */
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { Fragment } from 'react';
import { create } from 'zustand';
import { useSettings } from '../stores/settings';
import { IconButton } from './button';
import { keysOf, useShortcutGroups } from './shortcuts';

export const useHelp = create<{ readonly open: boolean }>()(() => ({ open: false }));

export function HelpDialog() {
  const open = useHelp((state) => state.open);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => useHelp.setState({ open: next })}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="dialog" aria-describedby={undefined} onOpenAutoFocus={focusItself}>
          <div className="dialog-head">
            <Dialog.Title>Keyboard and display</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton icon={X} name="Close" shortcut="Esc" />
            </Dialog.Close>
          </div>
          <div className="dialog-body">
            <DisplayChoices />
            <ShortcutList />
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The dialog takes the focus, not its Close button: the first thing read is its title. */
export function focusItself(event: Event): void {
  event.preventDefault();
  (event.currentTarget as HTMLElement).focus();
}

function DisplayChoices() {
  const { theme, largeText, shortcuts, change } = useSettings();
  return (
    <div className="display-choices">
      <label className="display-theme">
        Theme{' '}
        <select
          className="select"
          value={theme ?? 'system'}
          onChange={({ target }) =>
            change({ theme: target.value === 'system' ? undefined : target.value === 'dark' ? 'dark' : 'light' })
          }
        >
          <option value="system">As the system</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
      <label className="check">
        <input type="checkbox" checked={largeText} onChange={({ target }) => change({ largeText: target.checked })} />
        Large text, for a projector
      </label>
      <label className="check">
        <input type="checkbox" checked={shortcuts} onChange={({ target }) => change({ shortcuts: target.checked })} />
        Single-key shortcuts
      </label>
    </div>
  );
}

function ShortcutList() {
  const groups = useShortcutGroups((state) => state.groups);
  return (
    <div className="help-groups">
      {groups.map(({ title, shortcuts }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {shortcuts.map((shortcut) => (
              <Fragment key={shortcut.name}>
                <dt>
                  {keysOf(shortcut).map((key, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the same key may come twice, as in G G.
                    <kbd key={index}>{key}</kbd>
                  ))}
                </dt>
                <dd>{shortcut.name}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
