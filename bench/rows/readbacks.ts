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
  {
    name: 'readbacks-a-turn',
    title: 'Readbacks a turn of all episodes together, the most of all families of text worlds',
    unit: 'readbacks/turn',
    bound: '== 1',
    async measure({ browser }) {
      const families = await browser.inTab((tab) => tab.call('turnReadbacks'));
      return { ours: Math.max(...Object.values(families).map(({ turn }) => turn)), detail: { families } };
    },
    holds: holdsOurs((readbacks) => readbacks === 1),
  },
];
