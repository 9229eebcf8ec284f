import { createClient, leaderApi, unitApi } from '@lcs/contract';
import { type LeaderUnderTest, signIn, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  takePicture,
  watch,
} from './browser.ts';

const password = 'three brown horses';

describe.skipIf(!hasBrowser())('units in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  const units: UnitUnderTest[] = [];

  const unit = async (name: string, code?: string): Promise<UnitUnderTest> => {
    const started = await startUnit({ name, leaderUrl: leader.url, ...(code && { configure: { code } }) });
    units.push(started);
    return started;
  };
  const signInOnPage = async (name: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader();
    await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
    const client = createClient(leaderApi, {
      baseUrl: leader.url,
      headers: await signIn(leader.url, 'ada', password),
    });
    await client.createPerson({ body: { name: 'otto', role: 'operator', password } });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
    await page.goto(`${leader.url}/units`);
    await signInOnPage('ada');
    await button('Account: ada, administrator').waitFor();
  });
  afterAll(async () => {
    await page?.close();
    for (const started of units) await started[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('a request to join appears on every page, with the fingerprint that the unit shows', async () => {
    await page.getByText('No unit waits.').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    const waiting = await unit('rx07');
    await page.getByRole('link', { name: '1 unit wants to join: show' }).click();
    const request = page.getByRole('listitem').filter({ hasText: 'rx07' });
    const fingerprint = (await request.locator('code').textContent()) ?? '-';
    expect(waiting.log.lines.map((line) => JSON.stringify(line)).join()).toContain(fingerprint);
    await takePicture(page, 'join-request');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBe(0);
    await takePicture(page, 'join-request-phone');
    await page.setViewportSize(desktop);
  });

  it('an administrator lets a unit join, and adds it to the inventory', async () => {
    await button('Let join: rx07').click();
    await takePicture(page, 'let-join');
    await page.getByRole('dialog').getByRole('button', { name: 'Let it join' }).click();
    await page.getByText('it joins at its next attempt').waitFor();
    const [waiting] = units;
    const asked = createClient(unitApi, { baseUrl: waiting?.url ?? '', headers: {} }).enrolNow();
    // When it has joined by itself meanwhile, it asks who wants that.
    const refusal = await asked.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal !== undefined) expect(refusal).toMatchObject({ body: { code: 'not_signed_in' } });
    await page.getByRole('combobox', { name: 'Model of rx07' }).click();
    await page.getByRole('option').first().click();
    await takePicture(page, 'new-unit');
    await button('Add to the inventory: rx07').click();
    await page.getByRole('row', { name: /rx07 online Nothing found/ }).waitFor();
    await page.getByRole('link', { name: /to join: show/ }).waitFor({ state: 'detached' });
  });

  it('a one-time code is shown once, with the command of the unit', async () => {
    await button('Add a unit').click();
    await page.getByRole('textbox', { name: 'Name of the unit' }).fill('192.168.4.21');
    await button('Make a code').click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Name of the unit' }).fill('rx08');
    await button('Make a code').click();
    const command = (await page.getByRole('dialog').locator('pre').textContent()) ?? '';
    expect(command).toMatch(/^lcs unit --name rx08 --leader http:\/\/127\.0\.0\.1:\d+ --code [A-Z2-9]{8}$/);
    await takePicture(page, 'one-time-code');
    await button('Done').click();
    await page.getByText('One-time code for rx08').waitFor();
    expect(await page.content()).not.toContain(command.slice(-8));
    await unit('rx08', command.slice(-8));
    await page.getByText('One-time code for rx08').waitFor({ state: 'detached' });
    await button('Add to the inventory: rx08').waitFor();
  });

  it('an administrator refuses a unit, and changes and revokes credentials', async () => {
    await unit('rx09');
    await button('Refuse rx09').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('No unit waits.').waitFor();
    for (const [item, action] of [
      ['Issue new credentials…', 'Issue new credentials'],
      ['Revoke its credentials…', 'Revoke'],
    ] as const) {
      await button('Actions for rx07').click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').getByRole('button', { name: action }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await takePicture(page, 'inventory');
    await button('Actions for rx07').click();
    await page.getByRole('menuitem', { name: 'Remove from the inventory…' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('The lid leaks');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No units yet.').waitFor();
  });

  it('others see the requests, and cannot decide', async () => {
    await unit('rx10');
    await button('Let join: rx10').waitFor();
    await button(/^Account:/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInOnPage('otto');
    await button('Account: otto, operator').waitFor();
    const approval = button('Let join: rx10');
    expect([await approval.isDisabled(), await approval.getAttribute('title')]).toEqual([
      true,
      'Needs the role administrator',
    ]);
    await expect.poll(() => button('Add a unit').isDisabled()).toBe(true);
    expect(await page.getByRole('link', { name: /wants? to join: show/ }).count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBe(0);
    await takePicture(page, 'inventory-phone');
    expect(seen.foreign).toEqual([]);
  });
});
