/** One world, large with words or small as one copy of many: chooses the drawing by the view's kind. */
import type { ValueMap, View } from '../../engine/view';
import { trailOf } from './board';
import { describe } from './describe';
import type { ColouredCells } from './layers';
import { AcrobotScene } from './scenes/acrobot';
import { BanditScene } from './scenes/bandit';
import { BoardScene } from './scenes/board';
import { CartPoleScene } from './scenes/cartpole';
import { MiniBoard } from './scenes/mini-board';
import { MountainCarScene } from './scenes/mountain-car';
import { PendulumScene } from './scenes/pendulum';
import type { Size } from './use-size';

interface Shown {
  readonly view: View;
  /** The states of this episode before `view`, oldest first. */
  readonly before: readonly View[];
}

export interface WorldViewProps extends Shown {
  readonly title: string;
  readonly size: Size;
  readonly push: number | null;
  readonly coloured: ColouredCells | null;
  readonly policy: ValueMap | null;
  /** Draw the step from the state before as a movement. */
  readonly animate: boolean;
}

export function WorldView(props: WorldViewProps) {
  const { title, view, before, size, coloured, policy } = props;
  const { width, height, scale } = size;
  if (width === 0 || height === 0) return null;
  const layers = [coloured?.colouring, policy === null ? undefined : 'policy as arrows'].filter(Boolean).join(' and ');
  return (
    <svg
      className="world-picture"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${title}: ${describe(view)}${layers === '' ? '' : `. Layers: ${layers}; the table has the numbers`}`}
    >
      {view.kind === 'grid' || view.kind === 'mdp' ? (
        <BoardScene
          {...props}
          view={view}
          width={width}
          height={height}
          scale={scale}
          trail={trailOf([...before, view])}
        />
      ) : (
        <Scene view={view} before={before} width={width} height={height} large push={props.push} />
      )}
    </svg>
  );
}

interface MiniWorldProps extends Shown {
  /** Width and height, pixels. */
  readonly side: number;
}

/** Part of a control that has the words: hidden from screen readers. */
export function MiniWorld({ view, before, side }: MiniWorldProps) {
  return (
    <svg className="world-mini" viewBox={`0 0 ${side} ${side}`} width={side} height={side} aria-hidden="true">
      {view.kind === 'grid' || view.kind === 'mdp' ? (
        <MiniBoard view={view} width={side} height={side} trail={trailOf([...before, view])} />
      ) : (
        <Scene view={view} before={[]} width={side} height={side} large={false} push={null} />
      )}
    </svg>
  );
}

interface SceneChoice extends Shown {
  readonly view: Exclude<View, { kind: 'grid' | 'mdp' }>;
  readonly width: number;
  readonly height: number;
  readonly large: boolean;
  readonly push: number | null;
}

function Scene({ view, before, ...common }: SceneChoice) {
  switch (view.kind) {
    case 'cartpole':
      return <CartPoleScene view={view} {...common} />;
    case 'mountain-car':
      return <MountainCarScene view={view} {...common} />;
    case 'acrobot':
      return <AcrobotScene view={view} before={before} {...common} />;
    case 'pendulum':
      return <PendulumScene view={view} {...common} />;
    case 'bandit':
      return <BanditScene view={view} pulls={pullsOf([...before, view], view.means.length)} {...common} />;
  }
}

/** How often each arm was the last one pulled. */
export function pullsOf(views: readonly View[], arms: number): number[] {
  const pulls = new Array<number>(arms).fill(0);
  for (const view of views) {
    if (view.kind === 'bandit' && view.lastArm >= 0) pulls[view.lastArm] += 1;
  }
  return pulls;
}
