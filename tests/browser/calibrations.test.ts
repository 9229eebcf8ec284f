import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantOf, whileTimePasses } from '../routes/calibration-fixtures.ts';
import {
  accessibilityFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  stayWithTyped,
  takePicture,
  watch,
} from './browser.ts';

describe.skipIf(!hasBrowser())('the page of calibrations', () => {
  const wallClock = realClock();
  let browser: Browser;
  let leader: LeaderUnderTest;
  let unit: UnitUnderTest | undefined;
  let second: UnitUnderTest | undefined;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader();
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  });
  afterAll(async () => {
    await page?.close();
    await unit?.[Symbol.asyncDispose]();
    await second?.[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const theUnit = (): UnitUnderTest => {
    if (unit === undefined) throw new Error('There is no unit yet.');
    return unit;
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const goOn = () => press('Continue');
  const startPump = () => press('Start the pump');
  const step = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const field = (name: string) => page.getByRole('textbox', { name });
  const pumped = () => plantOf(theUnit()).vial.state.ledger.media;
  /**
   * The unit's time passes until the page shows this: at most 50 times as fast as the page's. A page may take its 30 s, and
   * a session without input for an hour ends.
   */
  const worksUntil = (shown: Promise<void>) => whileTimePasses(theUnit(), shown, () => wallClock.sleep(4));

  it('explains what to do without a unit, and lists the calibrations of a unit', async () => {
    await page.goto(leader.url);
    await page.getByRole('link', { name: 'Calibrations' }).click();
    await page.getByText('There are no units yet').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
    await leader.client.registerWorker({
      body: { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' },
    });
    // The matrix leads to the procedures of the unit.
    await page.getByText('Active calibrations: 6 missing. Blanks: 1 missing.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Media pump of unit1: none', exact: true }).click();
    await page.getByText('unit1 has no calibration yet.').waitFor();
    // Those of the device of the cell come first.
    await page.getByRole('heading', { level: 3 }).first().getByText('media pump').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // The page of the unit leads to its self-test.
    await page.getByRole('tab', { name: 'Hardware' }).click();
    await page.getByRole('link', { name: 'Self-test' }).click();
    await page.getByRole('heading', { level: 3 }).first().getByText('Self-test', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Start: Self-test' }).waitFor();
  });

  it('calibrates a pump, shows a fault at its field, and continues after a reload', async () => {
    await press('Start: Calibrate media pump (weigh)');
    for (const name of ['What will be done', 'Safety', 'What you need']) {
      await step(name);
      await goOn();
    }
    await step('Name');
    await field('Name').fill('../x');
    await goOn();
    await page.locator('.mantine-InputWrapper-error').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await field('Name').fill('tube 7');
    await stayWithTyped(page, field('Name'));
    await goOn();
    await step('Volumes');
    await goOn();
    await step('Drive signal');
    await page.reload();
    await step('Drive signal');
    await goOn();
    await step('Place the tubes');
    await goOn();
    await step('Fill the tubes');
    await startPump();
    await page.getByRole('button', { name: 'Stop now' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await press('Stop now');
    await page.getByText('The outputs are off, and the session is still at the same step').waitFor();
    // The second click of two starts nothing and is no fault.
    await page.getByRole('button', { name: 'Start the pump', exact: true }).dblclick();
    await worksUntil(step('Test run'));
    expect(await page.getByRole('alert').count()).toBe(0);
    await startPump();
    await worksUntil(field('Volume, mL').waitFor());
    await field('Volume, mL').fill('0.09');
    await goOn();
    const weigh = async (run: number, factor = 1): Promise<void> => {
      await step(`Run ${run} of 10`);
      const before = pumped();
      await startPump();
      await worksUntil(field('Volume, mL').waitFor());
      await field('Volume, mL').fill((factor * (pumped() - before)).toFixed(3));
      await goOn();
    };
    await weigh(1);
    await weigh(2);
    // A wrong weight is reported at once; the run is repeated although later ones could follow.
    await weigh(3, 3);
    await page.getByText('Run 3 differs from the others.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await press('Repeat: row 3');
    for (let run = 3; run <= 10; run += 1) await weigh(run);
    await worksUntil(step('Done'));
    await page.getByText('Stored and active: tube 7 (Media pump).').waitFor();
    await page.getByRole('img', { name: /tube 7: Volume by Duration/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  }, 120_000);

  it('shows the curve with its points, deactivates and activates it, and deletes it after a confirmation', async () => {
    await press('Back to the calibrations');
    const card = page.getByRole('listitem').filter({ hasText: 'tube 7' });
    await card.getByText('Active', { exact: true }).waitFor();
    await card.getByRole('img', { name: /tube 7: Volume by Duration/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // The page of all calibrations, open elsewhere, follows.
    const other = await browser.newPage({ viewport: desktop });
    await other.goto(`${leader.url}/calibrations`);
    const inactive = other.getByRole('link', { name: /^Media pump of unit1: none active/ });
    await other.getByRole('link', { name: /^Media pump of unit1: / }).waitFor();
    await other.getByText('Live', { exact: true }).waitFor();
    expect(await inactive.count()).toBe(0);
    const ofPump = { reactor_unit: 'unit1', device: 'media_pump' };
    await leader.finished(await leader.client.clearActiveCalibration({ params: ofPump }));
    await inactive.waitFor({ timeout: 10_000 });
    await leader.finished(await leader.client.setActiveCalibration({ params: { ...ofPump, cal_name: 'tube 7' } }));
    await inactive.waitFor({ state: 'detached', timeout: 10_000 });
    await other.close();
    await press('Deactivate tube 7 of Media pump');
    await page.getByRole('button', { name: 'Activate tube 7 of Media pump', exact: true }).click();
    await card.getByText('Active', { exact: true }).waitFor();
    const unitPage = page.url();
    await page.getByRole('link', { name: 'Calibrations', exact: true }).click();
    await page.getByRole('link', { name: 'Media pump: compare the curves of all units' }).click();
    const curves = page.getByRole('region', { name: 'Media pump: active curves of all units' });
    await curves.getByRole('img', { name: /Volume, mL by Duration, s of 1 unit$/ }).hover();
    await curves.getByText(/^unit1: [\d.]+ at [\d.]+ \(Volume, mL by Duration, s\)$/).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'compared-curves');
    await press('Close the curves');
    await curves.waitFor({ state: 'detached' });
    await page.goto(unitPage);
    await press('Delete tube 7 of Media pump');
    await page.getByRole('dialog').getByText('It is active').waitFor();
    await press('Delete it');
    await page.getByText('unit1 has no calibration yet.').waitFor();
    expect(await theUnit().client.listUnitCalibrations()).toEqual({});
  });

  it('stops the jobs that prevent a procedure, and measures blanks of several units', async () => {
    await leader.client.createExperiment({ body: { experiment: 'ramp' } });
    await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'unit1' } });
    await leader.client.registerWorker({ body: { reactor_unit: 'unit2' } });
    second = await startUnit({ name: 'unit2', leaderUrl: leader.url, clock: leader.clock });
    await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'unit2' } });
    const ofJob = { reactor_unit: 'unit1', experiment: 'ramp' };
    for (const job of ['stirring', 'od_reading']) {
      const started = leader.client.runWorkerJob({ params: { ...ofJob, job }, body: {} });
      await whileTimePasses(theUnit(), started, () => wallClock.sleep(4));
    }
    const running = async () => (await theUnit().client.listRunningJobs()).map(({ job_name }) => job_name);
    await expect.poll(running).toEqual(expect.arrayContaining(['stirring', 'od_reading']));
    await page.goto(`${leader.url}/units/unit1?tab=calibrations&device=stirring`);
    await press('Start: Calibrate stirring speed');
    await page.getByText('Stirring is running').waitFor();
    // What needs it is named, as by Stop.
    await page.getByText(/^OD reading: /).waitFor();
    await page.getByRole('button', { name: 'Stop it and start', exact: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'calibrations-dependents');
    await press('Stop all of these and start');
    await worksUntil(step('Stirring speed'));
    await page.getByText(/^unit1 is in the experiment ramp\. The stirrer turns/).waitFor();
    expect(await running()).not.toContain('od_reading');
    expect(await accessibilityFindings(page)).toEqual([]);
    await press('Cancel the procedure');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the procedure' }).click();
    await step('The session has ended');
    await page.getByRole('link', { name: 'Calibrations', exact: true }).click();
    await press('Measure blanks…');
    await page.getByRole('checkbox', { name: 'All 2 units' }).click();
    await page.getByRole('checkbox', { name: /sterile medium/ }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await press('Measure 2 units');
    const row = (name: string) =>
      page.getByRole('list', { name: 'Progress' }).getByRole('listitem').filter({ hasText: name });
    await worksUntil(row('unit1').getByRole('progressbar', { name: 'Progress of unit1' }).waitFor());
    for (const name of ['unit1', 'unit2'])
      await worksUntil(
        row(name)
          .getByText(/Kept: photodiode|has a problem/)
          .waitFor(),
      );
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByText('Close', { exact: true }).click();
  }, 120_000);

  it('continues an open session, cancels it after a confirmation, and fits a phone', async () => {
    await page.goto(`${leader.url}/units/unit1?tab=calibrations`);
    await page.getByRole('button', { name: 'Start: Prime the line of the waste pump' }).waitFor();
    const body = { target_device: 'waste_pump', protocol_name: 'priming' };
    const other = await browser.newPage({ viewport: desktop });
    await other.goto(`${leader.url}/calibrations`);
    await other.getByRole('table').waitFor();
    await other.getByText('Live', { exact: true }).waitFor();
    // What is begun and cancelled elsewhere is seen at once: the list is requested once a minute.
    const halfDone = other.getByText('Prime the line of the waste pump is half done');
    const params = { reactor_unit: 'unit1' };
    const first = await leader.client.startCalibrationSession({ params, body });
    await halfDone.waitFor({ timeout: 10_000 });
    await page.getByRole('button', { name: 'Continue: Prime the line of the waste pump' }).waitFor({ timeout: 10_000 });
    const { session_id } = first.session;
    await leader.client.abortCalibrationSession({ params: { ...params, session_id } });
    await halfDone.waitFor({ state: 'detached', timeout: 10_000 });
    await page.getByRole('button', { name: 'Start: Prime the line of the waste pump' }).waitFor({ timeout: 10_000 });
    await other.close();
    // A page that does not know it yet is refused.
    const released = Promise.withResolvers<void>();
    await page.route('**/calibration_protocols', async (route) => {
      await released.promise;
      await route.continue();
    });
    await leader.client.startCalibrationSession({ params, body });
    await press('Start: Prime the line of the waste pump');
    await page.getByText(/half done and waits for you/).waitFor();
    released.resolve();
    // Beside the button, at the end of a list that is longer than the window.
    const refused = page
      .getByRole('region', { name: 'Procedures' })
      .getByRole('listitem')
      .filter({ hasText: 'unit1: Prime the line of the waste pump is half done and waits for you.' });
    await refused.getByRole('heading', { name: 'Prime the line of the waste pump' }).waitFor();
    expect(await refused.innerText()).not.toMatch(/session|priming|POST|\dT\d/);
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'calibrations-open-already');
    await refused.getByRole('button', { name: 'Discard it…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
    await press('Continue it');
    await step('What will be done');
    // An address of an earlier version.
    await page.goto(`${leader.url}/calibrations?unit=unit1`);
    await page.getByText('Open: it continues at its last step.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // Wherever a person looks: the page of the unit, all calibrations, and Now.
    const open = page.getByRole('list', { name: 'Open calibrations' });
    await open.getByText('Prime the line of the waste pump is half done').waitFor();
    await page.goto(`${leader.url}/calibrations`);
    await open.getByText('Prime the line of the waste pump is half done').waitFor();
    await takePicture(page, 'calibrations-half-done');
    await page.getByRole('link', { name: /^Waste pump of unit1: .*half done/ }).click();
    await step('What will be done');
    await page.goto(leader.url);
    await takePicture(page, 'now-half-done');
    await open.getByRole('link', { name: 'Continue the calibration of unit1' }).click();
    await step('What will be done');
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await press('Cancel the procedure');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the procedure' }).click();
    await step('The session has ended');
    await press('Back to the calibrations');
    await page.getByRole('heading', { name: 'Prime the line of the waste pump' }).waitFor();
    expect(await open.count()).toBe(0);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await leader.client.startCalibrationSession({ params: { reactor_unit: 'unit1' }, body });
    await page.goto(leader.url);
    expect(await accessibilityFindings(page)).toEqual([]);
    await open.getByRole('button', { name: 'Discard… the calibration of unit1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    await open.waitFor({ state: 'detached' });
    expect(seen.foreign).toEqual([]);
    // The browser logs the refused requests: a name, a stopped run, a running job, an open session.
    expect(seen.errors).toHaveLength(4);
  });
});
