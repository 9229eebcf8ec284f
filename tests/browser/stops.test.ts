import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, takePicture } from './browser.ts';

const experiment = 'stops';
const patience = { timeout: 30_000 };

describe.skipIf(!hasBrowser())('a stop', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let units: readonly UnitUnderTest[];
  let page: Page;
  /** A tab of somebody else, on another page. */
  let elsewhere: Page;

  const job = async (name: string, options: Record<string, number | string>): Promise<void> => {
    const params = { reactor_unit: '$broadcast', job: name, experiment };
    const { status, ...rest } = await leader.finished(await leader.client.runWorkerJob({ params, body: { options } }));
    if (status !== 'succeeded') throw new Error(`${name} did not start: ${JSON.stringify(rest)}`);
  };
  const names = async () =>
    ((await units[0]?.client.listRunningJobs()) ?? [])
      .map(({ job_name }) => job_name)
      .filter((each) => each !== 'monitor');
  const row = (name: string, unit = 'rx01') => page.locator(`[data-unit=${unit}] [data-job=${name}]`);
  const order = async (what: string): Promise<void> => {
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('menuitem', { name: what }).click();
  };
  const focused = () =>
    page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({ configure: { clock: realClock() } });
    await leader.client.createExperiment({ body: { experiment } });
    const start = async (name: string): Promise<UnitUnderTest> => {
      await leader.client.registerWorker({ body: { reactor_unit: name } });
      const started = await startUnit({ name, leaderUrl: leader.url, configure: { clock: realClock() } });
      await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit: name } });
      return started;
    };
    units = [await start('rx01'), await start('rx02')];
    page = await browser.newPage({ viewport: desktop });
    await page.goto(`${leader.url}/experiments/${experiment}/units`);
    await page.locator('[data-unit=rx01]').getByText('Online').waitFor(patience);
    elsewhere = await (await browser.newContext({ viewport: desktop })).newPage();
    await elsewhere.goto(`${leader.url}/settings/about`);
    await elsewhere.locator('h1').waitFor(patience);
  }, 90_000);
  afterAll(async () => {
    await page?.close();
    await elsewhere?.context().close();
    for (const each of units ?? []) await each[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('is told in every tab, and whoever may start starts again what pumps and everything have ended', async () => {
    await job('stirring', { target_rpm: 450 });
    await job('dosing_automation', { automation_name: 'silent' });
    await row('dosing_automation').getByText('On', { exact: true }).waitFor(patience);
    await order('Stop all pumps');
    const told = elsewhere.getByRole('region', { name: 'Stops' });
    await told.getByText(/^Stop all pumps: ordered at \d\d:\d\d/).waitFor({ timeout: 5_000 });
    await row('dosing_automation').getByText('Off', { exact: true }).waitFor(patience);
    await order('Stop everything');
    await told.getByText(/^Stop everything: ordered at \d\d:\d\d/).waitFor({ timeout: 5_000 });
    await row('stirring').getByText('Off', { exact: true }).waitFor(patience);
    expect(await names()).toEqual([]);
    await told.getByText('4 jobs on 2 units can be started again with the same values.').waitFor(patience);
    expect(await accessibilityFindings(elsewhere, 'all but colours')).toEqual([]);
    await takePicture(elsewhere, 'stops-elsewhere');
    const third = await (await browser.newContext({ viewport: desktop })).newPage();
    await third.goto(`${leader.url}/settings/about`);
    const toldThere = third.getByRole('region', { name: 'Stops' });
    await toldThere.waitFor(patience);
    await told.getByRole('button', { name: 'Start again' }).click();
    await row('dosing_automation').getByText('On', { exact: true }).waitFor(patience);
    await row('stirring').getByText('450 RPM').waitFor(patience);
    // A tab of somebody who has neither stopped nor started anything has nothing left to tell.
    await toldThere.waitFor({ ...patience, state: 'detached' });
    await third.context().close();
    expect((await names()).sort()).toEqual(['dosing_automation', 'stirring']);
    // It is no longer offered to anybody.
    for (const each of [page, elsewhere])
      await each.getByRole('button', { name: 'Start again' }).waitFor({ ...patience, state: 'detached' });
  }, 90_000);

  it('stays in another tab until a person has read it while some of it is off, and says that something was started', async () => {
    await order('Stop everything');
    const told = elsewhere.getByRole('region', { name: 'Stops' });
    await told.getByRole('button', { name: 'Start again' }).waitFor(patience);
    // What is started before the stop has ended is stopped with the rest.
    await row('stirring').getByText('Off', { exact: true }).waitFor(patience);
    await vi.waitFor(async () => {
      await job('stirring', { target_rpm: 450 });
      expect(await names()).toEqual(['stirring']);
    }, patience);
    await told.getByRole('button', { name: 'Start again' }).waitFor({ ...patience, state: 'detached' });
    await told.getByText(/^Stop everything: ordered at .* Something was started since\.$/).waitFor();
    await page.getByRole('region', { name: 'Stops' }).waitFor({ ...patience, state: 'detached' });
    await told.getByRole('button', { name: 'Dismiss' }).click();
    await told.waitFor({ ...patience, state: 'detached' });
    await elsewhere.reload();
    await elsewhere.locator('h1').waitFor(patience);
    expect(await told.count()).toBe(0);
  }, 60_000);

  it('of one job can be undone for some seconds, on its card; the focus goes to a control of it', async () => {
    await row('stirring').getByText('450 RPM').waitFor(patience);
    await page.getByRole('button', { name: 'Stop Stirring on rx01' }).click();
    await row('stirring').getByText('Off', { exact: true }).waitFor(patience);
    await row('stirring').getByRole('button', { name: 'Undo the stop of Stirring' }).waitFor(patience);
    await expect.poll(focused, patience).toMatch(/Stirring/);
    await row('stirring').getByRole('button', { name: 'Undo the stop of Stirring' }).click();
    await row('stirring').getByText('450 RPM').waitFor(patience);
    await expect.poll(focused, patience).toMatch(/Stirring/);
    expect(await names()).toEqual(['stirring']);
    // Later it is another decision.
    await page.getByRole('button', { name: 'Stop Stirring on rx01' }).click();
    const undo = row('stirring').getByRole('button', { name: 'Undo the stop of Stirring' });
    await undo.waitFor(patience);
    await undo.waitFor({ timeout: 15_000, state: 'detached' });
  }, 90_000);

  it('is ordered by keys alone from the palette, as is a start: what a job does there is asked and undone as on its row', async () => {
    const search = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Search' }).locator('input:focus').waitFor(patience);
      await page.keyboard.type(text);
    };
    const chosen = (name: string) => page.getByRole('option', { name, selected: true });
    const control = page.locator('[data-job=stirring]');
    await job('stirring', { target_rpm: 450 });
    await row('stirring').getByText('450 RPM').waitFor(patience);
    await search('stop stir rx01');
    await chosen(`Stop Stirring on rx01 ${experiment}`).waitFor(patience);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await takePicture(page, 'stops-palette');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/units/rx01?tab=control');
    await control.getByText('Off', { exact: true }).waitFor(patience);
    await control.getByRole('button', { name: 'Undo the stop of Stirring' }).waitFor(patience);
    expect(await names()).toEqual([]);
    // The page loads again, and nothing is done again.
    await job('stirring', { target_rpm: 450 });
    await page.reload();
    await control.getByText('450 RPM').waitFor(patience);
    await search('stop pumps');
    await chosen('Stop all pumps shows what it ends first').waitFor(patience);
    await page.keyboard.press('Enter');
    await expect.poll(focused, patience).toMatch(/^Stop all pumps/);
    expect(await names()).toEqual(['stirring']);
    await page.keyboard.press('Escape');
    await search('everything');
    await chosen('Stop everything shows what it ends first').waitFor(patience);
    await page.keyboard.press('Enter');
    await expect.poll(focused, patience).toMatch(/^Stop everything/);
    await page.keyboard.press('Enter');
    await control.getByText('Off', { exact: true }).waitFor(patience);
    await page.getByRole('region', { name: 'Stops' }).getByRole('button', { name: 'Start again' }).waitFor(patience);
    // A start has its form.
    await search('start stirring rx02');
    await chosen(`Start Stirring on rx02 ${experiment}`).waitFor(patience);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/units/rx02?tab=control');
    await page.getByRole('dialog', { name: /Stirring/ }).waitFor(patience);
    await page.keyboard.press('Escape');
    await search('assign');
    await chosen(`Assign units to ${experiment} free units, or those of another experiment`).waitFor(patience);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Assign units' }).waitFor(patience);
    await page.keyboard.press('Escape');
    await page.goto(`${leader.url}/experiments/${experiment}/units`);
    await page.locator('[data-unit=rx01]').getByText('Online').waitFor(patience);
  }, 120_000);

  it('of everything by mouse leaves the focus at the menu from which it was ordered', async () => {
    await order('Stop everything');
    await page.getByRole('menu').waitFor({ ...patience, state: 'detached' });
    await expect.poll(focused, patience).toBe('Stop');
  }, 60_000);
});
