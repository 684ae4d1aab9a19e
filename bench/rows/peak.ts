/** The adapter's multiply-add peak, and the share of it that the minibatch update reaches. */
import type { Row } from '../row';

const ROUNDS = 5;

export const peakRows: readonly Row[] = [
  {
    name: 'peak',
    title: "The adapter's multiply-add peak, and the PPO minibatch's share of it",
    unit: 'GFLOP/s',
    bound: null,
    async measure({ browser }) {
      const { peak, update } = await browser.inTab((tab) => tab.call('multiplyAddPeak', ROUNDS));
      const shares = Object.entries(update).map(([batch, { median }]) => [batch, median / peak.median] as const);
      return {
        ours: peak.median,
        best: peak.best,
        note: shares.map(([batch, share]) => `minibatch of ${batch}: ${(100 * share).toFixed(1)} %`).join(', '),
        detail: { shares: Object.fromEntries(shares), update },
      };
    },
    holds: () => null,
  },
];
