/** Open and save the scenario as a file. A file with problems leaves the open work as it is and says them all. */
import { FileJson, FolderOpen, Redo2, Save, Undo2, X } from 'lucide-react';
import { Dialog, DropdownMenu } from 'radix-ui';
import { useContext, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Button, FloatingLayer, IconButton } from '../../components/button';
import { focusItself } from '../../components/help-dialog';
import { ProblemList } from '../../components/problem-list';
import type { Problem } from '../../engine/parameters';
import { formatScenario, MAX_BYTES, type Parsed, parseScenario, sizeMessage } from '../../formats/scenario';
import { PRESET_IDS, REGISTRY } from '../../stores/registry';
import { redo, undo, useScenario } from '../../stores/scenario';
import { findProblems, openScenario } from '../../stores/session';

export function FileMenu() {
  const input = useRef<HTMLInputElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const [refused, setRefused] = useState<{ readonly name: string; readonly problems: readonly Problem[] }>();
  const [, navigate] = useLocation();
  const open = async (file: File) => {
    const parsed = await readFile(file);
    if ('problems' in parsed) return setRefused({ name: file.name, problems: parsed.problems });
    openScenario(parsed.scenario);
    navigate('/workbench');
  };
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button ref={trigger} icon={FileJson} className="file">
            <span className="file-word">File</span>
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal container={useContext(FloatingLayer)}>
          <DropdownMenu.Content className="menu" align="end" sideOffset={6} collisionPadding={8}>
            <DropdownMenu.Item className="menu-item" onSelect={() => input.current?.click()}>
              <FolderOpen size={16} aria-hidden /> Open a scenario file…
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={save}>
              <Save size={16} aria-hidden /> Save as a file
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="menu-line" />
            <DropdownMenu.Item className="menu-item" onSelect={undo}>
              <Undo2 size={16} aria-hidden /> Undo <kbd>Ctrl Z</kbd>
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={redo}>
              <Redo2 size={16} aria-hidden /> Redo <kbd>Ctrl Shift Z</kbd>
            </DropdownMenu.Item>
            <DropdownMenu.Label className="menu-label">
              Changes live in this tab until you save them.
            </DropdownMenu.Label>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label="Scenario file"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file) void open(file);
        }}
      />
      <Dialog.Root open={refused !== undefined} onOpenChange={() => setRefused(undefined)}>
        <Dialog.Portal>
          <Dialog.Overlay className="scrim" />
          <Dialog.Content
            className="dialog"
            onOpenAutoFocus={focusItself}
            onCloseAutoFocus={() => trigger.current?.focus()}
          >
            <div className="dialog-head">
              <Dialog.Title>{refused?.name} cannot be opened</Dialog.Title>
              <Dialog.Close asChild>
                <IconButton icon={X} name="Close" shortcut="Esc" />
              </Dialog.Close>
            </div>
            <div className="dialog-body">
              <Dialog.Description>
                Your open scenario is unchanged. Mend this in the file, then open it again:
              </Dialog.Description>
              <ProblemList problems={refused?.problems ?? []} />
            </div>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}

/** The size is looked at before a byte is read, and what the engine would make of it before anything is opened. */
async function readFile(file: File): Promise<Parsed> {
  if (file.size > MAX_BYTES) return { problems: [{ path: 'file', message: sizeMessage(file.size) }] };
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    // Moved, deleted, a folder, or not ours to read since it was picked.
    return { problems: [{ path: 'file', message: 'cannot be read; it may have been moved or deleted' }] };
  }
  const parsed = parseScenario(bytes, REGISTRY, PRESET_IDS);
  const problems = 'scenario' in parsed ? findProblems(parsed.scenario) : [];
  return problems.length > 0 ? { problems } : parsed;
}

function save(): void {
  const { scenario } = useScenario.getState();
  if (scenario === undefined) return;
  const url = URL.createObjectURL(new Blob([formatScenario(scenario)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${scenario.id}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
