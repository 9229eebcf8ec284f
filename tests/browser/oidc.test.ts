import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LeaderUnderTest, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OidcProvider, oidcSection } from '../oidc-provider.ts';
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

describe.skipIf(!hasBrowser())('the sign-in with an institution in a browser', () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let leader: LeaderUnderTest;
  let provider: OidcProvider;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  beforeAll(async () => {
    browser = await openBrowser();
    provider = await OidcProvider.start();
    folder = await temporaryFolder('leader');
    await writeFile(join(folder.path, 'leader.ini'), oidcSection(provider.issuer));
    leader = await startLeader({ dataFolder: folder.path });
    await leader.client.createPerson({
      body: { name: 'ada', role: 'administrator', password: 'three brown horses' },
    });
    page = await browser.newPage({ viewport: desktop });

    seen = watch(page, leader.url);
    await page.goto(leader.url);
  });
  afterAll(async () => {
    await page?.close();
    await leader?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('leads to the provider and back, with the role of the group', async () => {
    await button('Sign in with Institute').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'sign-in-provider');
    provider.claims = { sub: '7', preferred_username: 'otto', groups: ['lab'] };
    await button('Sign in with Institute').click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await button('Account: otto, operator').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(new Set(seen.foreign.map((url) => new URL(url).origin))).toEqual(new Set([provider.issuer]));
  });

  it('shows why somebody is refused, and when the provider is away', async () => {
    await button('Account: otto, operator').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    provider.claims = { sub: '8', preferred_username: 'eve', groups: ['others'] };
    await button('Sign in with Institute').click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByText('eve may not use this leader.').waitFor();
    expect(page.url()).not.toContain('code=');
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'refused-phone');
    await button('Sign in with Institute').click();
    const back = (await page.getByRole('link', { name: 'Continue' }).getAttribute('href')) ?? '';
    await provider.close();
    await page.goto(back);
    await page.getByText('The sign-in of the institution does not answer.').waitFor();
    // In another tab nobody ends a sign-in that was not begun there.
    const other = await browser.newPage();
    await other.goto(back);
    await other.getByText('The sign-in with the institution failed.').waitFor();
    await other.close();
  });
});
