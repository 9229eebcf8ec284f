import type { LeaderNodeOptions } from '@lcs/cluster';
import { VirtualClock } from '@lcs/platform';
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

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const hourMs = 3_600_000;
const readingCount = 60;
const stepMs = 600_000;
const patience = { timeout: 30_000 };
const replicates = { rx01: 0.1, rx02: 0.12, rx03: 0.3, rx04: 0.34 } as const;
/** It ends early. */
const lastHourOfRx04 = 6;
/** One more than a request computes. */
const many = Array.from({ length: 25 }, (_, index) => `many${index + 1}`);
const growthPerH = 0.5;

interface Newest {
  readonly y: number;
}

describe.skipIf(!hasBrowser())('replicates and growth curves', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  let write: History['write'];

  /** Readings of some units over ten hours, until now: few, as each curve is fitted. */
  const store = async (experiment: string, values: Readonly<Record<string, (hour: number) => number | null>>) => {
    const uid = String(leader.storedRows('experiments').find(({ name }) => name === experiment)?.uid);
    const place = { experimentUid: uid, source: 'od', channel: '2', angle: 90, derivation: null };
    const startMs = leader.clock.now() - readingCount * stepMs;
    const readings = Object.values(values).flatMap((valueAt, series) =>
      Array.from({ length: readingCount }, (_, index) => {
        const value = valueAt((index * stepMs) / hourMs);
        return value === null ? [] : [{ series, at: startMs + index * stepMs, value }];
      }).flat(),
    );
    await write({
      series: Object.keys(values).map((unit) => ({ ...place, unit })),
      readings,
      nowMs: leader.clock.now(),
    });
  };
  const charts = (title: string) => page.getByRole('slider', { name: new RegExp(`^${RegExp.escape(title)}`) });
  const newestOf = async (index = 0): Promise<Readonly<Record<string, Newest>>> =>
    JSON.parse((await charts('OD (AU)').nth(index).getAttribute('data-newest')) ?? '{}');
  /** In how many quarters of the drawn hours the lines of the first chart have a point. */
  const drawnQuarters = (): Promise<unknown> =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('[role=slider] canvas[data-layer]');
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      const isDrawn = (_, x) => Array.from({ length: height }, (_, y) => data[4 * (y * width + x) + 3]).some((alpha) => alpha > 0);
      const columns = Array.from({ length: width }, isDrawn);
      const first = columns.indexOf(true);
      if (first < 0) return 0;
      const quarter = Math.ceil((width - first) / 4);
      const has = (each) => columns.slice(first + each * quarter, first + (each + 1) * quarter).includes(true);
      return [0, 1, 2, 3].filter(has).length;
    })()`);
  const arrange = (name: string) =>
    page.getByRole('radiogroup', { name: 'Arrangement of the charts' }).getByText(name, { exact: true }).click();

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({
      clock: new VirtualClock({ startMs: Date.now() }),
      configure: {
        extend: ({ history }) => {
          write = history.write;
          return [];
        },
      },
    });
    for (const experiment of ['strains', 'many']) await leader.client.createExperiment({ body: { experiment } });
    await leader.editStore((store) => store.exec('update experiments set created_at = created_at - 86400000'));
    for (const reactor_unit of Object.keys(replicates)) {
      await leader.client.registerWorker({ body: { reactor_unit } });
      await leader.client.assignWorker({ params: { experiment: 'strains' }, body: { reactor_unit } });
    }
    const constant = Object.entries(replicates).map(([unit, value]) => {
      const endH = unit === 'rx04' ? lastHourOfRx04 : Number.POSITIVE_INFINITY;
      return [unit, (hour: number) => (hour <= endH ? value : null)] as const;
    });
    await store('strains', Object.fromEntries(constant));
    const logistic = (hour: number) => 1 / (1 + Math.exp(4 - growthPerH * hour));
    await store('many', Object.fromEntries(many.map((unit) => [unit, logistic])));
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  }, 60_000);
  afterAll(async () => {
    await page?.close();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('are put into groups by keyboard; a unit changes its group, and an empty group goes', async () => {
    await page.goto(`${leader.url}/experiments/strains/setup`);
    const group = async (unit: string, name: string): Promise<void> => {
      const field = page.getByRole('combobox', { name: `Replicate group of ${unit}` });
      await field.fill(name);
      await field.press('Tab');
    };
    const saved = () => leader.client.listReplicateGroups({ params: { experiment: 'strains' } });
    await group('rx01', 'wild type');
    // Another name is typed while the answer to the first one is on its way.
    const answerMayArrive = Promise.withResolvers<void>();
    await page.route('**/replicate_groups', async (route) => {
      const response = await route.fetch();
      await answerMayArrive.promise;
      await route.fulfill({ response });
    });
    const answered = page.waitForResponse((response) => /other/.test(response.request().postData() ?? ''));
    await group('rx02', 'other');
    await expect.poll(saved).toHaveLength(2);
    const field = page.getByRole('combobox', { name: 'Replicate group of rx02' });
    await field.fill('wild type');
    answerMayArrive.resolve();
    await (await answered).finished();
    await page.unrouteAll({ behavior: 'wait' });
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await field.inputValue()).toBe('wild type');
    await field.press('Tab');
    await group('rx03', 'mutant');
    await group('rx04', 'mutant');
    await expect.poll(saved).toEqual([
      { name: 'wild type', units: ['rx01', 'rx02'] },
      { name: 'mutant', units: ['rx03', 'rx04'] },
    ]);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
  });

  it('are drawn as one small chart for each unit, and as means of groups with their figures', async () => {
    await page.goto(`${leader.url}/experiments/strains/overview`);
    await charts('OD (AU)').first().waitFor(patience);
    await expect.poll(async () => Object.keys(await newestOf()), patience).toHaveLength(4);
    // The picture of the lines is whole after each change of the kind of time.
    await expect.poll(drawnQuarters, patience).toBe(4);
    for (const time of ['Elapsed', /^Clock/]) {
      await page.getByRole('radiogroup', { name: 'Time on the charts' }).getByText(time).click();
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      expect(await drawnQuarters()).toBe(4);
    }
    await arrange('Per unit');
    await expect.poll(() => charts('OD (AU)').count(), patience).toBe(4);
    for (const [index, value] of Object.values(replicates).entries())
      await expect.poll(async () => Object.values(await newestOf(index)).map(({ y }) => y), patience).toEqual([value]);
    await takePicture(page, 'per-unit');
    await arrange('Groups');
    await expect
      .poll(async () => Object.values(await newestOf()).map(({ y }) => y.toFixed(3)), patience)
      .toEqual(['0.110', '0.300']);
    // Where one unit ends, the mean is broken, and the pointer says why.
    const chart = charts('OD (AU)').first();
    await chart.focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowLeft');
        return chart.getAttribute('aria-valuetext');
      }, patience)
      .toMatch(/mutant \(n = 1–2\).*mean of 2 units until .*, of 1 since/);
    await takePicture(page, 'groups-broken');
    expect(page.url()).toContain('arrange=groups');
    // The legend has groups, and hides all units of one.
    await page
      .getByRole('button', { name: /mutant/ })
      .first()
      .click();
    await expect.poll(async () => Object.keys(await newestOf()), patience).toHaveLength(1);
    await takePicture(page, 'groups');
    await page.reload();
    await expect.poll(async () => Object.keys(await newestOf()), patience).toHaveLength(1);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize(desktop);
  }, 60_000);

  it('of more units than one request computes are computed on demand, in a task', async () => {
    await page.goto(`${leader.url}/compare?e=many`);
    const compute = page.getByRole('button', { name: 'Compute curves' });
    await compute.first().waitFor(patience);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await takePicture(page, 'compute');
    await compute.first().dblclick();
    const table = page.getByRole('table', { name: 'Growth curves of groups' });
    const rate = table.getByRole('cell', { name: /n = 25$/ }).first();
    await rate.waitFor({ timeout: 60_000 });
    const found = Number.parseFloat(await rate.innerText());
    expect(found).toBeGreaterThan(0.8 * growthPerH);
    expect(found).toBeLessThan(1.1 * growthPerH);
    expect(await compute.count()).toBe(0);
    expect(seen.foreign).toEqual([]);
    await takePicture(page, 'computed');
  }, 90_000);
});
