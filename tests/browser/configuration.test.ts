import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

  const textOf = (name: string) => page.getByRole('textbox', { name, exact: true });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  const showText = () => page.getByRole('tab', { name: 'Text' }).click();
  const saved = () => page.getByText(/\bSaved\./).waitFor();
  const own = () => leader.client.getSpecificConfig({ params: { reactor_unit: 'lead' } });

  it('is edited in the form and in the text, with differences and faults in place; an earlier version comes back', async () => {
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await page.goto(leader.url);
    await page.getByRole('link', { name: 'Settings' }).click();
    const before = await leader.client.getSharedConfig();
    const differences = page.getByRole('region', { name: 'Differs from the default' });
    await differences.waitFor();
    expect(await differences.textContent()).not.toContain('Stirring');
    const speed = page.getByRole('textbox', { name: 'Initial target RPM' });
    expect(await speed.count()).toBe(0);
    await page.getByRole('textbox', { name: 'Find a setting' }).fill('target rpm');
    await expect.poll(() => speed.inputValue()).toBe('500');
    expect(await accessibilityFindings(page)).toEqual([]);

    await speed.fill('9000');
    await page.getByText('Must be a number, at least 0 and at most 1500.', { exact: true }).waitFor();
    await takePicture(page, 'config-form-fault');
    await save();
    await page.getByText('Not saved', { exact: true }).waitFor();
    const line = before.slice(0, before.indexOf('initial_target_rpm')).split('\n').length;
    await page.getByRole('button', { name: `Line ${line}, column 20` }).click();
    await expect.poll(() => page.locator('.cm-activeLine').first().textContent()).toBe('initial_target_rpm=9000');
    await page.locator('.cm-lintRange-error').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'config-text-fault');

    // The text and the form are two views of one draft.
    await page.keyboard.press('End');
    for (const _ of '9000') await page.keyboard.press('Backspace');
    await page.keyboard.type('450');
    const changes = page.getByRole('region', { name: 'Changes that are not saved' });
    await changes.getByText('1 line added, 1 removed').waitFor();
    await expect.poll(() => changes.locator('tr[data-kind="added"]').textContent()).toContain('initial_target_rpm=450');
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByRole('textbox', { name: 'Find a setting' }).fill('target rpm');
    expect(await speed.inputValue()).toBe('450');
    await page.getByRole('row', { name: 'Stirring – Initial target RPM 450 500' }).waitFor();
    await save();
    await saved();
    const after = before.replace('initial_target_rpm=500', 'initial_target_rpm=450');
    expect(await leader.client.getSharedConfig()).toBe(after);
    await page.getByText('rx01 (offline)').waitFor();
    await takePicture(page, 'config-form');

    await leader.client.saveSharedConfig({ body: { code: before, author: 'Ada' } });
    const versions = page.getByRole('region', { name: 'Earlier versions' });
    await versions.getByText('by Ada').waitFor();
    await versions.getByRole('button', { name: 'Compare' }).nth(1).click();
    await versions.getByText('1 line added, 1 removed').waitFor();
    await takePicture(page, 'config-history');
    await versions.getByRole('button', { name: 'Load this version' }).nth(1).click();
    await expect.poll(() => speed.inputValue()).toBe('450');
    // The other way back, to the default of one key, while the save is not answered: it is kept.
    const answers = Promise.withResolvers<void>();
    await page.route('**/api/config/shared', async (route) => {
      const answer = await route.fetch();
      await answers.promise;
      await route.fulfill({ response: answer });
    });
    await save();
    await expect.poll(() => leader.client.getSharedConfig()).toBe(after);
    await page.getByRole('button', { name: 'Reset Stirring – Initial target RPM' }).click();
    await expect.poll(() => changes.locator('tr[data-kind="added"]').count()).toBe(0);
    answers.resolve();
    await changes.getByText('1 line added, 1 removed').waitFor();
    expect(await page.getByText('Another person has saved').count()).toBe(0);
    // Waits for requests that are under way.
    await page.unrouteAll({ behavior: 'wait' });
    await save();
    await expect.poll(() => leader.client.getSharedConfig()).toBe(before);
    expect(seen.foreign).toEqual([]);
    // The browser logs the refused request.
    expect(seen.errors).toEqual([expect.stringContaining('400')]);
  });

  it('of 300 lines is read and edited to its last line, by mouse and by keyboard, with line numbers', async () => {
    const long = `# ${'x'.repeat(200)}`;
    const lines = ['[stirring.config]', long, ...Array.from({ length: 297 }, (_, index) => `# line ${index + 3}`)];
    const code = `${lines.join('\n')}\ninitial_target_rpm=450`;
    await leader.client.saveSpecificConfig({ params: { reactor_unit: 'lead' }, body: { code } });
    await page.goto(`${leader.url}/config?unit=lead`);
    await showText();
    const text = textOf('Configuration of lead');
    await text.waitFor();
    /** The last drawn line: its text, the number beside it, and whether it can be seen. */
    const lastLine = () =>
      page.evaluate<{ text: string; number: string; isSeen: boolean }>(`(() => {
        const line = [...document.querySelectorAll('.cm-line')].at(-1);
        const { left, top, bottom, height } = line.getBoundingClientRect();
        const middle = top + height / 2;
        const numbers = [...document.querySelectorAll('.cm-lineNumbers .cm-gutterElement')];
        const beside = numbers.find((each) => {
          const box = each.getBoundingClientRect();
          return box.height > 0 && box.top <= middle && middle <= box.bottom;
        });
        const frame = document.querySelector('.cm-scroller').getBoundingClientRect();
        return {
          text: line.textContent,
          number: beside?.textContent ?? '',
          isSeen: top >= frame.top && bottom <= frame.bottom + 1 && bottom <= innerHeight,
        };
      })()`);
    expect((await lastLine()).isSeen).toBe(false);

    await text.hover({ position: { x: 100, y: 100 } });
    for (let turn = 0; turn < 40 && !(await lastLine()).isSeen; turn += 1) await page.mouse.wheel(0, 500);
    const end = { text: 'initial_target_rpm=450', number: '300', isSeen: true };
    await expect.poll(lastLine).toEqual(end);
    await takePicture(page, 'config-wheel');
    // A click on the last line, then typing, goes to the last line.
    await page.locator('.cm-line').last().click();
    await page.keyboard.press('End');
    await page.keyboard.type('0');
    await expect.poll(lastLine).toEqual({ ...end, text: 'initial_target_rpm=4500' });
    await page.keyboard.press('Backspace');

    await page.keyboard.press('Control+Home');
    await expect.poll(async () => (await lastLine()).isSeen).toBe(false);
    await page.keyboard.press('Control+End');
    await expect.poll(lastLine).toEqual(end);
    await page.keyboard.type('\n# end');
    await expect.poll(lastLine).toEqual({ text: '# end', number: '301', isSeen: true });
    // The keyboard leaves the editor.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(`document.activeElement.closest('.cm-editor') === null`)).toBe(true);
    await save();
    await saved();
    expect(await own()).toBe(`${code}\n# end`);
    // On the phone too.
    await page.setViewportSize(phone);
    await text.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+End');
    await expect.poll(lastLine).toEqual({ text: '# end', number: '301', isSeen: true });
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await takePicture(page, 'config-phone');
  });

  it('of one unit does not overwrite the change of another person without a confirmation', async () => {
    await page.goto(`${leader.url}/config?unit=lead`);
    await page.getByRole('textbox', { name: 'Find a setting' }).fill('target rpm');
    await page.getByRole('textbox', { name: 'Initial target RPM' }).fill('450');
    const theirs = '[resume]\nstirring=hold\n';
    await leader.client.saveSpecificConfig({ params: { reactor_unit: 'lead' }, body: { code: theirs } });
    await page.getByText('Another person has saved this file').first().waitFor();
    await save();
    const asked = page.getByRole('dialog', { name: 'Not saved: another person has saved this file' });
    await asked.getByText('From their version to yours').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'config-conflict');
    await asked.getByRole('button', { name: 'Load the saved version' }).click();
    await page.getByRole('button', { name: 'Load my changes again' }).click();
    expect(await own()).toBe(theirs);
    // To another file only after a question, because the changes would be lost.
    await page.getByRole('link', { name: 'Alarms' }).click();
    await page.getByRole('button', { name: 'Stay' }).click();

    await leader.client.saveSpecificConfig({ params: { reactor_unit: 'lead' }, body: { code: `${theirs}# more\n` } });
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await saved();
    expect(await own()).toContain('=450');
  });
});
