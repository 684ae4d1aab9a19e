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
