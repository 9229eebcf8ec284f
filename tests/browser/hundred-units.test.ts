import type { LeaderNodeOptions } from '@lcs/cluster';
import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desktop, hasBrowser, openBrowser, overflow, phone, takePicture, watch } from './browser.ts';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const experiment = 'hundred';
const names = Array.from({ length: 100 }, (_, index) => `rx${index + 1}`);
/** Complete units that answer; the others have readings, and are off. */
const answering = names.slice(0, 12);
const patience = { timeout: 60_000 };
const hours = 10;
const minuteMs = 60_000;

/**
 * What one view of a page may need, however many units there are. The matrix asks 39 times, and again for what it polls while a slow machine
 * draws it; a request for each unit would be a hundred more.
 */
const most = { requests: 70, elements: 9_000, canvases: 24 };

/** The web UI with 100 units of one experiment: how much it asks for and builds does not depend on the load of this machine. */
describe.skipIf(!hasBrowser())('a hundred units', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let write: History['write'];
  let seen: ReturnType<typeof watch>;
  let requests = 0;
  const units: UnitUnderTest[] = [];

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const matrix = () => page.getByRole('table', { name: 'Jobs of all units' });
  const cells = async (unit: string) => matrix().locator(`tr[data-unit=${unit}] td[data-phase]`).allInnerTexts();
  const open = async (path: string): Promise<void> => {
    await page.goto('about:blank');
    requests = 0;
    await page.goto(leader.url + path);
  };
  const size = async () => ({
    requests,
    elements: await page.evaluate<number>('document.querySelectorAll("*").length'),
    canvases: await page.evaluate<number>('document.querySelectorAll("canvas").length'),
  });
  const expectUsable = async (): Promise<void> => {
    const { requests: asked, elements, canvases } = await size();
    expect({
      requests: Math.max(asked, most.requests),
      elements: Math.max(elements, most.elements),
      canvases: Math.max(canvases, most.canvases),
    }).toEqual(most);
  };

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
    await leader.client.createExperiment({ body: { experiment } });
    const { models } = await leader.client.listModels();
    const model = models.find(({ is_legacy }) => !is_legacy);
    // In an order that no list may show.
    for (const reactor_unit of names.toReversed()) {
      await leader.client.registerWorker({
        body: { reactor_unit, ...(model && { model_name: model.model_name, model_version: model.model_version }) },
      });
      await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
    }
    const uid = String(leader.storedRows('experiments').find(({ name }) => name === experiment)?.uid);
    const nowMs = Date.now();
    const place = { experimentUid: uid, source: 'od', channel: '2', angle: 90, derivation: null };
    const readings = names.flatMap((_, series) =>
      Array.from({ length: hours * 30 }, (__, index) => ({
        series,
        at: nowMs - hours * 60 * minuteMs + (index + 1) * 2 * minuteMs,
        value: 0.05 + 0.002 * index + 0.001 * series,
      })),
    );
    await write({ series: names.map((unit) => ({ ...place, unit })), readings, nowMs });
    await leader.editStore((database) => {
      database.exec(`update experiments set created_at = ${nowMs - hours * 60 * minuteMs}`);
    });
    await leader.client.updateExperiment({ params: { experiment }, body: { description: 'A hundred cultures.' } });
    units.push(...(await Promise.all(answering.map((name) => startUnit({ name, leaderUrl: leader.url })))));
    page = await browser.newPage({ viewport: desktop });
    page.on('request', () => {
      requests += 1;
    });
    seen = watch(page, leader.url);
  }, 180_000);
  afterAll(async () => {
    await page?.close();
    await Promise.all(units.map((unit) => unit[Symbol.asyncDispose]()));
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('Now has a tile for each in natural order', async () => {
    await open('/');
    const tiles = page.locator('main [data-unit]');
    await expect.poll(() => tiles.count(), patience).toBe(100);
    expect(await tiles.evaluateAll((all) => all.map((tile) => tile.getAttribute('data-unit')))).toEqual(names);
    await expectUsable();
    await takePicture(page, 'hundred-now');
  }, 90_000);

  it('the matrix selects ranges, starts a job on all that are selected, and says which did not answer', async () => {
    await open(`/experiments/${experiment}/units`);
    const rows = matrix().locator('tbody tr[data-unit]');
    await expect.poll(() => rows.count(), patience).toBe(100);
    expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-unit')))).toEqual(names);
    await expectUsable();
    await page.getByRole('checkbox', { name: 'Select rx3', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select rx12', exact: true }).click({ modifiers: ['Shift'] });
    await page.getByText('10 units selected').waitFor(patience);
    requests = 0;
    await button('Start…').click();
    await page.getByRole('menuitem', { name: 'Stirring', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click(patience);
    for (const name of answering.slice(2))
      await expect.poll(async () => (await cells(name))[0], patience).toBe('500 RPM');
    expect((await cells('rx1'))[0]).toBe('·');
    // A broadcast is a request for each unit at most; nothing is read again for each of a hundred.
    expect(requests).toBeLessThanOrEqual(30);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select all units' }).check();
    await page.getByText('100 units selected').waitFor(patience);
    await takePicture(page, 'hundred-matrix');
  }, 120_000);

  it('the overview draws a small chart for each unit that is in view, and all of them in natural order', async () => {
    await open(`/experiments/${experiment}/overview`);
    await page.locator('main canvas').first().waitFor(patience);
    await takePicture(page, 'hundred-overview');
    await expectUsable();
    await page.getByText('Per unit', { exact: true }).click();
    const legend = page.getByRole('list', { name: 'Units on the charts' }).getByRole('button');
    await expect.poll(() => legend.count(), patience).toBe(100);
    expect((await legend.allInnerTexts()).map((text) => text.trim())).toEqual(names);
    await expect.poll(async () => (await size()).canvases, patience).toBeGreaterThan(0);
    await expectUsable();
    await takePicture(page, 'hundred-small');
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page), patience).toBeLessThanOrEqual(0);
    await page.setViewportSize(desktop);
  }, 90_000);

  it('one is found by its name, by keys alone', async () => {
    await page.keyboard.press('Control+k');
    await page.locator('input[role=combobox]:focus').waitFor(patience);
    await page.keyboard.type('rx77');
    await page.getByRole('option', { name: /^rx77/ }).first().waitFor(patience);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'rx77' }).waitFor(patience);
    expect(seen).toEqual({ foreign: [], errors: [] });
  }, 60_000);
});
