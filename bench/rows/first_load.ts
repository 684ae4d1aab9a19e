/** What a first visit to the gallery downloads in JavaScript, compressed. */
import { gzipSync } from 'node:zlib';
import { holdsOurs, type Row } from '../row';

const KILOBYTES = 220;

export const firstLoadRows: readonly Row[] = [
  {
    name: 'first-load',
    title: 'First load of the gallery, compressed JavaScript',
    unit: 'kB',
    bound: `<= ${KILOBYTES}`,
    async measure({ browser }) {
      const page = await browser.page();
      const scripts: Promise<{ name: string; kilobytes: number }>[] = [];
      page.on('response', (response) => {
        const { pathname } = new URL(response.url());
        if (!pathname.endsWith('.js')) return;
        scripts.push(
          response
            .body()
            .then((body) => ({ name: pathname.split('/').at(-1) as string, kilobytes: gzipSync(body).length / 1000 })),
        );
      });
      await page.goto(browser.site, { waitUntil: 'networkidle' });
      await page.getByRole('heading', { level: 1 }).waitFor();
      const files = await Promise.all(scripts);
      await page.close();
      if (files.length === 0) throw new Error('the gallery fetched no JavaScript');
      return { ours: files.reduce((sum, { kilobytes }) => sum + kilobytes, 0), detail: { files } };
    },
    holds: holdsOurs((kilobytes) => kilobytes <= KILOBYTES),
  },
];
