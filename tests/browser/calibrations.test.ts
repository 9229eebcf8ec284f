import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantOf, whileTimePasses } from '../routes/calibration-fixtures.ts';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, overflow, phone, watch } from './browser.ts';

describe.skipIf(!hasBrowser())('the page of calibrations', () => {
  const wallClock = realClock();
  let browser: Browser;
  let leader: LeaderUnderTest;
  let unit: UnitUnderTest | undefined;
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
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const theUnit = (): UnitUnderTest => {
    if (unit === undefined) throw new Error('There is no unit yet.');
    return unit;
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const goOn = () => press('Continue');
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
    await page.getByText('unit1 has no calibration yet.').waitFor();
    await page.getByRole('heading', { name: 'Pump run-time wizard: media pump' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('calibrates a pump, shows a fault at its field, and continues after a reload', async () => {
    await press('Start Pump run-time wizard: media pump');
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
    await goOn();
    await page.getByRole('button', { name: 'Stop now' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await press('Stop now');
    await page.getByText('The outputs are off, and the session is still at the same step').waitFor();
    await goOn();
    await worksUntil(step('First run'));
    await press('Start');
    await worksUntil(field('Volume, mL').waitFor());
    await field('Volume, mL').fill('0.09');
    await goOn();
    for (let run = 1; run <= 10; run += 1) {
      await step(`Run ${run} of 10`);
      const before = pumped();
      await press('Start');
      await worksUntil(field('Volume, mL').waitFor());
      await field('Volume, mL').fill((pumped() - before).toFixed(3));
      await goOn();
    }
    await worksUntil(step('Done'));
    await page.getByText('Stored and in use: tube 7 of media pump.').waitFor();
    await page.getByRole('img', { name: /tube 7: Volume by Duration/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  }, 120_000);

  it('shows the curve with its points, deactivates and activates it, and deletes it after a confirmation', async () => {
    await press('Back to the calibrations');
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'tube 7' }) });
    await card.getByText('In use').waitFor();
    await card.getByRole('img', { name: /tube 7: Volume by Duration/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await press('Do not use tube 7 of media_pump');
    await page.getByRole('button', { name: 'Use tube 7 of media_pump', exact: true }).click();
    await card.getByText('In use').waitFor();
    await press('Delete tube 7 of media_pump');
    await page.getByRole('dialog').getByText('It is in use').waitFor();
    await press('Delete it');
    await page.getByText('unit1 has no calibration yet.').waitFor();
    expect(await theUnit().client.listUnitCalibrations()).toEqual({});
  });

  it('continues an open session, cancels it after a confirmation, and fits a phone', async () => {
    const body = { target_device: 'waste_pump', protocol_name: 'priming' };
    await leader.client.startCalibrationSession({ params: { reactor_unit: 'unit1' }, body });
    await press('Start Fill the tube: waste pump');
    // Beside the button, at the end of a list that is longer than the window.
    const refused = page.getByRole('listitem').filter({ hasText: 'A session of waste_pump is open already.' });
    await refused.getByRole('heading', { name: 'Fill the tube: waste pump' }).waitFor();
    await press('Continue the open session');
    await step('What will be done');
    await page.goto(`${leader.url}/calibrations`);
    await page.getByText('A session is open: it continues at its last step.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await press('Continue Fill the tube: waste pump');
    await step('What will be done');
    await page.setViewportSize(phone);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await press('Cancel the session');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the session' }).click();
    await step('The session has ended');
    await press('Back to the calibrations');
    await page.getByRole('heading', { name: 'Fill the tube: waste pump' }).waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(seen.foreign).toEqual([]);
    // The browser logs the refused requests: a name, a stopped run, an open session.
    expect(seen.errors).toHaveLength(3);
  });
});
