import { realClock } from '@lcs/platform';
import { startDemoProcess, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktop, hasBrowser, openBrowser, takePicture } from './browser.ts';

const patience = { timeout: 60_000 };

/** The leader and its unit are a separate process, which the tests freeze and kill. */
describe.skipIf(!hasBrowser())('the web UI when its leader stops responding', () => {
  const clock = realClock();
  let browser: Browser;
  let folder: TemporaryFolder;
  let demo: Awaited<ReturnType<typeof startDemoProcess>>;
  let page: Page;
  let unitPage: Page;
  let nowPage: Page;
  let card: Locator;
  const picture = (name: string): Promise<void> => takePicture(page, `dead-leader-${name}`);
  /** Everything that is shown as current. */
  const current = (on = page) =>
    on.evaluate<readonly string[]>(`[
      ...document.querySelectorAll(
        '[data-liveness=online], [data-phase=on], [data-old=false], [data-activity=running], [data-waiting]',
      ),
    ].map((element) => element.textContent)`);
  const shownText = () => page.locator('body').innerText();
  const within = async (limitMs: number, isSo: () => Promise<boolean>): Promise<number> => {
    const beganMs = performance.now();
    while (!(await isSo())) {
      if (performance.now() - beganMs > limitMs) return Number.POSITIVE_INFINITY;
      await clock.sleep(50);
    }
    return performance.now() - beganMs;
  };
  const isLive = async () => (await card.getByText('Online').count()) === 1;

  beforeAll(async () => {
    folder = await temporaryFolder('dead-leader');
    demo = await startDemoProcess({ dataFolder: folder.path, units: 1, pastHours: 2 });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: desktop });
    card = page.locator('[data-unit=unit1]');
    await page.goto(`${demo.url}/experiments/yeast-batch-demo/units`);
    await card.getByText('Online').waitFor(patience);
    await card.locator('[data-job=stirring]').getByText('On', { exact: true }).waitFor(patience);
    unitPage = await browser.newPage({ viewport: desktop });
    await unitPage.goto(`${demo.url}/units/unit1`);
    await unitPage.getByText('On', { exact: true }).first().waitFor(patience);
    nowPage = await browser.newPage({ viewport: desktop });
    await nowPage.goto(demo.url);
    await nowPage.locator('[data-unit=unit1]').getByText('Stirring', { exact: true }).first().waitFor(patience);
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await unitPage?.close();
    await nowPage?.close();
    await browser?.close();
    await demo?.kill('SIGKILL');
    await folder?.[Symbol.asyncDispose]();
  });

  it('marks all values as last known within 5 s of a freeze, and as current when the leader continues', async () => {
    demo.child.kill('SIGSTOP');
    const tookMs = await within(15_000, async () => (await current()).length === 0);
    await picture('frozen');
    demo.child.kill('SIGCONT');
    // The last response may have been a moment before the freeze; the limit counts from it.
    expect(tookMs).toBeLessThan(6_000);
    expect(await within(40_000, isLive)).toBeLessThan(40_000);
    // The states of units and of jobs come one after the other.
    await expect.poll(() => page.getByText(/last known/i).count(), { timeout: 60_000 }).toBe(0);
  }, 150_000);

  it('marks all values as last known within 5 s of its kill, with one fixed time', async () => {
    await demo.kill('SIGKILL');
    expect(await within(15_000, async () => (await current()).length === 0)).toBeLessThan(5_500);
    expect(await within(3_000, async () => (await current(unitPage)).length === 0)).toBeLessThan(3_000);
    await card.getByText(/^Last known \d\d:\d\d$/).waitFor();
    await page.getByText(/the leader has not responded since then/).waitFor();
    await page.getByText(/^Running at \d\d:\d\d$/).waitFor();
    await nowPage.getByRole('heading', { level: 1, name: /^Last known \d\d:\d\d: 1 unit running/ }).waitFor();
    await nowPage
      .locator('[data-unit=unit1] [data-past]')
      .getByText(/^Stirring: on at \d\d:\d\d$/)
      .waitFor();
    expect(await current(nowPage)).toEqual([]);
    const stirring = card.locator('[data-job=stirring]');
    const isEnabled = (name: RegExp) => stirring.getByRole('button', { name }).isEnabled();
    expect(await Promise.all([/^Pause/, /^Target stir RPM/, /^Stop/].map(isEnabled))).toEqual([false, false, true]);
    await picture('dead');
    const known = /last known \d\d:\d\d/i.exec(await shownText())?.[0].toLowerCase();
    // Everything counts as last known from 3 s on; the age of the data grows past 4 s a moment later.
    expect(await within(6_000, async () => !/data [0-4] s old/.test(await shownText()))).toBeLessThan(6_000);
    // Longer than the pause between requests: a request without a response does not make data current.
    for (let second = 0; second < 24; second += 1) {
      const text = await shownText();
      expect(text).not.toMatch(/data [0-4] s old|up to date|\bOnline\b/);
      const times = new Set(text.toLowerCase().match(/last known \d\d:\d\d/g));
      expect([...times]).toEqual([known]);
      await clock.sleep(1_000);
    }
    await picture('dead-later');
  }, 90_000);
});
