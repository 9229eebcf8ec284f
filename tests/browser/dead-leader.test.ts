import { mkdir } from 'node:fs/promises';
import { realClock } from '@lcs/platform';
import { startDemoProcess, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktop, hasBrowser, openBrowser } from './browser.ts';

/** With `LCS_SCREENSHOTS=folder` each step leaves a picture to look at. */
const pictures = process.env.LCS_SCREENSHOTS;
const patience = { timeout: 60_000 };

/** The leader and its units are one process of their own here, which is frozen and killed under the page. */
describe.skipIf(!hasBrowser())('a page whose leader does not answer any more', () => {
  const clock = realClock();
  let browser: Browser;
  let folder: TemporaryFolder;
  let demo: Awaited<ReturnType<typeof startDemoProcess>>;
  let page: Page;
  const picture = async (name: string): Promise<void> => {
    if (!pictures) return;
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: `${pictures}/dead-leader-${name}.png` });
  };
  const card = (unit: string) => page.locator(`[data-unit=${unit}]`);
  /** All that passes for the present. */
  const present = () =>
    page.evaluate<readonly string[]>(`[
      ...document.querySelectorAll(
        '[data-liveness=online], [data-phase=on], [data-old=false], [data-activity=active], [data-waiting]',
      ),
    ].map((element) => element.textContent)`);
  const shown = () => page.locator('body').innerText();
  const within = async (limitMs: number, isSo: () => Promise<boolean>): Promise<number> => {
    const beganMs = performance.now();
    while (!(await isSo())) {
      if (performance.now() - beganMs > limitMs) return Number.POSITIVE_INFINITY;
      await clock.sleep(50);
    }
    return performance.now() - beganMs;
  };
  const isLive = async () => (await card('unit2').getByText('Online').count()) === 1;

  beforeAll(async () => {
    folder = await temporaryFolder('dead-leader');
    demo = await startDemoProcess({ dataFolder: folder.path, units: 2 });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: desktop });
    await page.goto(`${demo.url}/experiments/yeast-batch-demo`);
    for (const unit of ['unit1', 'unit2']) {
      await card(unit).getByText('Online').waitFor(patience);
      await card(unit).locator('[data-job=stirring]').getByText('On', { exact: true }).waitFor(patience);
    }
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await browser?.close();
    await demo?.kill('SIGKILL');
    await folder?.[Symbol.asyncDispose]();
  });

  it('shows all as last known within 5 s of a freeze, and as of now when it goes on', async () => {
    demo.child.kill('SIGSTOP');
    const tookMs = await within(15_000, async () => (await present()).length === 0);
    await picture('frozen');
    demo.child.kill('SIGCONT');
    // The last response may have been a moment before the freeze; the limit counts from it.
    expect(tookMs).toBeLessThan(6_000);
    expect(await within(40_000, isLive)).toBeLessThan(40_000);
    expect(await page.getByText(/last known/i).count()).toBe(0);
  }, 90_000);

  it('shows all as last known within 5 s of its death, with one time that stays', async () => {
    await demo.kill('SIGKILL');
    expect(await within(15_000, async () => (await present()).length === 0)).toBeLessThan(5_500);
    await card('unit1')
      .getByText(/^Last known \d\d:\d\d$/)
      .waitFor();
    await page.getByText(/the leader has not responded since then/).waitFor();
    await page.getByText(/^Active at \d\d:\d\d$/).waitFor();
    const stirring = card('unit1').locator('[data-job=stirring]');
    const isEnabled = (name: RegExp) => stirring.getByRole('button', { name }).isEnabled();
    expect(await Promise.all([/^Pause/, /^Target stir RPM/, /^Stop/].map(isEnabled))).toEqual([false, false, true]);
    await picture('dead');
    const known = /last known \d\d:\d\d/i.exec(await shown())?.[0].toLowerCase();
    // Everything counts as last known from 3 s on; the age of the data grows past 4 s a moment later.
    expect(await within(6_000, async () => !/data [0-4] s old/.test(await shown()))).toBeLessThan(6_000);
    // Longer than the page waits before it asks again: a question without an answer makes nothing younger.
    for (let second = 0; second < 24; second += 1) {
      const text = await shown();
      expect(text).not.toMatch(/data [0-4] s old|up to date|\bOnline\b/);
      const times = new Set(text.toLowerCase().match(/last known \d\d:\d\d/g));
      expect([...times]).toEqual([known]);
      await clock.sleep(1_000);
    }
    await picture('dead-later');
  }, 90_000);
});
