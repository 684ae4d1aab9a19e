/**
 * Advantage estimators over tokens, by id. Where published references disagree, the choice here is:
 *
 * - A group of one teaches nothing (TRL), unless `lone` keeps its score (verl).
 * - Scores equal but for rounding (deviation below 10⁻⁶ of the mean) give exactly 0.
 * - Deviations are those of a sample (n − 1), in two passes; 10⁻⁶ is added (verl), 10⁻⁴ for turns (MT-GRPO).
 * - An episode whose tokens are all masked out still counts in its group's mean (verl).
 * - GAE, returns and V-trace jump over observations (verl); they neither discount nor enter the critic.
 * - GiGPO counts every episode once in its group; `weighting` counts it once a turn, as verl-agent does.
 * - Turns are told apart by their number, not by a reward that is not 0 (RAGEN).
 */
import type { TokenAdvantageStage } from '../token_stage';
import { gigpo } from './gigpo';
import { groupRelative } from './group_relative';
import { leaveOneOut } from './leave_one_out';
import { reinforcePlusPlus } from './reinforce_plus_plus';
import { remax } from './remax';
import { returnToGo } from './return_to_go';
import { stepScores } from './step_scores';
import { tokenGae } from './token_gae';
import { turnLevel } from './turn_level';
import { vTrace } from './v_trace';

export const TOKEN_ADVANTAGES = {
  'return-to-go': returnToGo,
  'token-gae': tokenGae,
  'group-relative': groupRelative,
  'leave-one-out': leaveOneOut,
  'reinforce-plus-plus': reinforcePlusPlus,
  remax,
  'turn-level': turnLevel,
  gigpo,
  'v-trace': vTrace,
  'step-scores': stepScores,
} as unknown as Readonly<Record<string, TokenAdvantageStage>>;
