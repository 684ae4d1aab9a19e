import type { RewardStage } from '../stage';
import { weighted } from './weighted';

export const REWARDS = { weighted } as unknown as Readonly<Record<string, RewardStage>>;
