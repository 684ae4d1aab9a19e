import { describe, it } from 'vitest';
import { expectGolden } from '../../../kernels/agree';
import { ppoMlp } from './golden';

describe('a complete PPO update agrees with PyTorch', () => {
  it.each(['plain', 'tuned'] as const)('with the %s kernels', (form) => expectGolden('e2e_ppo_mlp', ppoMlp(form)));
});
