/** The places of the product, as top bar and, on a narrow screen, as bottom bar. */

import type { LucideIcon } from 'lucide-react';
import { CircleQuestionMark, LayoutGrid, Moon, PanelsTopLeft, Settings2, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { isDark, useSettings } from '../stores/settings';
import { IconButton } from './button';
import { DeviceBadge } from './device-badge';
import { useHelp } from './help-dialog';

interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: LucideIcon;
}
const PLACES: readonly Place[] = [
  { path: '/', name: 'Gallery', icon: LayoutGrid },
  { path: '/workbench', name: 'Workbench', icon: PanelsTopLeft },
];

const isCurrent = (place: string, { path }: Place) => (path === '/' ? place === '/' : place.startsWith(path));

export function TopBar({ onTheme }: { onTheme: () => void }) {
  const [place] = useLocation();
  const theme = useSettings((state) => state.theme);
  const systemDark = useSyncExternalStore(watchSystemTheme, () => matchMedia(DARK).matches);
  const dark = theme === undefined ? systemDark : isDark(theme);
  return (
    <header className="top">
      <Link href="/" className="brand">
        <Logo />
        Agentic RL Playground
      </Link>
      <nav className="places" aria-label="Places">
        {PLACES.map((one) => (
          <Link key={one.path} href={one.path} aria-current={isCurrent(place, one) ? 'page' : undefined}>
            {one.name}
          </Link>
        ))}
      </nav>
      <div className="end">
        <DeviceBadge />
        <IconButton
          icon={dark ? Moon : Sun}
          name={dark ? 'Theme: dark. Change to light' : 'Theme: light. Change to dark'}
          shortcut="T"
          onClick={onTheme}
        />
        <IconButton icon={CircleQuestionMark} name="Keyboard and display" shortcut="?" onClick={openHelp} />
      </div>
    </header>
  );
}

export function BottomBar() {
  const [place] = useLocation();
  return (
    <nav className="bottom-bar" aria-label="Places, below">
      {PLACES.map((one) => (
        <Link key={one.path} href={one.path} aria-current={isCurrent(place, one) ? 'page' : undefined}>
          <one.icon size={20} strokeWidth={1.75} aria-hidden />
          {one.name}
        </Link>
      ))}
      <button type="button" onClick={openHelp}>
        <Settings2 size={20} strokeWidth={1.75} aria-hidden />
        Display
      </button>
    </nav>
  );
}

const openHelp = () => useHelp.setState({ open: true });

const DARK = '(prefers-color-scheme: dark)';
function watchSystemTheme(changed: () => void): () => void {
  const query = matchMedia(DARK);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** A path through a grid world: down, along, and on. */
function Logo() {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <rect x={1.5} y={1.5} width={21} height={21} rx={4} />
      <path d="M1.500 12h21M12 1.500v21" strokeWidth={1} opacity={0.35} />
      <path d="M7 18V7h9" stroke="var(--ink)" strokeWidth={2.4} />
      <path d="M13.500 4l3.500 3-3.500 3" stroke="var(--ink)" strokeWidth={2.4} />
    </svg>
  );
}
