/** The strip of small copies: choose which one is large. One stop for Tab, arrows move within it. */
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, memo, useRef } from 'react';
import type { View } from '../../engine/view';
import type { Frame } from '../../worker/protocol';
import { describe } from './describe';
import { episodeSoFar } from './playback';
import { MiniWorld } from './world-view';

interface CopiesProps {
  readonly frames: readonly (readonly Frame[])[];
  readonly index: number;
  /** The copy that is large. */
  readonly chosen: number;
  readonly onChoose: (copy: number) => void;
  /** Copies that train. */
  readonly total: number;
  /** First copy of this page of the strip, and how many it holds. */
  readonly first: number;
  readonly shown: number;
  /** There are more before these, and after them, that can be watched. */
  readonly earlier: boolean;
  readonly more: boolean;
  readonly onTurn: (pages: 1 | -1) => void;
}

const SIDE = 54;

/** Drawn anew only when what it shows has changed: the large world moves more often. */
export const Copies = memo(function Copies(props: CopiesProps) {
  const { frames, index, chosen, onChoose, total, first, shown, earlier, more, onTurn } = props;
  const strip = useRef<HTMLDivElement>(null);
  const step = frames[index] ?? [];
  const copies = Array.from({ length: Math.max(Math.min(shown, step.length - first), 0) }, (_, i) => first + i);
  const stop = copies.includes(chosen) ? chosen : first;

  function onKeyDown(event: KeyboardEvent) {
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -copies.length, End: copies.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = Math.min(Math.max(copies.indexOf(stop) + by, 0), copies.length - 1);
    onChoose(copies[at]);
    strip.current?.querySelectorAll('button')[at]?.focus();
  }

  return (
    <div className="world-copies">
      <span className="world-copies-count">
        {first === 0 ? copies.length : `${first + 1}–${first + copies.length}`} of {total}
        <br />
        {total === 1 ? 'copy' : 'copies'}
      </span>
      {earlier && (
        <button type="button" className="world-icon" aria-label="Earlier copies" onClick={() => onTurn(-1)}>
          <ChevronLeft aria-hidden="true" />
        </button>
      )}
      <div
        ref={strip}
        className="world-strip"
        role="toolbar"
        aria-label="Copies, choose one to enlarge"
        onKeyDown={onKeyDown}
      >
        {copies.map((copy) => {
          const view = step[copy].view;
          return (
            <button
              key={copy}
              type="button"
              className="world-copy"
              aria-pressed={copy === chosen}
              aria-label={`Copy ${copy + 1}: ${describe(view)}`}
              title={`Copy ${copy + 1}`}
              tabIndex={copy === stop ? 0 : -1}
              onClick={() => onChoose(copy)}
            >
              <MiniWorld view={view} before={viewsBefore(frames, index, copy)} side={SIDE} />
            </button>
          );
        })}
      </div>
      {more && (
        <button type="button" className="world-icon" aria-label="More copies" onClick={() => onTurn(1)}>
          <ChevronRight aria-hidden="true" />
        </button>
      )}
    </div>
  );
});

/** The states of a copy in this episode before step `index`, oldest first. */
export function viewsBefore(frames: readonly (readonly Frame[])[], index: number, copy: number): View[] {
  const { start } = episodeSoFar(frames, index, copy);
  return frames.slice(start, index).flatMap((step) => (step[copy] === undefined ? [] : [step[copy].view]));
}
