import { realClock } from '@lcs/platform';
import {
  type LeaderUnderTest,
  startLeader,
  startUnit,
  type TemporaryFolder,
  temporaryFolder,
  type UnitUnderTest,
} from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktop, hasBrowser, openBrowser, takePicture, watch } from './browser.ts';

const experiment = 'held';
const patience = { timeout: 30_000 };

describe.skipIf(!hasBrowser())('a job that a restart of its unit has interrupted and that waits for a person', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let folder: TemporaryFolder;
  let unit: UnitUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  const begin = async (): Promise<void> => {
    unit = await startUnit({
      name: 'rx01',
      leaderUrl: leader.url,
      dataFolder: `${folder.path}/unit`,
      configure: { clock: realClock() },
    });
  };
  const restart = async (): Promise<void> => {
    await unit[Symbol.asyncDispose]();
    await begin();
  };
  const held = () => page.locator('[data-held=stirring]');
  const row = () => page.locator('[data-job=stirring]');

  beforeAll(async () => {
    browser = await openBrowser();
    folder = await temporaryFolder('held-jobs');
    leader = await startLeader({ configure: { clock: realClock() } });
    await leader.client.createExperiment({ body: { experiment } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit: 'rx01' } });
    await leader.client.saveSpecificConfig({
      params: { reactor_unit: 'rx01' },
      body: { code: '[resume]\nstirring=hold\n' },
    });
    await begin();
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
    await page.goto(`${leader.url}/units/rx01?tab=control`);
    await row()
      .getByRole('button', { name: /^Start / })
      .click(patience);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Start/ })
      .click(patience);
    await row().getByText('On', { exact: true }).waitFor(patience);
  }, 90_000);
  afterAll(async () => {
    await page?.close();
    await unit?.[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('stays visible with its start, also when its alarm is acknowledged and after another restart', async () => {
    await restart();
    await page.goto(leader.url);
    await held().waitFor(patience);
    await takePicture(page, 'held-job-now');
    await expect
      .poll(async () => {
        const open = await leader.client.listAlarms({ query: {} });
        for (const { alarm_id, state } of open)
          if (state === 'unacknowledged' || state === 'returned')
            await leader.client.acknowledgeAlarm({ params: { alarm_id }, body: {} });
        return open.some(({ rule }) => rule === 'job_ended_by_error');
      }, patience)
      .toBe(true);
    await restart();
    await page.reload();
    await held().waitFor(patience);
    await page.getByText('1 lacks a job').first().waitFor(patience);
    await held().getByRole('link').click();
    await row().getByRole('button', { name: 'Start again with the last values…' }).waitFor(patience);
    await takePicture(page, 'held-job-unit');
  }, 90_000);

  it('is gone when a person leaves it off', async () => {
    await row().getByRole('button', { name: 'Leave off' }).click(patience);
    await row()
      .getByRole('button', { name: 'Leave off' })
      .waitFor({ ...patience, state: 'detached' });
    await restart();
    await page.goto(leader.url);
    await page.locator('[data-unit=rx01]').waitFor(patience);
    await expect.poll(async () => (await unit.client.getDesired()).resume !== undefined, patience).toBe(true);
    // The leader may have the state of before the restart for a moment.
    await held().waitFor({ ...patience, state: 'detached' });
    expect(seen.errors).toEqual([]);
  }, 60_000);
});
