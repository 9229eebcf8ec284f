import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, watch } from './browser.ts';

describe.skipIf(!hasBrowser())('the configuration in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    leader = await startLeader({ clock: new VirtualClock({ startMs: Date.now() }) });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  });
  afterEach(async () => {
    await page.close();
    await leader[Symbol.asyncDispose]();
  });

  const field = (name: string) => page.getByRole('textbox', { name });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();

  it('is edited and saved; a mistake is shown at its line; an earlier version comes back', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await page.goto(leader.url);
    await page.getByRole('link', { name: 'Configuration' }).click();
    const shared = field('Shared configuration');
    await shared.waitFor();
    const before = await shared.inputValue();
    expect(before).toBe(await leader.client.getSharedConfig());
    expect(await accessibilityFindings(page)).toEqual([]);

    await shared.fill(before.replace('initial_target_rpm=500', 'initial_target_rpm=9000'));
    await save();
    const line = before.slice(0, before.indexOf('initial_target_rpm')).split('\n').length;
    await page.getByRole('button', { name: `Line ${line}, column 20` }).click();
    // Evaluated as text: the types of a page are not known here.
    const chosen = await page.evaluate<string>(
      '{ const { value, selectionStart, selectionEnd } = document.activeElement; value.slice(selectionStart, selectionEnd) }',
    );
    expect(chosen).toBe('initial_target_rpm=9000');

    const after = before.replace('initial_target_rpm=500', 'initial_target_rpm=450');
    await shared.fill(after);
    await save();
    await page.getByText('Saved. Running jobs keep').waitFor();
    expect(await leader.client.getSharedConfig()).toBe(after);
    await page.getByText('rx01 (offline)').waitFor();

    await leader.client.saveSharedConfig({ body: { code: before } });
    await page.getByRole('button', { name: 'Take into the editor' }).nth(1).click();
    await expect.poll(() => shared.inputValue()).toBe(after);
    await save();
    await expect.poll(() => leader.client.getSharedConfig()).toBe(after);
    expect(seen.foreign).toEqual([]);
    // The browser tells of the one answer that was a refusal.
    expect(seen.errors).toEqual([expect.stringContaining('400')]);
  });

  it('of one unit is not saved over what somebody else has saved meanwhile, unless that is wanted', async () => {
    await page.goto(`${leader.url}/config?unit=lead`);
    const own = field('Configuration of lead');
    await own.fill('[stirring.config]\ninitial_target_rpm=450\n');
    const theirs = '[resume]\nstirring=hold\n';
    await leader.client.saveSpecificConfig({ params: { reactor_unit: 'lead' }, body: { code: theirs } });
    await page.getByText('Somebody else has saved this file').waitFor();
    await save();
    await expect.poll(() => leader.client.getSpecificConfig({ params: { reactor_unit: 'lead' } })).toBe(theirs);
    await page.getByRole('button', { name: 'Save mine in its place' }).click();
    await page.getByText('Saved. Running jobs keep').waitFor();
    expect(await leader.client.getSpecificConfig({ params: { reactor_unit: 'lead' } })).toContain('=450');
  });
});
