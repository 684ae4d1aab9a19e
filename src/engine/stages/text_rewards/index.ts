/** Rewards over episodes of tokens, by id. */
import { majority } from './majority';
import { signals } from './signals';
import type { TextRewardStage } from './stage';

export const TEXT_REWARDS = { signals, majority } as unknown as Readonly<Record<string, TextRewardStage>>;
