/** The adapter's multiply-add peak, and the share of it that updates reach. */
import { holdsOurs, type Row } from '../row';

const ROUNDS = 5;
const PERCENT = 25;

export const peakRows: readonly Row[] = [
  {
    name: 'peak',
    title: "The adapter's multiply-add peak, and the PPO minibatch's share of it",
    unit: 'GFLOP/s',
    bound: null,
    async measure({ browser }) {
      const { peak, update, share } = await browser.inTab((tab) => tab.call('minibatchPeak', ROUNDS));
      const shares = Object.entries(share).map(([batch, { median }]) => [batch, median] as const);
      return {
        ours: peak.median,
        best: peak.best,
        note: shares.map(([batch, share]) => `minibatch of ${batch}: ${(100 * share).toFixed(1)} %`).join(', '),
        detail: { shares: Object.fromEntries(shares), update },
      };
    },
    holds: () => null,
  },
  {
    name: 'transformer-peak-share',
    title: "The transformer's update: share of the adapter's multiply-add peak",
    unit: '%',
    bound: `>= ${PERCENT}`,
    async measure({ browser }) {
      const { peak, update, share } = await browser.inTab((tab) => tab.call('transformerPeak', ROUNDS));
      const { median, best } = share.transformer;
      return {
        ours: 100 * median,
        best: 100 * best,
        note: `${update.transformer.median.toFixed(1)} of ${peak.median.toFixed(1)} GFLOP/s`,
        detail: { peak, update: update.transformer },
      };
    },
    holds: holdsOurs((percent) => percent >= PERCENT),
  },
];
