/** Toasts: what happened and Undo, eight seconds, held while the pointer or the focus is on them. */
import { Undo2, X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { createPortal } from 'react-dom';
import { useToasts } from '../stores/toasts';
import { Button, IconButton } from './button';

export function Toasts() {
  const { toasts, close } = useToasts();
  return (
    <Toast.Provider duration={8000} label="Notice">
      {toasts.map(({ id, text, undo }) => (
        <Toast.Root key={id} className="toast" onOpenChange={(open) => !open && close(id)}>
          <Toast.Description>{text}</Toast.Description>
          {undo && (
            <Toast.Action altText={`Undo: ${text}`} asChild>
              <Button size="small" icon={Undo2} onClick={undo}>
                Undo
              </Button>
            </Toast.Action>
          )}
          <Toast.Close asChild>
            <IconButton size="small" icon={X} name="Close this notice" />
          </Toast.Close>
        </Toast.Root>
      ))}
      {createPortal(<Toast.Viewport className="toasts" label="Notices ({hotkey})" />, document.body)}
    </Toast.Provider>
  );
}
