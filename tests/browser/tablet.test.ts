import { type LeaderUnderTest, signedInClient, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  signInAs,
  takePicture,
} from './browser.ts';

const password = 'three brown horses';

describe.skipIf(!hasBrowser())('a shared tablet in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let unit: UnitUnderTest;
  let page: Page;
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const typePin = async (pin: string) => {
    await page.getByRole('textbox', { name: 'PIN' }).fill(pin);
    await button('Continue').click();
  };

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader();
    unit = await startUnit({ leaderUrl: leader.url });
    await leader.client.registerWorker({
      body: { reactor_unit: 'unit1', model_name: 'reactor_20ml', model_version: '1.5' },
    });
    await leader.client.createExperiment({ body: { experiment: 'ramp' } });
    await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'unit1' } });
    await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
    const ada = await signedInClient(leader.url, 'ada', password);
    for (const name of ['otto', 'mia']) {
      await ada.createPerson({ body: { name, display_name: `Dr ${name}`, role: 'operator', password } });
      if (name === 'mia')
        await (await signedInClient(leader.url, name, password)).setPin({ body: { password, pin: '5082' } });
    }
    page = await browser.newPage({ viewport: desktop });
  });
  afterAll(async () => {
    await page?.close();
    await unit?.[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('a person sets a PIN on the page of their account', async () => {
    await signInAs(page, leader.url, 'otto', password);
    await page.goto(`${leader.url}/people`);
    await button('Set a PIN').click();
    await page.getByRole('textbox', { name: 'Your password' }).fill(password);
    await page.getByRole('textbox', { name: 'PIN', exact: true }).fill('1234');
    await page.getByRole('textbox', { name: 'PIN again' }).fill('1234');
    await button('Set the PIN').click();
    await page.getByText('Its digits are in order.').waitFor();
    await page.getByRole('textbox', { name: 'PIN', exact: true }).fill('4711');
    await page.getByRole('textbox', { name: 'PIN again' }).fill('4711');
    await button('Set the PIN').click();
    await page.getByText('You have a PIN.').waitFor();
    expect(await button('Use this device…').count()).toBe(0);
  });

  it('an administrator makes the device a shared tablet, which shows everything', async () => {
    await signInAs(page, leader.url, 'ada', password);
    await page.goto(`${leader.url}/people`);
    await takePicture(page, 'account');
    await button('Use this device…').click();
    await page.getByRole('textbox', { name: 'Name of the tablet' }).fill('bench 2');
    await takePicture(page, 'make-tablet');
    await button('Make it a shared tablet').click();
    await button('Account: Shared tablet bench 2').waitFor();
    await page.goto(`${leader.url}/experiments/ramp/units`);
    await page.getByText('Shared tablet bench 2: for each action').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'tablet');
  });

  it('for an action it asks who acts; the person acts for a minute', async () => {
    await button('Start Stirring on unit1').click();
    await dialog().getByRole('button', { name: 'Start' }).click();
    const otto = button('Dr otto');
    await otto.waitFor();
    await takePicture(page, 'pin');
    expect(await accessibilityFindings(page)).toEqual([]);
    await otto.click();
    await typePin('4712');
    await dialog().getByText('Name or PIN is wrong').waitFor();
    await typePin('4711');
    await page.getByText(/^otto acts here for \d+ s\.$/).waitFor();
    await button('Stop Stirring on unit1').waitFor();
    await takePicture(page, 'acting');
    expect(await accessibilityFindings(page)).toEqual([]);
    const client = await signedInClient(leader.url, 'ada', password);
    const entries = await client.listAudit({ query: { unit: 'unit1', kind: 'change', limit: 1 } });
    expect(entries).toMatchObject([{ operation: 'runWorkerJob', caller: 'otto', channel: 'tablet bench 2' }]);
    await button('Stop Stirring on unit1').click();
    await button('Start Stirring on unit1').waitFor();
  });

  it('the next person enters another PIN; without one nothing happens', async () => {
    await button('Done').click();
    await page.getByText('Shared tablet bench 2: for each action').waitFor();
    await page.setViewportSize(phone);
    await button('Start Stirring on unit1').click();
    const speed = page.getByRole('textbox', { name: 'Target stir RPM' });
    await speed.fill('321');
    await dialog().getByRole('button', { name: 'Start' }).click();
    await button('Dr mia').waitFor();
    // Escape asks before a PIN is lost, and the form below keeps what was entered.
    await page.getByRole('textbox', { name: 'PIN' }).fill('50');
    await page.keyboard.press('Escape');
    await button('Discard').click();
    await page.getByText('No PIN was entered.').first().waitFor();
    expect(await speed.inputValue()).toBe('321');
    await dialog().getByRole('button', { name: 'Start' }).click();
    await button('Dr mia').waitFor();
    await expect.poll(() => overflow(page)).toBe(0);
    await takePicture(page, 'pin-phone');
    await button('Cancel').last().click();
    await page.getByText('No PIN was entered.').first().waitFor();
    await page.setViewportSize(desktop);
  });

  it('an administrator ends it in the list of sessions', async () => {
    const other = await browser.newPage({ viewport: desktop });
    await signInAs(other, leader.url, 'ada', password);
    await other.goto(`${leader.url}/people`);
    await other.getByText('Shared tablet bench 2, set up by ada').waitFor();
    await takePicture(other, 'sessions');
    await other.getByRole('button', { name: /^End the session of the tablet bench 2/ }).click();
    await other.getByText('Shared tablet bench 2').waitFor({ state: 'detached' });
    await other.close();
    await page.getByRole('heading', { name: 'Sign in to Leader Control Service' }).waitFor();
  });
});
