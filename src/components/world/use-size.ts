/** The size of an element's content box in CSS pixels, kept up to date, and how large text is set. */
import { type RefObject, useLayoutEffect, useState } from 'react';

export interface Size {
  readonly width: number;
  readonly height: number;
  /** 1 rem over 16 px: 1.25 on a projector. */
  readonly scale: number;
}

export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0, scale: 1 });
  useLayoutEffect(() => {
    const node = element.current;
    if (node === null) return;
    const measure = () => {
      const style = getComputedStyle(node);
      // A hidden element has no size of its own, but keeps its padding.
      const width = Math.max(0, Math.floor(node.clientWidth - 2 * Number.parseFloat(style.paddingLeft)));
      const height = Math.max(0, Math.floor(node.clientHeight - 2 * Number.parseFloat(style.paddingTop)));
      const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
      setSize((old) =>
        old.width === width && old.height === height && old.scale === scale ? old : { width, height, scale },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
