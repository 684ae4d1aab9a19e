/** A page that fails leaves the shell standing: what happened, what was kept, what to do. */
import { Component, type ReactNode } from 'react';
import { Banner } from './banner';
import { Button } from './button';

interface State {
  readonly error: Error | undefined;
}

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="page-fallback">
        <Banner
          tone="alarm"
          what="This page failed."
          ways={
            <>
              <Button size="small" onClick={() => this.setState({ error: undefined })}>
                Show it again
              </Button>
              <Button size="small" onClick={() => location.reload()}>
                Load everything anew
              </Button>
            </>
          }
        >
          {error.message} Your scenario and the run are kept.
        </Banner>
      </div>
    );
  }
}
