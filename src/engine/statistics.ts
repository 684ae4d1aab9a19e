/** Small statistics of figures on the host. */

/** 0 of none. */
export function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / Math.max(1, figures.length);
}

/** Sample deviation (n − 1); 0 of fewer than two figures. */
export function deviation(figures: readonly number[]): number {
  if (figures.length < 2) return 0;
  const centre = mean(figures);
  return Math.sqrt(figures.reduce((sum, figure) => sum + (figure - centre) ** 2, 0) / (figures.length - 1));
}
