import type { AdvantageStage } from '../stage';
import { gae } from './gae';
import { monteCarlo } from './monte_carlo';

export const ADVANTAGES = { gae, 'monte-carlo': monteCarlo } as unknown as Readonly<Record<string, AdvantageStage>>;
