/**
 * Many charts, one thread: each chart that wants to draw waits for its turn, and one draws in each animation frame,
 * so that no frame carries them all. A chart out of sight does not draw.
 */
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useRun } from '../stores/run';

const waiting = new Set<() => void>();
let scheduled = false;

function takeTurn(): void {
  const [first] = waiting;
  if (first !== undefined) {
    waiting.delete(first);
    first();
  }
  scheduled = waiting.size > 0;
  if (scheduled) requestAnimationFrame(takeTurn);
}
function drawSoon(draw: () => void): void {
  waiting.add(draw);
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(takeTurn);
}

/** A number that changes when it is this chart's turn to look at its series again. */
export function useTurn(element: RefObject<Element | null>): number {
  const [turn, setTurn] = useState(0);
  const visible = useRef(false);
  useEffect(() => {
    const draw = () => setTurn((count) => count + 1);
    const observer = new IntersectionObserver(([entry]) => {
      visible.current = entry?.isIntersecting ?? false;
      if (visible.current) drawSoon(draw);
    });
    if (element.current) observer.observe(element.current);
    const unsubscribe = useRun.subscribe((state, before) => {
      if (
        visible.current &&
        (state.tick !== before.tick || state.series !== before.series || state.marks !== before.marks)
      )
        drawSoon(draw);
    });
    return () => {
      unsubscribe();
      observer.disconnect();
      waiting.delete(draw);
    };
  }, [element]);
  return turn;
}
