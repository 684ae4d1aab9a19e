/** Readbacks an update: waiting for the device is what a GPU loop can least afford. */
import { holdsOurs, type Row } from '../row';

export const readbackRows: readonly Row[] = [
  {
    name: 'readbacks',
    title: 'Readbacks an update, the most of all control environments',
    unit: 'readbacks/update',
    bound: '== 1',
    async measure({ browser }) {
      const environments = await browser.inTab((tab) => tab.call('readbacks'));
      return { ours: Math.max(...Object.values(environments)), detail: { environments } };
    },
    holds: holdsOurs((readbacks) => readbacks === 1),
  },
];
