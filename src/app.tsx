/** The shell: what stays while pages come and go, and what a failing page leaves standing. */
import { Tooltip } from 'radix-ui';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Banner } from './components/banner';
import { Button, FloatingLayer } from './components/button';
import { ErrorBoundary } from './components/error-boundary';
import { HelpDialog, useHelp } from './components/help-dialog';
import { BottomBar, TopBar } from './components/places';
import { type Shortcut, useShortcutListener, useShortcuts } from './components/shortcuts';
import { Toasts } from './components/toasts';
import { Gallery } from './pages/gallery';
import { isDark, useSettings } from './stores/settings';

const Workbench = lazy(() => import('./pages/workbench'));

const go = (place: string) => {
  location.hash = place;
};
const SHORTCUTS: readonly Shortcut[] = [
  { key: 'g g', name: 'Gallery', run: () => go('/') },
  { key: 'g w', name: 'Workbench', run: () => go('/workbench') },
  { key: 't', name: 'Light or dark', run: toggleTheme },
  { key: '?', name: 'This list', run: () => useHelp.setState({ open: true }) },
];

function toggleTheme(): void {
  const { theme, change } = useSettings.getState();
  change({ theme: isDark(theme) ? 'light' : 'dark' });
}

export function App() {
  useShortcutListener();
  useShortcuts('Everywhere', SHORTCUTS);
  useDisplay();
  const [main, setMain] = useState<HTMLElement | null>(null);
  return (
    <FloatingLayer value={main}>
      <Tooltip.Provider delayDuration={500}>
        <Router hook={useHashLocation}>
          <div className="app">
            <Pages main={main} onMain={setMain} />
          </div>
        </Router>
        <HelpDialog />
        <Toasts />
      </Tooltip.Provider>
    </FloatingLayer>
  );
}

function Pages({ main, onMain }: { main: HTMLElement | null; onMain: (element: HTMLElement | null) => void }) {
  const [place] = useLocation();
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new place moves the focus to its page, as a page load would.
  useEffect(() => {
    if (!first.current) {
      main?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    first.current = false;
  }, [place]);
  return (
    <>
      <button type="button" className="skip" onClick={() => main?.focus()}>
        Skip to the page
      </button>
      <TopBar onTheme={toggleTheme} />
      <StorageNotice />
      <main id="main" ref={onMain} tabIndex={-1}>
        <ErrorBoundary key={place}>
          <Suspense fallback={<p className="page-fallback">Loading the workbench…</p>}>
            <Switch>
              <Route path="/" component={Gallery} />
              <Route path="/workbench/:id?">{({ id }) => <Workbench id={id} />}</Route>
              <Route component={NoSuchPlace} />
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </main>
      <BottomBar />
    </>
  );
}

function NoSuchPlace() {
  return (
    <div className="empty">
      <p>There is nothing at this address.</p>
      <Button onClick={() => go('/')}>To the gallery</Button>
    </div>
  );
}

function StorageNotice() {
  const notice = useSettings((state) => state.notice);
  const dismiss = useSettings((state) => state.dismissNotice);
  if (notice === undefined) return null;
  return (
    <div className="shell-notice">
      <Banner
        tone="warn"
        what="Settings are not saved."
        ways={
          <Button size="small" onClick={dismiss}>
            Dismiss
          </Button>
        }
      >
        {notice}
      </Banner>
    </div>
  );
}

/** Theme and text size on the root element, where the tokens read them. */
function useDisplay(): void {
  const theme = useSettings((state) => state.theme);
  const largeText = useSettings((state) => state.largeText);
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === undefined) delete dataset.theme;
    else dataset.theme = theme;
    if (largeText) dataset.size = 'projector';
    else delete dataset.size;
  }, [theme, largeText]);
}
