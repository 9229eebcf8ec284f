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

describe.skipIf(!hasBrowser())('owner, members and protection in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let unit: UnitUnderTest;
  let page: Page;
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const open = async (name: string): Promise<void> => {
    await signInAs(page, leader.url, name, password);
    await page.goto(`${leader.url}/experiments/ramp/units`);
    await button(new RegExp(`^Account: ${name}`)).waitFor();
  };

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader();
    unit = await startUnit({ leaderUrl: leader.url });
    await leader.client.registerWorker({
      body: { reactor_unit: 'unit1', model_name: 'reactor_20ml', model_version: '1.5' },
    });
    await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
    const ada = await signedInClient(leader.url, 'ada', password);
    for (const name of ['otto', 'nina', 'mia'])
      await ada.createPerson({ body: { name, display_name: `Dr ${name}`, role: 'operator', password } });
    const otto = await signedInClient(leader.url, 'otto', password);
    await otto.createExperiment({ body: { experiment: 'ramp' } });
    await otto.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'unit1' } });
    page = await browser.newPage({ viewport: desktop });
  });
  afterAll(async () => {
    await page?.close();
    await unit?.[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('the owner protects an experiment and adds members', async () => {
    await open('otto');
    await button('Actions for this experiment').click();
    await page.getByRole('menuitem', { name: 'Owner and members…' }).click();
    await page.getByRole('switch', { name: 'Protected' }).click({ force: true });
    await page.getByRole('combobox', { name: 'Members' }).fill('mia');
    await page.getByRole('option', { name: 'mia (Dr mia)' }).click();
    await page.keyboard.press('Tab');
    await takePicture(page, 'owner-and-members');
    expect(await accessibilityFindings(page)).toEqual([]);
    await button('Save').click();
    await page.getByText('only otto, its members and administrators').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await button('Start Stirring on unit1').isEnabled()).toBe(true);
  });

  it('others see it and stop its jobs; what they may not do is disabled and says why', async () => {
    await open('nina');
    await page.getByText('You see it, and may stop its jobs.').waitFor();
    const start = button('Start Stirring on unit1');
    await start.waitFor();
    expect([await start.isDisabled(), await start.getAttribute('title')]).toEqual([
      true,
      'Protected: only otto, its members and administrators act on this experiment.',
    ]);
    await expect.poll(() => button('Assign units').isDisabled()).toBe(true);
    await button('All units…').click();
    expect(await page.getByRole('menuitem', { name: 'Stop all jobs…' }).isEnabled()).toBe(true);
    await expect.poll(() => page.getByRole('menuitem', { name: 'Start Stirring' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    const found = page.getByRole('listbox', { name: 'Found' });
    const field = page.getByRole('combobox', { name: 'Page, experiment, unit or command' });
    await field.fill('stirring');
    const acts = found.getByRole('option').filter({ hasText: /Stirring on / });
    await expect.poll(() => acts.allInnerTexts()).toEqual(['Stirring on unit1 ramp']);
    await field.fill('assign');
    await expect.poll(() => found.getByRole('option').filter({ hasText: 'Assign units' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await takePicture(page, 'protected');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBe(0);
    await takePicture(page, 'protected-phone');
    await page.setViewportSize(desktop);
  });

  it('a change reaches an open page; the owner hands over', async () => {
    await page.goto(`${leader.url}/units/unit1?tab=calibrations`);
    const calibrate = button(/^Start: .*pump/).first();
    await calibrate.waitFor();
    await expect.poll(() => calibrate.isDisabled()).toBe(true);
    const owner = await signedInClient(leader.url, 'otto', password);
    await owner.updateExperimentAccess({ params: { experiment: 'ramp' }, body: { members: ['mia', 'nina'] } });
    await expect.poll(() => calibrate.isEnabled()).toBe(true);
    await page.goto(`${leader.url}/experiments`);
    await button('Actions for ramp').click();
    await page.getByRole('menuitem', { name: 'Owner and members…' }).click();
    await page.getByText('Owner: otto').waitFor();
    await open('otto');
    await button('Actions for this experiment').click();
    await page.getByRole('menuitem', { name: 'Owner and members…' }).click();
    await page.getByRole('combobox', { name: 'Owner' }).click();
    await page.getByRole('option', { name: 'nina (Dr nina)' }).click();
    await page.getByText('You hand the experiment over to nina.').waitFor();
    await takePicture(page, 'hand-over');
    await button('Save').click();
    await page.getByText('only nina, its members and administrators').waitFor();
    await expect.poll(() => button('Start Stirring on unit1').isDisabled()).toBe(true);
  });
});
