import type { LeaderNodeOptions } from '@lcs/cluster';
import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, phone, takePicture } from './browser.ts';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const patience = { timeout: 30_000 };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** An experiment of three days, whose last reading is nine days old; its unit is gone. */
describe.skipIf(!hasBrowser())('the page of an ended experiment', () => {
  const nowMs = Date.now();
  const [fromMs, toMs] = [nowMs - 12 * dayMs, nowMs - 9 * dayMs];
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let write: History['write'];
  const picture = (name: string): Promise<void> => takePicture(page, `ended-${name}`);
  const newest = async (title: string): Promise<Readonly<Record<string, { readonly x: string }>>> => {
    const chart = page.getByRole('slider', { name: new RegExp(`^${RegExp.escape(title)}\\.`) });
    await chart.waitFor(patience);
    return JSON.parse((await chart.getAttribute('data-newest')) ?? '{}');
  };
  const charts = () => page.getByRole('region', { name: 'Charts' });
  const advice = () => page.getByText(/Start “|start their jobs here/).count();

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({
      configure: {
        clock: realClock(),
        extend: ({ history }) => {
          write = history.write;
          return [];
        },
      },
    });
    for (const experiment of ['unassigned', 'ended']) await leader.client.createExperiment({ body: { experiment } });
    for (const { name, uid } of leader.storedRows('experiments')) {
      const line = (source: string, channel: string | null, isDerived: boolean) => ({
        experimentUid: String(uid),
        unit: 'rx01',
        source,
        channel,
        angle: channel === null ? null : 90,
        derivation: isDerived ? { key: `growth ${name}`, name: 'growth_filter', version: '1', parameters: {} } : null,
      });
      const readings = Array.from({ length: 72 * 12 }, (_, index) => {
        const at = fromMs + (index + 1) * 300_000;
        return [
          { series: 0, at, value: 0.1 + 0.0005 * index },
          { series: 1, at, value: 0.2 },
        ];
      }).flat();
      await write({ series: [line('od', '2', false), line('growth_rate', null, true)], readings, nowMs });
    }
    await leader.editStore((database) => {
      database.exec(`update experiments set created_at = ${fromMs}`);
    });
    await leader.client.updateExperiment({
      params: { experiment: 'ended' },
      body: { ended_at: new Date(nowMs - 8 * dayMs).toISOString() },
    });
    page = await browser.newPage({ viewport: desktop });
  }, 90_000);
  afterAll(async () => {
    await page?.close();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it.each(['unassigned', 'ended'])(
    '%s: opens with its own time window, and without advice to start jobs',
    async (name) => {
      await page.goto(`${leader.url}/experiments/${name}`);
      await expect
        .poll(async () => (await newest('Growth rate (h⁻¹)')).rx01?.x, patience)
        .toBe(new Date(toMs).toISOString());
      expect(await charts().getByRole('radio', { name: 'All', exact: true }).isChecked()).toBe(true);
      expect(await advice()).toBe(0);
      // It does not last until now.
      await page
        .getByRole('definition')
        .getByText(/^3 d 0 h/)
        .first()
        .waitFor();
      await picture(name);
      expect(await accessibilityFindings(page)).toEqual([]);
      // Windows are counted back from its end.
      await charts().getByText('4 h', { exact: true }).click();
      await expect
        .poll(async () => (await newest('Growth rate (h⁻¹)')).rx01?.x, patience)
        .toBe(new Date(toMs).toISOString());
      expect(await advice()).toBe(0);
      await picture(`${name}-4h`);
      await page.setViewportSize(phone);
      await picture(`${name}-phone`);
      await page.setViewportSize(desktop);
    },
    90_000,
  );

  it('leads from a window without readings to the whole experiment', async () => {
    const window = new URLSearchParams({
      from: new Date(fromMs + 10_000).toISOString(),
      to: new Date(fromMs + 200_000).toISOString(),
    });
    await page.goto(`${leader.url}/experiments/ended/overview?${window}`);
    await charts()
      .getByText(/^Last reading /)
      .first()
      .waitFor(patience);
    expect(await advice()).toBe(0);
    await charts().getByRole('button', { name: 'Show whole experiment' }).first().click();
    await expect
      .poll(async () => (await newest('Growth rate (h⁻¹)')).rx01?.x, patience)
      .toBe(new Date(toMs).toISOString());
  }, 60_000);

  it('differs from the page of an experiment without readings, which explains what to do', async () => {
    await leader.client.createExperiment({ body: { experiment: 'new' } });
    await page.goto(`${leader.url}/experiments/new`);
    await page.getByText('No unit is assigned to this experiment').waitFor(patience);
    await page.getByRole('link', { name: 'Assign units' }).click();
    await page.getByText(/start their jobs here/).waitFor(patience);
  });
});
