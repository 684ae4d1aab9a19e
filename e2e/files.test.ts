/** Scenario files from anywhere: each that cannot be opened says what is wrong and where, and the open work stays. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openCard, openWorkbench, ready, setNumber } from './workbench';

const cartpole = () =>
  JSON.parse(readFileSync(new URL('../scenarios/cartpole/scenario.json', import.meta.url), 'utf8'));
/** CartPole's file with one thing changed. */
const changed = (change: (file: ReturnType<typeof cartpole>) => void): string => {
  const file = cartpole();
  change(file);
  return JSON.stringify(file);
};
const withTable = (transitions: unknown): string =>
  changed(({ slots }) => {
    slots.environment = {
      id: 'mdp',
      parameters: { table: { transitions, initial_state_distribution: [1, 0] } },
    };
  });
/** The first bytes of every PNG image. */
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

const BAD: readonly (readonly [name: string, content: string | Buffer, where: string, what: RegExp])[] = [
  ['empty', '', 'file', /is empty/],
  [
    'not JSON',
    '{"kind": "agentic-rl-scenario",\n "version": 1,\n oops}',
    'file',
    /not JSON at .*line 3, column 2: expected a name/,
  ],
  ['an image', PNG, 'file', /not (text|UTF-8|JSON)/],
  ['a list', '[1, 2]', 'file', /one object, not a list/],
  [
    'the wrong kind',
    '{"kind": "shopping-list", "version": 1}',
    'kind',
    /not a scenario file: its kind is "shopping-list"/,
  ],
  [
    'a newer version',
    changed((file) => {
      file.version = 99;
    }),
    'version',
    /of version 99; this page reads versions up to 2/,
  ],
  [
    'a missing field',
    changed((file) => {
      delete file.slots.loss;
    }),
    'slots.loss',
    /is missing/,
  ],
  [
    'a width of -1',
    changed(({ slots }) => {
      slots.environment = { id: 'minigrid', parameters: { size: -1 } };
    }),
    'slots.environment.parameters.size',
    /must be 0 to 25, not -1/,
  ],
  [
    'a width of 1e9',
    changed(({ slots }) => {
      slots.environment = { id: 'minigrid', parameters: { size: 1e9 } };
    }),
    'slots.environment.parameters.size',
    /must be 0 to 25, not 1000000000/,
  ],
  [
    '1e9 copies',
    changed(({ slots }) => {
      slots.rollout.parameters.copies = 1e9;
    }),
    'slots.rollout.parameters.copies',
    /must be 1 to 65536, not 1000000000/,
  ],
  [
    'an unknown stage',
    changed(({ slots }) => {
      slots.loss.id = 'magic';
    }),
    'slots.loss.id',
    /“magic” is not known here; known: ppo-clip/,
  ],
  [
    'probabilities that do not sum to 1',
    withTable([
      [
        [
          [0.5, 0, 0, false],
          [0.4, 1, 1, true],
        ],
      ],
      [[[1, 1, 0, true]]],
    ]),
    'slots.environment.parameters.table.transitions[0][0]',
    /state 0, action 0: the probabilities sum to 0.9, not 1/,
  ],
  [
    'a state with no legal action',
    withTable([[[[1, 1, 0, true]]], [[]]]),
    'slots.environment.parameters.table.transitions[1]',
    /state 1 has no legal action/,
  ],
];

test('each bad file says what is wrong and where, and the open work stays as it was', {
  timeout: 240_000,
}, async () => {
  const page = await openWorkbench('cartpole');
  await openCard(page, 'loss');
  await setNumber(page, 'Clip ε', '0.1');
  await page.keyboard.press('Escape');
  const work = async () => [
    await page.getByRole('heading', { level: 1 }).innerText(),
    await page.locator('[data-stage=loss]').innerText(),
    await page.getByRole('region', { name: 'Pipeline' }).innerText(),
  ];
  await ready(page);
  const before = await work();
  expect(before[1]).toContain('changed');
  for (const [name, content, where, what] of BAD) {
    const file = `${name.replace(/\W+/g, '-')}.json`;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: file, mimeType: 'application/json', buffer: Buffer.from(content) });
    const dialog = page.getByRole('dialog', { name: `${file} cannot be opened` });
    await dialog.waitFor();
    const problems = await dialog.getByRole('listitem').allInnerTexts();
    expect(
      problems.some((problem) => problem.startsWith(where) && what.test(problem)),
      `${name}: ${problems}`,
    ).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await work(), name).toEqual(before);
  }
});

test('a scenario is saved as a file and opened again, as it was', async () => {
  const page = await openWorkbench('cartpole');
  await openCard(page, 'loss');
  await setNumber(page, 'Clip ε', '0.1');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'File', exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save as a file' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('cartpole.json');
  const saved = readFileSync(await download.path(), 'utf8');
  expect(JSON.parse(saved).slots.loss.parameters.clip).toBe(0.1);
  const renamed = saved.replace('"title": "CartPole"', '"title": "My <b>CartPole</b>"');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(renamed) });
  // Text of a file is text, never markup.
  await page.getByRole('heading', { level: 1, name: 'My <b>CartPole</b>' }).waitFor();
  await ready(page);
});
