/** Every row, in the order in which it is reported. To add one: a file in this folder and a line here. */
import type { Row } from '../row';
import { firstLoadRows } from './first_load';
import { memoryRows } from './memory';
import { minibatchRows } from './minibatch';
import { peakRows } from './peak';
import { readbackRows } from './readbacks';
import { rolloutRows } from './rollout';
import { trainingRows } from './training';
import { transformerRows } from './transformer';

export const ROWS: readonly Row[] = [
  ...minibatchRows,
  ...transformerRows,
  ...trainingRows,
  ...rolloutRows,
  ...readbackRows,
  ...memoryRows,
  ...firstLoadRows,
  ...peakRows,
];
