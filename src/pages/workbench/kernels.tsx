/** The kernels of the run, in the WGSL that really runs: hand-written, or generated for this adapter's tile. */
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import { IconButton } from '../../components/button';
import { focusItself } from '../../components/help-dialog';
import { useRun } from '../../stores/run';
import { useWorkbench } from './state';

export default function KernelsDialog() {
  const kernels = useRun((state) => state.kernels);
  const [chosen, choose] = useState('');
  useEffect(() => useRun.getState().listKernels(), []);
  const kernel = kernels?.find(({ name }) => name === chosen) ?? kernels?.[0];
  return (
    <Dialog.Root open onOpenChange={(open) => useWorkbench.setState({ kernels: open })}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content className="dialog dialog-wide" onOpenAutoFocus={focusItself}>
          <div className="dialog-head">
            <Dialog.Title>Kernels of this run</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton icon={X} name="Close" shortcut="Esc" />
            </Dialog.Close>
          </div>
          <div className="dialog-body kernels">
            <Dialog.Description>
              {kernels === undefined
                ? 'The run is not ready yet.'
                : `${kernels.length} kernels. Form of the linear layers, measured on this adapter: ${kernels[0]?.form}.`}
            </Dialog.Description>
            {kernel !== undefined && kernels !== undefined && (
              <>
                <label>
                  Kernel{' '}
                  <select className="select" value={kernel.name} onChange={({ target }) => choose(target.value)}>
                    {kernels.map(({ name }) => (
                      <option key={name}>{name}</option>
                    ))}
                  </select>
                </label>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
                <section className="kernel-code" tabIndex={0} aria-label={`WGSL of ${kernel.name}`}>
                  <pre>{kernel.wgsl}</pre>
                </section>
              </>
            )}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
