/** On a narrow screen one panel shows at a time; these tabs stick below the top bar. */
import { type KeyboardEvent, useRef } from 'react';
import { type PanelName, showPanel, useWorkbench } from './state';

const PANELS: readonly { readonly name: PanelName; readonly title: string }[] = [
  { name: 'world', title: 'World' },
  { name: 'pipeline', title: 'Pipeline' },
  { name: 'curves', title: 'Curves' },
  { name: 'lesson', title: 'Lesson' },
  { name: 'health', title: 'Health' },
];

export function PanelTabs() {
  const panel = useWorkbench((state) => state.panel);
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (direction === 0) return;
    event.preventDefault();
    const at = PANELS.findIndex(({ name }) => name === panel);
    const index = (at + direction + PANELS.length) % PANELS.length;
    showPanel(PANELS[index]?.name ?? 'world');
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return (
    <div className="panel-tabs" role="tablist" aria-label="Panels" ref={list} onKeyDown={onKeyDown}>
      {PANELS.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={panel === name}
          tabIndex={panel === name ? 0 : -1}
          onClick={() => showPanel(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
