import { createClient, leaderApi } from '@lcs/contract';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
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

describe.skipIf(!hasBrowser())('access in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
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
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const signIn = async (name: string, typed: string) => {
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await page.getByRole('textbox', { name: 'Password' }).fill(typed);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };

  it('is open until the first administrator is created; then everybody signs in', async () => {
    await page.goto(`${leader.url}/people`);
    await button('Account: Not signed in').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await button('Create the first administrator').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('a da!');
    await page.getByRole('textbox', { name: 'Password' }).fill('short');
    await button('Create administrator').click();
    // Both faults at once; Escape asks before both fields are lost.
    await page.getByText('Letters, digits and . _ @ - only').waitFor();
    await page.getByText('At least 12 characters').nth(1).waitFor({ timeout: 5000 });
    await page.keyboard.press('Escape');
    await button('Keep editing').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ada');
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await button('Create administrator').click();
    const heading = page.getByRole('heading', { name: 'Sign in to Leader Control Service' });
    await heading.waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await signIn('ada', 'wrong password');
    await page.getByRole('alert').waitFor();
    await signIn('ada', password);
    await button('Account: ada, administrator').waitFor();
  });

  it('an administrator adds a person, makes and revokes a token', async () => {
    await button('Add person').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('vera');
    await page.getByRole('textbox', { name: 'Password' }).fill('soon forgotten words');
    await page.getByRole('dialog').getByRole('button', { name: 'Add person' }).click();
    await page.getByRole('button', { name: 'New password for vera' }).click();
    const forgotten = page.getByRole('dialog', { name: 'New password for vera' });
    await forgotten.getByLabel('Password').first().fill('nine yellow birds');
    await forgotten.getByRole('button', { name: 'Set the password' }).click();
    await forgotten.waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Role of vera' }).selectOption('operator');
    await button('Add person').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('olga');
    await page.getByRole('textbox', { name: 'Password' }).fill('seven white cats');
    await page.getByRole('dialog').getByRole('button', { name: 'Add person' }).click();
    await page.getByRole('combobox', { name: 'Role of olga' }).waitFor();
    await expect.poll(() => leader.client.getSession()).toMatchObject({ kind: 'anonymous' });
    await button('Make a token').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('plots');
    expect(await page.getByRole('radio', { name: 'Read only' }).isChecked()).toBe(true);
    // The second click comes before the answer.
    await button('Make token').dblclick();
    const secret = await page.locator('code').textContent();
    await button('Revoke the token plots').waitFor();
    expect(await button(/^Revoke the token/).count()).toBe(1);
    const program = createClient(leaderApi, {
      baseUrl: leader.url,
      headers: { authorization: `Bearer ${secret}` },
    });
    expect((await program.listPeople()).map(({ name, role }) => [name, role])).toEqual([
      ['ada', 'administrator'],
      ['olga', 'viewer'],
      ['vera', 'operator'],
    ]);
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBe(0);
    await page.setViewportSize(desktop);
    expect(await accessibilityFindings(page)).toEqual([]);
    await button('Revoke the token plots').click();
    await page.getByText('No tokens yet').waitFor();
    await expect(program.listPeople()).rejects.toMatchObject({ status: 401 });
  });

  it('an administrator reads, filters and verifies the audit', async () => {
    await button('Account: ada, administrator').click();
    await page.getByRole('menuitem', { name: 'Audit' }).click();
    const table = page.getByRole('list', { name: 'Audit' });
    await table.waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('sign_in');
    await table
      .getByRole('button', { name: /created person/ })
      .first()
      .waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('change');
    await table
      .getByRole('button', { name: /changed person/ })
      .first()
      .click();
    const entry = page.getByRole('dialog');
    await entry.getByText('Before', { exact: true }).waitFor();
    expect(await entry.textContent()).toContain('operator');
    await page.keyboard.press('Escape');
    await button('Verify now').click();
    await page.getByText('none changed or removed').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.goto(`${leader.url}/people`);
  });

  it('changes work in a session, and its end shows the sign-in', async () => {
    await page.goto(`${leader.url}/experiments`);
    await button('New experiment').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ramp');
    await button('Create experiment').click();
    await page.getByRole('heading', { name: 'ramp' }).waitFor();
    // The set-up of the experiment shows its part of the audit to whoever may read it.
    await page.getByRole('link', { name: 'Setup' }).click();
    const audit = page.getByRole('list', { name: 'Audit' });
    await audit.getByRole('button', { name: /created experiment/ }).waitFor();
    await button(/^Account:/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Leader Control Service' }).waitFor();
    await signIn('vera', 'nine yellow birds');
    await button('Account: vera, operator').waitFor();
    expect(await audit.count()).toBe(0);
    expect(seen.foreign).toEqual([]);
  });

  it('a passkey signs in without name and password', async () => {
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('WebAuthn.enable');
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    // An IP address cannot have passkeys.
    await page.goto(`${leader.url}/settings/people`);
    await expect.poll(() => button('Add a passkey').isDisabled()).toBe(true);
    await page.goto(`${leader.url.replace('127.0.0.1', 'localhost')}/people`);
    await signIn('vera', 'nine yellow birds');
    await button('Add a passkey').click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('laptop');
    await page.getByRole('textbox', { name: 'Your password' }).fill('nine yellow birds');
    await button('Continue').click();
    await button('Rename the passkey laptop').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'passkeys');
    await button(/^Account:/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await button('Sign in with a passkey').waitFor();
    await takePicture(page, 'sign-in');
    await button('Sign in with a passkey').click();
    await button('Account: vera, operator').waitFor();
    await button('Delete the passkey laptop').click();
    await page.getByText('No passkeys yet').waitFor();
    await page.goto(`${leader.url}/experiments/ramp`);
  });

  it('what a person may not do is disabled and names the role', async () => {
    await button('Actions for this experiment').click();
    const removal = page.getByRole('menuitem', { name: 'Delete…' });
    expect([await removal.isDisabled(), await removal.getAttribute('title')]).toEqual([
      true,
      'Needs the role administrator',
    ]);
    expect(await page.getByRole('menuitem', { name: 'Copy with its set-up…' }).isEnabled()).toBe(true);
    await takePicture(page, 'operator');
    await page.keyboard.press('Escape');
    await button(/^Account:/).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn('olga', 'seven white cats');
    await button('Account: olga, viewer').waitFor();
    await page.getByText('Viewing only').waitFor();
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'viewer-phone');
    await page.setViewportSize(desktop);
    const stop = button('Stop').first();
    expect([await stop.isDisabled(), await stop.getAttribute('title')]).toEqual([true, 'Needs the role operator']);
    // What a viewer may not do is not offered.
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Page, experiment, unit or command' });
    const options = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    await field.fill('no');
    await options.filter({ hasText: 'Now' }).first().waitFor();
    expect(await options.filter({ hasText: 'Add a note' }).count()).toBe(0);
    await field.fill('s');
    await options.filter({ hasText: 'Settings' }).first().waitFor();
    expect(await options.filter({ hasText: /^(Stop|Start|Assign)/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Experiments' }).first().click();
    expect(await button('New experiment').getAttribute('title')).toBe('Needs the role operator');
  });
});
