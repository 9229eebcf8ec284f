import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, phone, takePicture, watch } from './browser.ts';

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
    const versions = page.getByRole('button', { name: 'Open this version' });
    const { length } = await leader.client.listSharedConfigHistory();
    await expect.poll(() => versions.count()).toBe(length);
    await versions.nth(1).click();
    await expect.poll(() => shared.inputValue()).toBe(after);
    await save();
    await expect.poll(() => leader.client.getSharedConfig()).toBe(after);
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
    const own = field('Configuration of lead');
    await own.waitFor();
    await expect.poll(() => own.inputValue()).toBe(code);
    const picture = (name: string): Promise<void> => takePicture(page, `config-${name}`);
    /** Where the last line of the text and its number are, and what of them can be seen. */
    const lastLine = () =>
      page.evaluate<{ text: number; number: number; isSeen: boolean; isOwnScroll: boolean }>(`(() => {
        const text = document.querySelector('textarea');
        const numbers = text.previousElementSibling;
        const frame = text.parentElement.getBoundingClientRect();
        const bottomOf = (element) => element.getBoundingClientRect().bottom - parseFloat(getComputedStyle(element).paddingBottom);
        const [x, y] = [text.getBoundingClientRect().left + 40, bottomOf(text) - 10];
        return {
          text: Math.round(bottomOf(text)),
          number: Math.round(bottomOf(numbers)),
          isSeen: y > frame.top && y < frame.bottom && document.elementFromPoint(Math.max(x, frame.left + 60), y) === text,
          isOwnScroll: text.scrollTop !== 0 || text.scrollHeight > text.clientHeight || text.scrollWidth > text.clientWidth,
        };
      })()`);
    const atEnd = async () => {
      const { text, number, ...seen } = await lastLine();
      return { ...seen, apart: Math.abs(text - number) <= 1 };
    };
    const wanted = { isSeen: true, isOwnScroll: false, apart: true };
    expect((await lastLine()).isSeen).toBe(false);

    await own.hover({ position: { x: 100, y: 100 } });
    for (let turn = 0; turn < 40 && !(await lastLine()).isSeen; turn += 1) await page.mouse.wheel(0, 500);
    await expect.poll(atEnd).toEqual(wanted);
    await picture('wheel');
    // A click on the last line, then typing, goes to the last line.
    const box = await own.boundingBox();
    if (box === null) throw new Error('The text has no place.');
    await page.mouse.click(box.x + 200, box.y + box.height - 18);
    await page.keyboard.press('End');
    await page.keyboard.type('0');
    expect(await own.inputValue()).toBe(`${code}0`);

    // The end of the long line is far to the right; the beginning of a line does not rest below the numbers.
    const sideways = () => page.evaluate<number>(`document.querySelector('textarea').parentElement.scrollLeft`);
    await page.keyboard.press('Control+Home');
    await expect.poll(async () => (await lastLine()).isSeen).toBe(false);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await expect.poll(sideways).toBeGreaterThan(100);
    await page.keyboard.press('Home');
    await expect.poll(sideways).toBe(0);
    await page.keyboard.press('Control+End');
    await expect.poll(atEnd).toEqual(wanted);
    await page.keyboard.press('Backspace');
    await page.keyboard.type('\n# end');
    await expect.poll(atEnd).toEqual(wanted);
    await picture('keyboard');
    await save();
    await page.getByText('Saved. Running jobs keep').waitFor();
    expect(await leader.client.getSpecificConfig({ params: { reactor_unit: 'lead' } })).toBe(`${code}\n# end`);
    // On the phone too.
    await page.setViewportSize(phone);
    await own.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+End');
    await expect.poll(atEnd).toEqual({ ...wanted });
    await picture('phone');
  });

  it('of one unit does not overwrite the change of another person without a confirmation', async () => {
    await page.goto(`${leader.url}/config?unit=lead`);
    const own = field('Configuration of lead');
    await own.fill('[stirring.config]\ninitial_target_rpm=450\n');
    const theirs = '[resume]\nstirring=hold\n';
    await leader.client.saveSpecificConfig({ params: { reactor_unit: 'lead' }, body: { code: theirs } });
    await page.getByText('Another person has saved this file').waitFor();
    await save();
    await expect.poll(() => leader.client.getSpecificConfig({ params: { reactor_unit: 'lead' } })).toBe(theirs);
    await page.getByRole('button', { name: 'Overwrite with my version' }).click();
    await page.getByText('Saved. Running jobs keep').waitFor();
    expect(await leader.client.getSpecificConfig({ params: { reactor_unit: 'lead' } })).toContain('=450');
  });
});
