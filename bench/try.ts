import { Browser } from './tab';
export async function main() {
  const browser = await Browser.open();
  try {
    const at = Date.now();
    const lap = (...x: unknown[]) => console.log(((Date.now() - at) / 1000).toFixed(1), ...x);
    lap(
      await browser.inTab(async (tab) => {
        await tab.call('begin', 'text', 300);
        const taken = [];
        for (const update of [110, 160, 210, 260])
          taken.push([update, await tab.call('growUntil', update), await tab.heapBytes(), (Date.now() - at) / 1000]);
        return JSON.stringify(taken);
      }),
    );
    const { tuning, ...solved } = await browser.inTab((tab) => tab.call('solveSearch', 1, 0.3, {}));
    lap(JSON.stringify(solved), JSON.stringify(tuning));
  } finally {
    await browser.close();
  }
  return 0;
}
