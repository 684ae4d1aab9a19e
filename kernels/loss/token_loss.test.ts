import { describe, it } from 'vitest';
import { expectGolden } from '../agree';
import {
  mtGrpo,
  searchR1MaskedLoss,
  trlDpo,
  trlGrpoLoss,
  verlAggLoss,
  verlKlPenalty,
  verlPolicyLoss,
  verlPolicyLossVariants,
  verlValueLoss,
} from './token_golden';

describe('losses over tokens', () => {
  it('agree with verl: clipped surrogate', () => expectGolden('verl_policy_loss', verlPolicyLoss));
  it('agree with verl: GSPO, GMPO, CISPO, SAPO, GPG, KL-Cov, DPPO', () =>
    expectGolden('verl_policy_loss_variants', verlPolicyLossVariants));
  it('agree with verl: aggregation', () => expectGolden('verl_agg_loss', verlAggLoss));
  it('aggregate nothing to 0', () =>
    expectGolden('nonfinite_reference', verlAggLoss, ({ function: name }) => name === 'verl agg_loss'));
  it('agree with verl: KL', () => expectGolden('verl_kl_penalty', verlKlPenalty));
  it('agree with verl: value loss', () =>
    expectGolden('verl_entropy_value', verlValueLoss, ({ function: name }) => name === 'compute_value_loss'));
  it('agree with TRL: GRPO', () => expectGolden('trl_grpo_loss', trlGrpoLoss));
  it('stay finite where TRL does not', () =>
    expectGolden('nonfinite_reference', trlGrpoLoss, ({ function: name }) => name === 'trl_grpo_loss'));
  it('agree with Search-R1', () =>
    expectGolden('search_r1_masked_loss', searchR1MaskedLoss, ({ function: name }) => name === 'masked_update'));
  it('agree with turn-level GRPO', () => expectGolden('turn_level_mt_grpo', mtGrpo));
  it('agree with TRL: preferences', () => expectGolden('trl_dpo', trlDpo));
});
