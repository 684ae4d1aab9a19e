import type { PreferenceLossStage } from '../token_stage';
import { dpo } from './dpo';
import { hinge } from './hinge';
import { ipo } from './ipo';

export const PREFERENCE_LOSSES = { dpo, ipo, hinge } as unknown as Readonly<Record<string, PreferenceLossStage>>;
