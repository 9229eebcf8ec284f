import type { LeaderNodeOptions } from '@lcs/cluster';
import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whileTimePasses } from '../routes/calibration-fixtures.ts';
import { desktop, hasBrowser, openBrowser } from './browser.ts';
import { type ClickCount, countClicks } from './count-clicks.ts';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const experiment = 'many';
const old = 'yeast of spring';
const names = Array.from({ length: 24 }, (_, index) => `rx${index + 1}`);
const patience = { timeout: 60_000 };
const wallClock = realClock();
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const endMs = Date.now() - 90 * dayMs;

interface Task {
  readonly task: string;
  /** The page on which a person is. */
  readonly from: string;
  /** As the requirements say. */
  readonly most: number;
  /** As it is: one more fails, also within the budget. */
  readonly takes: number;
  readonly act: () => Promise<unknown>;
}

/**
 * How many clicks usual tasks take in the real web UI, with 24 complete units of this process, each with its server, jobs and board, on virtual
 * time. Nothing is opened by its address between the first and the last click; fields are reached by the focus that a dialog gives and by Tab.
 */
describe.skipIf(!hasBrowser())('clicks of usual tasks', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let clicks: ClickCount;
  let write: History['write'];
  const units: UnitUnderTest[] = [];

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const press = (target: Locator) => target.click(patience);
  const type = (text: string) => page.keyboard.type(text);
  const enter = () => page.keyboard.press('Enter');
  const isFocused = (field: Locator) => field.evaluate((element) => element.matches(':focus'));
  /** As with a keyboard: a field that takes more than a few steps is out of reach. */
  const tabTo = async (field: Locator): Promise<void> => {
    await field.waitFor(patience);
    for (let steps = 0; steps < 8 && !(await isFocused(field)); steps += 1) await page.keyboard.press('Tab');
    expect(await isFocused(field)).toBe(true);
  };
  const focused = (field: Locator) => expect.poll(() => isFocused(field), patience).toBe(true);
  const rows = () => page.getByRole('table', { name: 'Jobs of all units' }).locator('tbody tr[data-unit]');
  /** Stirring is the first job of the table. */
  const speeds = async () => {
    const all = await rows().locator('td[data-phase]').allInnerTexts();
    const perRow = all.length / names.length;
    return names.map((_, index) => all[index * perRow]);
  };

  const addUnit = async (name: string): Promise<UnitUnderTest> => {
    const unit = await startUnit({ name, leaderUrl: leader.url });
    units.push(unit);
    return unit;
  };

  /** An experiment of 72 h that has ended three months ago. */
  const writeOld = async (): Promise<void> => {
    await leader.client.createExperiment({ body: { experiment: old } });
    const uid = String(leader.storedRows('experiments').find(({ name }) => name === old)?.uid);
    const line = { experimentUid: uid, unit: 'rx1', source: 'od', channel: '2', angle: 90, derivation: null };
    const readings = Array.from({ length: 72 }, (_, hour) => ({
      series: 0,
      at: endMs - (71 - hour) * hourMs,
      value: 0.1 + 0.01 * hour,
    }));
    await write({ series: [line], readings, nowMs: Date.now() });
    await leader.editStore((database) => {
      database.exec(`update experiments set created_at = ${endMs - 72 * hourMs} where name = '${old}'`);
    });
    await leader.client.updateExperiment({
      params: { experiment: old },
      body: { ended_at: new Date(endMs + hourMs).toISOString() },
    });
  };

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({
      configure: {
        clock: wallClock,
        extend: ({ history }) => {
          write = history.write;
          return [];
        },
      },
    });
    const { models } = await leader.client.listModels();
    const model = models.find(({ is_legacy }) => !is_legacy);
    for (const reactor_unit of names)
      await leader.client.registerWorker({
        body: { reactor_unit, ...(model && { model_name: model.model_name, model_version: model.model_version }) },
      });
    await writeOld();
    await Promise.all(names.map(addUnit));
    page = await browser.newPage({ viewport: desktop });
    clicks = await countClicks(page);
  }, 180_000);
  afterAll(async () => {
    await page?.close();
    await Promise.all(units.map((unit) => unit[Symbol.asyncDispose]()));
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const tasks: readonly Task[] = [
    {
      task: 'create an experiment',
      from: '/',
      most: 3,
      takes: 3,
      act: async () => {
        await press(page.getByRole('link', { name: 'Experiments', exact: true }));
        await press(button('New experiment'));
        await focused(page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }));
        await type(experiment);
        await enter();
        await page.getByRole('heading', { level: 1, name: experiment }).waitFor(patience);
      },
    },
    {
      task: 'assign 24 units',
      from: `/experiments/${experiment}/units`,
      most: 4,
      takes: 3,
      act: async () => {
        await press(button('Assign units').first());
        await press(page.getByRole('checkbox', { name: 'Select all 24' }));
        await press(button('Assign 24'));
        await expect.poll(() => rows().count(), patience).toBe(24);
      },
    },
    {
      task: 'start the usual jobs on 24 units',
      from: `/experiments/${experiment}/units`,
      most: 3,
      takes: 3,
      act: async () => {
        await press(page.getByRole('checkbox', { name: 'Select all units' }));
        await press(button('Start usual jobs…'));
        await press(button('Start on 24 units'));
        await page.getByText('Start the usual jobs: done on all 24 units').waitFor(patience);
      },
    },
    {
      task: 'set one speed on 24 units',
      from: `/experiments/${experiment}/units`,
      most: 4,
      takes: 3,
      act: async () => {
        await press(page.getByRole('checkbox', { name: 'Select all units' }));
        await press(button('Set a value…'));
        await tabTo(page.getByRole('textbox', { name: 'Target stir RPM' }));
        await page.keyboard.press('Control+a');
        await type('620');
        await enter();
        await expect.poll(speeds, patience).toEqual(names.map(() => '620 RPM'));
      },
    },
    {
      task: 'stop all pumps',
      from: '/',
      most: 2,
      takes: 2,
      act: async () => {
        await press(button('Stop'));
        await press(page.getByRole('menuitem', { name: /^Stop all pumps/ }));
        await page.locator('[data-stopped="rx1"]').waitFor(patience);
      },
    },
    {
      task: 'see why a pump ran',
      from: '/',
      most: 2,
      takes: 2,
      act: async () => {
        await press(page.locator('[data-unit=rx2]').getByRole('link', { name: 'rx2', exact: true }));
        await press(page.getByRole('tab', { name: 'Why?' }));
        const history = page.getByRole('list', { name: 'History of rx2' });
        await history
          .getByText(/set by hand/i)
          .first()
          .waitFor(patience);
      },
    },
    {
      task: 'add a unit that was found',
      from: '/',
      most: 3,
      takes: 2,
      act: async () => {
        await press(page.getByRole('link', { name: 'Units', exact: true }));
        await press(button('Add to the inventory: rx25'));
        await page.getByRole('row', { name: /rx25 online/ }).waitFor(patience);
      },
    },
    {
      task: 'compare two experiments',
      from: '/experiments',
      most: 3,
      takes: 3,
      act: async () => {
        await press(page.getByRole('checkbox', { name: `Compare ${experiment}` }));
        await press(page.getByRole('checkbox', { name: `Compare ${old}` }));
        await press(button('Compare 2'));
        await page.locator('[data-band] canvas').first().waitFor(patience);
      },
    },
    {
      task: 'note a sample',
      from: `/experiments/${experiment}/timeline`,
      most: 3,
      takes: 3,
      act: async () => {
        const form = page.getByRole('form', { name: 'New note' });
        await press(form.getByRole('radio', { name: 'Sample taken' }));
        await tabTo(form.getByRole('textbox', { name: 'Remark' }));
        await type('HPLC 7');
        await tabTo(form.getByRole('textbox', { name: 'Volume (mL)' }));
        await type('0.5');
        await tabTo(form.getByRole('combobox', { name: 'Unit' }));
        await type('rx12');
        await enter();
        await enter();
        await page.getByRole('listitem').filter({ hasText: 'HPLC 7' }).first().waitFor(patience);
      },
    },
    {
      task: 'find an old experiment and see its whole curve',
      from: '/',
      most: 2,
      takes: 1,
      act: async () => {
        await page.keyboard.press('Control+k');
        await focused(page.getByRole('combobox', { name: 'Page, experiment, unit or command' }));
        await type('spring');
        await page.getByRole('option', { name: old }).first().waitFor(patience);
        await enter();
        await page.waitForURL(new RegExp(encodeURIComponent(old)), patience);
        const chart = page.getByRole('slider', { name: /^OD / });
        await expect
          .poll(() => chart.getAttribute('data-newest', patience), patience)
          .toContain(new Date(endMs).toISOString());
        const charts = page.getByRole('region', { name: 'Charts' });
        expect(await charts.getByRole('radio', { name: 'All', exact: true }).isChecked()).toBe(true);
      },
    },
  ];

  /** What has happened before a task. */
  const before: Readonly<Record<string, () => Promise<unknown>>> = {
    'stop all pumps': async () => {
      const params = { reactor_unit: 'rx1', job: 'dosing_automation', experiment };
      const body = { options: { automation_name: 'silent' } };
      await leader.finished(await leader.client.runWorkerJob({ params, body }));
    },
    'see why a pump ran': async () => {
      const params = { reactor_unit: 'rx2', job: 'add_media', experiment };
      const accepted = await leader.client.runWorkerJob({ params, body: { options: { duration: 0.5 } } });
      const [, unit] = units;
      if (unit === undefined) throw new Error('There is no unit rx2.');
      await whileTimePasses(unit, leader.finished(accepted), () => wallClock.sleep(20));
    },
    'add a unit that was found': () => addUnit('rx25'),
  };

  it.each(tasks)(
    '$task: at most $most',
    async ({ task, from, most, takes, act }) => {
      await before[task]?.();
      await page.goto(leader.url + from);
      await page.locator('h1').first().waitFor(patience);
      clicks.reset();
      await act();
      expect(clicks.presses()).toBe(takes);
      expect(takes).toBeLessThanOrEqual(most);
    },
    120_000,
  );

  it('counts presses and Enter, on each page, and nothing else', async () => {
    await page.goto(`${leader.url}/experiments`);
    clicks.reset();
    await page.getByRole('searchbox', { name: 'Search experiments' }).fill('x');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox', { name: 'Page, experiment, unit or command' });
    await focused(palette);
    await page.keyboard.press('Escape');
    await palette.waitFor({ ...patience, state: 'detached' });
    expect(clicks.presses()).toBe(0);
    await press(page.getByRole('link', { name: 'Units', exact: true }));
    await page.getByRole('heading', { level: 1, name: 'Units' }).waitFor(patience);
    await page.keyboard.press('Tab');
    await enter();
    await expect.poll(() => clicks.presses()).toBe(2);
  });
});
