import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whileTimePasses } from '../routes/calibration-fixtures.ts';
import {
  accessibilityFindings,
  colourFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  stayWithTyped,
  takePicture,
  watch,
} from './browser.ts';

const experiment = 'many';
const names = ['rx1', 'rx2', 'rx3', 'rx4', 'rx5', 'rx10'];
const patience = { timeout: 30_000 };
const wallClock = realClock();

describe.skipIf(!hasBrowser())('several units at once, and one unit', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  let clicks = 0;
  const units = new Map<string, UnitUnderTest>();

  const theUnit = (name: string): UnitUnderTest => {
    const unit = units.get(name);
    if (unit === undefined) throw new Error(`There is no unit ${name}.`);
    return unit;
  };
  const picture = (name: string): Promise<void> => takePicture(page, `many-${name}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const table = () => page.getByRole('table', { name: 'Jobs of all units' });
  const row = (unit: string) => table().locator(`tr[data-unit=${unit}]`);
  const cells = (unit: string) => row(unit).locator('td[data-phase]').allInnerTexts();
  const panel = (name: string) => page.getByRole('region', { name });
  const counted = async (work: () => Promise<unknown>): Promise<void> => {
    clicks += 1;
    await work();
  };
  const openTab = (name: string) => page.getByRole('tab', { name }).click();

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader();
    await leader.client.createExperiment({ body: { experiment } });
    const { models } = await leader.client.listModels();
    const model = models.find(({ is_legacy }) => !is_legacy);
    for (const name of names) {
      await leader.client.registerWorker({
        body: {
          reactor_unit: name,
          ...(model && { model_name: model.model_name, model_version: model.model_version }),
        },
      });
      units.set(name, await startUnit({ name, leaderUrl: leader.url }));
    }
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    for (const unit of units.values()) await unit[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('assigns all units in at most four clicks', async () => {
    await page.goto(`${leader.url}/experiments/${experiment}/units?units=table`);
    clicks = 0;
    await counted(() => button('Assign units').click());
    await counted(() => page.getByRole('checkbox', { name: 'Select all 6' }).check());
    await page.keyboard.press('Escape');
    await button('Keep editing').click();
    await picture('assign');
    expect(await accessibilityFindings(page)).toEqual([]);
    await counted(() => button('Assign 6').click());
    await row('rx10').waitFor(patience);
    expect(clicks).toBeLessThanOrEqual(4);
    expect(await table().locator('tbody th a').allInnerTexts()).toEqual(names);
  });

  it('starts the usual jobs on all of them in at most three clicks, and sets one speed in at most four', async () => {
    await page.goto(`${leader.url}/experiments/${experiment}/overview`);
    clicks = 0;
    await counted(() => button('Start usual jobs…').click(patience));
    const usual = page.getByRole('dialog', { name: 'Start the usual jobs' });
    // Nobody has entered a temperature: none is proposed.
    await usual.getByText(/This starts no heater and no pump/).waitFor(patience);
    await picture('usual');
    expect(await accessibilityFindings(page)).toEqual([]);
    await counted(() => button('Start on 6 units').click());
    expect(clicks).toBeLessThanOrEqual(3);
    await page.getByText('Start the usual jobs: done on all 6 units').waitFor(patience);
    await button('Start usual jobs…').waitFor({ state: 'detached' });
    await page.goto(`${leader.url}/experiments/${experiment}/units?units=table`);
    for (const name of names)
      await expect
        .poll(async () => (await cells(name)).slice(0, 4), patience)
        .toEqual(['500 RPM', 'On', 'On', 'Records only']);
    clicks = 0;
    await counted(() => page.getByRole('checkbox', { name: 'Select all units' }).check());
    await counted(() => button('Set a value…').click());
    await page.getByRole('textbox', { name: 'Target stir RPM' }).fill('620');
    await picture('value');
    await counted(() => page.keyboard.press('Enter'));
    expect(clicks).toBeLessThanOrEqual(4);
    for (const name of names) await expect.poll(async () => (await cells(name))[0], patience).toBe('620 RPM');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await picture('table');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await colourFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: null });
  }, 90_000);

  it('selects a range with shift, all and none by keys, and stops a job on the selected units only', async () => {
    await page.getByRole('checkbox', { name: 'Select rx2', exact: true }).focus();
    await page.keyboard.press('Escape');
    await page.getByText('Select units to start, change or stop their jobs.').waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Space');
    await page.getByText('3 units selected').waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText('6 units selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select rx2', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select rx4', exact: true }).click({ modifiers: ['Shift'] });
    await button('Stop…').click();
    await page.getByRole('menuitem', { name: 'Growth rate' }).click();
    for (const name of ['rx2', 'rx3', 'rx4']) await expect.poll(async () => (await cells(name))[2], patience).toBe('·');
    for (const name of ['rx1', 'rx5', 'rx10']) expect((await cells(name))[2]).toBe('On');
    // Running jobs need the stirrer.
    await button('Stop…').click();
    await page.getByRole('menuitem', { name: 'Stirring' }).click();
    const question = page.getByRole('dialog', { name: 'Stop Stirring on 3 units?' });
    await question.getByText('OD reading').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    for (const name of ['rx2', 'rx3', 'rx4']) expect((await cells(name)).slice(0, 2)).toEqual(['620 RPM', 'On']);
  }, 60_000);

  it('says what a growth rate needs, and starts that too', async () => {
    const params = { reactor_unit: 'rx5', experiment };
    await leader.finished(await leader.client.stopWorkerJobsOfExperiment({ params }));
    await page.goto(`${leader.url}/units/rx5?tab=control`);
    await button('Start Growth rate on rx5').click(patience);
    const question = page.getByRole('dialog', { name: 'Start Growth rate on rx5' });
    await question.getByText('OD reading').waitFor();
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await picture('needs');
    await question.getByRole('button', { name: 'Start all' }).click();
    const running = async () =>
      (await units.get('rx5')?.client.listRunningJobs())?.map(({ job_name }) => job_name) ?? [];
    await expect
      .poll(running, patience)
      .toEqual(expect.arrayContaining(['stirring', 'od_reading', 'growth_rate_calculating']));
  }, 60_000);

  it('sets one value on all cards in at most four clicks, and stops all pumps in two', async () => {
    await page.goto(`${leader.url}/experiments/${experiment}/units?units=cards`);
    clicks = 0;
    await counted(() => button('All units…').click(patience));
    await counted(() => page.getByRole('menuitem', { name: 'Set a value…' }).click());
    await page.getByRole('dialog').getByRole('checkbox', { name: 'rx2', exact: true }).uncheck();
    await page.getByRole('textbox', { name: 'Target stir RPM' }).fill('640');
    await counted(() => page.keyboard.press('Enter'));
    expect(clicks).toBeLessThanOrEqual(4);
    const speed = (unit: string) => page.locator(`[data-unit=${unit}] [data-job=stirring]`);
    for (const name of ['rx1', 'rx10']) await speed(name).getByText('640 RPM').waitFor(patience);
    await speed('rx2').getByText('620 RPM').waitFor(patience);
    for (const reactor_unit of ['rx1', 'rx10']) {
      const params = { reactor_unit, job: 'dosing_automation', experiment };
      const body = { options: { automation_name: 'silent' } };
      await leader.finished(await leader.client.runWorkerJob({ params, body }));
    }
    clicks = 0;
    await counted(() => page.getByRole('button', { name: 'Stop', exact: true }).click());
    await counted(() => page.getByRole('menuitem', { name: /^Stop all pumps/ }).click());
    expect(clicks).toBeLessThanOrEqual(2);
    // It names the units on which something was stopped.
    await page.locator('[data-stopped="rx1 rx10"]').waitFor(patience);
    await picture('pumps-stopped');
    clicks = 0;
    await counted(() => button('Dismiss').click());
    await page.getByRole('region', { name: 'Last stop' }).waitFor({ state: 'detached' });
  }, 60_000);

  it('starts a job by its name, on all units and on one', async () => {
    const search = async (text: string, option: RegExp): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Page, experiment, unit or command' }).fill(text);
      await page.getByRole('option', { name: option }).first().waitFor(patience);
      await page.keyboard.press('Enter');
    };
    await search('start light', /^Start Light on all 6 units/);
    const form = page.getByRole('dialog', { name: 'Start Light on all 6 units' });
    await form.getByRole('button', { name: 'Start', exact: true }).click(patience);
    await page.getByText('Start Light: done on all 6 units').waitFor(patience);
    // Who reloads the page does not start it again.
    expect(new URL(page.url()).searchParams.has('start')).toBe(false);
    await search('light on rx3', /^Light on rx3/);
    await button('Stop Light on rx3').click(patience);
    await button('Start Light on rx3').waitFor(patience);
    expect(new URL(page.url()).pathname).toBe('/units/rx3');
    await page.goto(`${leader.url}/experiments/${experiment}/units?units=table`);
    await page.getByRole('checkbox', { name: 'Select rx2', exact: true }).click(patience);
    await page.getByRole('checkbox', { name: 'Select rx4', exact: true }).click({ modifiers: ['Shift'] });
    // A failure disappears when the same is reached in another way.
    await page.route('**/jobs/stop/job_name/led_automation/**', (route) => route.abort(), { times: 1 });
    await button('Stop…').click();
    await page.getByRole('menuitem', { name: 'Light', exact: true }).click();
    const failure = page.getByRole('region', { name: 'Actions on the selected units' }).locator('[data-phase=failed]');
    await failure.waitFor(patience);
    for (const reactor_unit of ['rx2', 'rx4'])
      await leader.finished(
        await leader.client.stopWorkerJob({ params: { reactor_unit, job_name: 'led_automation', experiment } }),
      );
    await failure.waitFor({ ...patience, state: 'detached' });
  }, 60_000);

  it('names the units that did not answer', async () => {
    await units.get('rx4')?.[Symbol.asyncDispose]();
    units.delete('rx4');
    await button('Start usual jobs…').click();
    await button('Start on 3 units').click(patience);
    await page.getByText('Start the usual jobs: done on 2 of 3 units.').waitFor(patience);
    await page.getByText(/^rx4: The unit could not be reached/).waitFor();
    for (const name of ['rx2', 'rx3']) await expect.poll(async () => (await cells(name))[2], patience).toBe('On');
    await page.setViewportSize(phone);
    await page.goto(`${leader.url}/experiments/${experiment}/units?units=table`);
    await row('rx10').waitFor(patience);
    await expect.poll(() => overflow(page)).toBe(0);
    await picture('phone');
    await page.setViewportSize(desktop);
  }, 60_000);

  it('shows one unit: its vial, and what is done by hand', async () => {
    await page.goto(`${leader.url}/experiments/${experiment}/units?units=table`);
    await row('rx2').getByRole('link', { name: 'rx2' }).click();
    await page.getByRole('heading', { level: 1, name: 'rx2' }).waitFor();
    await page.getByRole('img', { name: /^Vial of rx2: [\d.]+ mL of [\d.]+ mL.*stirring at/ }).waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    await picture('unit-live');
    await openTab('Control');
    const dose = panel('Dose by hand');
    await dose.getByText('The vial has 15 mL now, 16 mL after the dose.').waitFor(patience);
    await dose.getByRole('textbox', { name: 'Amount' }).fill('100');
    await dose.getByText(/it must stay below/).waitFor();
    expect(await dose.getByRole('button', { name: 'Add volume' }).isDisabled()).toBe(true);
    const volumes = panel('Volumes and bottles');
    await volumes.getByRole('textbox', { name: 'Volume in the vial' }).fill('12');
    // What is typed is not lost without a question, by a tab or by a link.
    for (const leave of [() => openTab('Why?'), () => page.getByRole('link', { name: experiment }).first().click()]) {
      await leave();
      await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    }
    await volumes.getByRole('button', { name: 'Correct the volumes' }).click();
    await dose.getByText('The vial has 12 mL now, 112 mL after the dose.').waitFor(patience);
    await dose.getByRole('textbox', { name: 'Amount' }).fill('1');
    await dose.getByRole('combobox', { name: 'In' }).click();
    await page.getByRole('option', { name: 'seconds' }).click();
    await dose.getByRole('button', { name: 'Add by time' }).click();
    await dose.getByText('The pump runs: 1 s medium…').waitFor(patience);
    // No further dose is judged on the volume before this one.
    expect(await dose.getByText(/^The vial has/).count()).toBe(0);
    const ended = dose.getByText(/^Medium added: 0\.\d+ mL/).waitFor(patience);
    await whileTimePasses(theUnit('rx2'), ended, () => wallClock.sleep(100));
    expect(await dose.getByText('The vial has 12 mL').count()).toBe(0);
    const light = panel('Light by hand');
    const intensity = light.getByRole('textbox', { name: 'Intensity of LED B' });
    await intensity.fill('101');
    await light.getByText('At most 100 %.').waitFor();
    expect(await light.getByRole('button', { name: 'Set LED B' }).isDisabled()).toBe(true);
    await intensity.fill('20');
    await light.getByRole('button', { name: 'Set LED B' }).click();
    await light.getByText('LED B: 20 %').waitFor(patience);
    await picture('unit-control');
    expect(await accessibilityFindings(page)).toEqual([]);
    const label = page.getByRole('textbox', { name: `Label in ${experiment}` });
    await label.fill('rx3');
    await button('Save').click();
    await panel('Label and model').getByRole('alert').waitFor(patience);
    await label.fill('control');
    await stayWithTyped(page, label);
    await button('Save').click();
    await page.getByRole('heading', { level: 1, name: 'control' }).waitFor(patience);
  }, 90_000);

  it('shows why, the calibrations and the machine of the unit, and fits a phone', async () => {
    await openTab('Why?');
    const history = page.getByRole('list', { name: 'History of control' });
    await history.getByText('LED B').first().waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    await openTab('Calibrations');
    await panel('Calibrations').getByText('rx2 has no calibration yet.').waitFor(patience);
    await panel('Procedures')
      .getByRole('button', { name: /^Start: / })
      .first()
      .waitFor(patience);
    await picture('unit-calibrations');
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await openTab('Hardware');
    expect(new URL(page.url()).searchParams.get('tab')).toBe('hardware');
    await button('Identify (blink)').click();
    await page.getByText('The light of rx2 blinks.').waitFor(patience);
    await button('Reboot…').click();
    await page.getByRole('dialog').getByText('All jobs stop').waitFor();
    await picture('unit-reboot');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.setViewportSize(phone);
    for (const tab of ['live', 'control', 'why', 'calibrations', 'hardware']) {
      await page.goto(`${leader.url}/units/rx2?tab=${tab}`);
      await page.getByRole('heading', { level: 1, name: 'control' }).waitFor(patience);
      await expect.poll(() => overflow(page), { message: tab }).toBe(0);
    }
    await picture('unit-phone');
    await page.goto(`${leader.url}/units/nobody`);
    await page.getByText('There is no unit nobody').waitFor();
    expect(seen.foreign).toEqual([]);
    // The browser logs the refused label.
    expect(seen.errors).toEqual([expect.stringContaining('ERR_FAILED'), expect.stringContaining('409')]);
  }, 90_000);
});
