import type { OptimizerStage } from '../stage';
import { adam, adamw } from './adam';
import { rmsprop } from './rmsprop';
import { sgd } from './sgd';

export const OPTIMIZERS = { adam, adamw, sgd, rmsprop } as unknown as Readonly<Record<string, OptimizerStage>>;
