import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Demo } from '@lcs/cluster';
import { createClient, hourMs, leaderApi, unitApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { startDemo, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPromise } from 'yauzl';
import {
  accessibilityFindings,
  clickAll,
  desktop,
  hasBrowser,
  openBrowser,
  phone,
  takePicture,
  watch,
} from './browser.ts';

const experiment = 'yeast-batch-demo';
const params = { experiment };
const patience = { timeout: 60_000 };
const address = `/experiments/${experiment}`;

/** Writes one line into the log: a step that is done at once. */
const profile = `experiment_profile_name: one line
version: "1.0"
common:
  jobs:
    stirring:
      actions:
        - {type: log, t: 0s, options: {message: the step of the test}}
`;

/** The files of a zip as text. */
async function filesOf(path: string): Promise<ReadonlyMap<string, string>> {
  const zip = await openPromise(path, { lazyEntries: true });
  const files = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  }
  return files;
}

/** The value of a date-time input. */
const localMoment = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

/** Whether something is drawn in the middle of a chart at a share of its width, on its layer of marks. */
const isDrawnAt = (page: Page, title: string, share: number): Promise<boolean> =>
  page.evaluate<boolean>(`(() => {
    const chart = [...document.querySelectorAll('[role=slider]')].find((each) => each.getAttribute('aria-label').startsWith(${JSON.stringify(title)}));
    const canvas = [...chart.querySelectorAll('canvas[data-layer]')].at(-1);
    const x = Math.round(${share} * canvas.width);
    const { data } = canvas.getContext('2d').getImageData(x - 2, canvas.height / 2, 5, 1);
    return data.some((value, index) => index % 4 === 3 && value > 0);
  })()`);

describe.skipIf(!hasBrowser())('timeline, charts and export of a cluster that doses', () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let demo: Demo;
  let page: Page;
  const clock = realClock();
  const client = () => createClient(leaderApi, { baseUrl: demo.url });
  const list = () => page.getByRole('region', { name: 'Timeline', exact: true });
  const rows = (kind: string) => list().locator(`li[data-kind=${kind}]`);
  const kinds = () => list().getByRole('group', { name: 'Kinds of entries' });
  const openTimeline = (search = '') => page.goto(`${demo.url}${address}/timeline${search}`);
  const parts = () => new URL(page.url()).searchParams;

  beforeAll(async () => {
    folder = await temporaryFolder('timeline');
    demo = await startDemo(folder.path, { units: 2, pastHours: 4 });
    const leader = client();
    await leader.createExperimentProfile({ body: { filename: 'line.yaml', body: profile } });
    await createClient(unitApi, { baseUrl: demo.url }).runJob({
      params: { job: 'experiment_profile' },
      body: { args: ['execute', 'line.yaml', experiment] },
    });
    const dose = { params: { reactor_unit: 'unit1', job: 'add_media', experiment }, body: { options: { ml: 0.5 } } };
    await waitForTask(demo.url, await leader.runWorkerJob(dose), { sleep: (ms) => clock.sleep(ms) });
    await leader.createNote({ params, body: { text: 'Looked at unit2', reactor_unit: 'unit2' } });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: desktop });
  }, 180_000);
  afterAll(async () => {
    await page?.close();
    await browser?.close();
    await demo?.stop();
    await folder?.[Symbol.asyncDispose]();
  });

  it('a dose and a step of a profile have a row each', async () => {
    const { errors } = watch(page, demo.url);
    await openTimeline();
    const dose = rows('dose').first();
    await dose.waitFor(patience);
    await expect.poll(() => dose.innerText(), patience).toMatch(/unit1\s+Dose: 0\.5\d* mL of medium in/);
    await rows('profile').first().waitFor(patience);
    expect((await rows('profile').allInnerTexts()).join('\n')).toMatch(/Profile “one line”: log stirring on 2 units/);
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'timeline');
    expect(errors).toEqual([]);
  }, 90_000);

  it('a row leads to its place on the charts, and back; a mark of a chart leads to its row', async () => {
    await openTimeline();
    await rows('dose')
      .first()
      .getByRole('button', { name: /: show on the charts$/ })
      .click(patience);
    await page.waitForURL(/\/overview\?/);
    const [from, to, at] = ['from', 'to', 'at'].map((part) => Date.parse(parts().get(part) ?? ''));
    const share = ((at ?? 0) - (from ?? 0)) / ((to ?? 0) - (from ?? 0));
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(1);
    const mark = page.getByRole('status').filter({ hasText: 'Marked on the charts' });
    await expect.poll(() => mark.innerText(), patience).toMatch(/Dose: 0\.5/);
    await page.getByRole('slider', { name: /^OD \(AU\)\./ }).scrollIntoViewIfNeeded(patience);
    await expect.poll(() => isDrawnAt(page, 'OD (AU).', share), patience).toBe(true);
    await takePicture(page, 'timeline-row-on-charts');
    expect(await accessibilityFindings(page)).toEqual([]);
    // A link shows it again.
    await page.reload();
    await page.getByRole('slider', { name: /^OD \(AU\)\./ }).scrollIntoViewIfNeeded(patience);
    await expect.poll(() => isDrawnAt(page, 'OD (AU).', share), patience).toBe(true);
    await page.getByRole('link', { name: 'Back to the timeline' }).click();
    await expect.poll(() => list().locator('[data-chosen]').innerText(patience), patience).toMatch(/Dose: 0\.5/);

    await page.goto(`${demo.url}${address}/overview?window=1h`);
    const chart = page.getByRole('slider', { name: /^OD \(AU\)\./ });
    await chart.scrollIntoViewIfNeeded(patience);
    // From the right edge: marks may come after the lines.
    const pointedAtDose = async (): Promise<boolean> => {
      await chart.blur();
      await chart.focus();
      for (let step = 0; step < 8; step += 1) {
        await page.keyboard.press('ArrowLeft');
        if (/Dose: 0\.5/.test((await chart.getAttribute('aria-valuetext')) ?? '')) return true;
      }
      return false;
    };
    await expect.poll(pointedAtDose, patience).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/timeline\?/);
    // What is marked may be several entries; the nearest is opened.
    await list().locator('[data-chosen]').waitFor(patience);
    await list().getByText('Around the chosen entry').click();
    await expect.poll(() => parts().has('entry')).toBe(false);
  }, 120_000);

  it('filters by time, kind, unit and person, each alone and all together, and says what to do without a match', async () => {
    await openTimeline();
    await rows('dose').first().waitFor(patience);
    const empty = () => list().getByText('Nothing matches these filters.');
    const all = () => list().getByRole('button', { name: 'Show all entries' });
    const count = () => list().locator('li[data-kind]').count();
    const shownKinds = async () => {
      const shown = list().locator('li[data-kind]');
      return [...new Set(await shown.evaluateAll((all) => all.map((row) => row.getAttribute('data-kind'))))];
    };
    const whole = await count();

    // Kinds.
    for (const name of ['Settings', 'Notes and samples', 'Alarms', 'Profiles', 'Interruptions', 'Starts, stops, units'])
      await kinds().getByText(name, { exact: true }).click();
    await expect.poll(() => parts().get('kinds')).toBe('dose');
    await expect.poll(shownKinds, patience).toEqual(['dose']);
    await kinds().getByText('Doses', { exact: true }).click();
    await list().getByText('Choose at least one kind of entry.').waitFor(patience);
    await all().click();
    await expect.poll(count, patience).toBeGreaterThanOrEqual(whole);
    expect([...parts().keys()]).toEqual([]);

    // Unit.
    await list().getByRole('combobox', { name: 'Unit' }).last().click();
    await page.getByRole('option', { name: 'unit2', exact: true }).click();
    await expect.poll(() => parts().get('about')).toBe('unit2');
    await expect.poll(() => rows('dose').count(), patience).toBe(0);
    await rows('note').getByText('Looked at unit2').waitFor(patience);

    // And kind: together.
    await openTimeline('?about=unit2&kinds=dose');
    await empty().waitFor(patience);
    await takePicture(page, 'timeline-empty');
    expect(await accessibilityFindings(page)).toEqual([]);
    await all().click();
    await rows('dose').first().waitFor(patience);

    // Person.
    const person = list().getByRole('combobox', { name: 'Person' });
    await person.fill('nobody');
    await empty().waitFor(patience);
    expect(parts().get('by')).toBe('nobody');
    await all().click();
    await expect.poll(() => person.inputValue()).toBe('');
    await person.fill('user');
    await expect.poll(() => parts().get('by')).toBe('user');
    const byOthers = list().locator('li[data-kind]').filter({ hasNotText: 'by somebody not signed in' });
    await expect.poll(() => byOthers.count(), patience).toBe(0);
    await rows('profile').getByText('Profile “one line” started').waitFor(patience);
    // Chosen, and not typed.
    await person.fill('');
    await expect.poll(() => parts().has('by')).toBe(false);
    await rows('note').first().waitFor(patience);
    await person.click();
    await page.getByRole('option', { name: 'somebody not signed in' }).click();
    await expect.poll(() => parts().get('by')).toBe('user');

    // Time.
    await openTimeline();
    const since = list().getByLabel(/^From \(/);
    // As while a year is typed.
    await since.fill('0202-05-02T09:14:05');
    await list()
      .getByLabel(/^To \(/)
      .fill(localMoment(Date.now() - 3 * hourMs));
    await expect.poll(() => parts().has('until')).toBe(true);
    expect([parts().has('since'), await since.inputValue()]).toEqual([false, '0202-05-02T09:14:05']);
    await since.fill(localMoment(Date.now() - 3 * hourMs));
    await list()
      .getByLabel(/^To \(/)
      .fill(localMoment(Date.now() - 2 * hourMs));
    await expect.poll(() => parts().has('since') && parts().has('until')).toBe(true);
    await expect.poll(() => rows('dose').count(), patience).toBe(0);
    await list()
      .getByLabel(/^To \(/)
      .fill('');
    await rows('dose').first().waitFor(patience);

    // All together, by a link.
    const now = new Date(Date.now() - hourMs).toISOString();
    await openTimeline(`?kinds=dose,note&about=unit1&by=user&since=${now}`);
    await rows('dose').first().waitFor(patience);
    expect(await list().locator('li:not([data-kind=dose])').count()).toBe(0);
    expect(await person.inputValue()).toBe('somebody not signed in');
    await page.setViewportSize(phone);
    await list().getByRole('button', { name: 'Filters' }).click();
    await takePicture(page, 'timeline-filters-phone');
    await page.setViewportSize(desktop);
  }, 180_000);

  it('choices that follow each other before the page is drawn again all count', async () => {
    await openTimeline();
    await rows('dose').first().waitFor(patience);
    await clickAll(kinds().getByRole('checkbox', { name: /^(Settings|Alarms)$/ }));
    await expect.poll(() => parts().get('kinds'), patience).toBe('dose,note,profile,interruption,action');

    await page.goto(`${demo.url}${address}/overview?window=1h`);
    const legend = page.getByRole('list', { name: 'Units on the charts' }).getByRole('button');
    await expect.poll(() => legend.count(), patience).toBe(2);
    await clickAll(legend);
    await expect.poll(() => parts().get('hidden'), patience).toBe('unit1,unit2');
    const scales = page.getByRole('button', { name: /^Log scale for / });
    await expect.poll(() => scales.count(), patience).toBe(2);
    await clickAll(scales);
    await expect.poll(() => parts().get('log')?.split(','), patience).toHaveLength(2);

    // The leader has not answered the first choice when the second one is made.
    const chosen = async () => (await client().getChartPreferences({ params })).overview_chart_keys;
    expect(await chosen()).toBe(null);
    await page.getByRole('button', { name: /^Charts: / }).click();
    const charts = page.getByRole('menuitemcheckbox');
    await charts.first().waitFor(patience);
    const ticked = charts.and(page.locator('[aria-checked=true]'));
    const before = await ticked.count();
    expect(before).toBeGreaterThan(2);
    await clickAll(ticked.filter({ hasText: /^(OD|Growth rate) \(/ }));
    await expect.poll(chosen, patience).toHaveLength(before - 2);
    await expect.poll(() => ticked.count(), patience).toBe(before - 2);
    await page.getByRole('menuitem', { name: 'Reset to default charts' }).click();
    await expect.poll(chosen, patience).toBe(null);
    await expect.poll(() => ticked.count(), patience).toBe(before);
  }, 120_000);

  it('two fingers zoom a chart, and move it without moving the page', async () => {
    const context = await browser.newContext({ viewport: phone, hasTouch: true, isMobile: true });
    const touched = await context.newPage();
    await touched.goto(`${demo.url}${address}/overview?window=4h`);
    const chart = touched.getByRole('slider', { name: /^OD \(AU\)\./ });
    await chart.scrollIntoViewIfNeeded(patience);
    await expect.poll(async () => (await chart.getAttribute('data-newest')) ?? '', patience).toContain('unit1');
    const over = chart.locator('.u-over');
    const devtools = await context.newCDPSession(touched);
    type Place = readonly [x: number, y: number];
    const touch = (type: string, places: readonly Place[]) =>
      devtools.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart' | 'touchMove' | 'touchEnd',
        touchPoints: places.map(([x, y], id) => ({ x, y, id })),
      });
    /** Moves fingers in steps from their first to their last places, in shares of the chart. */
    const gesture = async (from: readonly Place[], to: readonly Place[]): Promise<void> => {
      const box = await over.boundingBox();
      if (box === null) throw new Error('The chart is not drawn.');
      const at = (step: number): readonly Place[] =>
        from.map(([x, y], finger) => {
          const [toX, toY] = to[finger] ?? [x, y];
          return [box.x + box.width * (x + step * (toX - x)), box.y + box.height * (y + step * (toY - y))];
        });
      await touch('touchStart', at(0));
      for (let step = 0.1; step < 1.05; step += 0.1) await touch('touchMove', at(step));
      await touch('touchEnd', []);
    };
    const windowOf = () => {
      const search = new URL(touched.url()).searchParams;
      return { fromMs: Date.parse(search.get('from') ?? ''), toMs: Date.parse(search.get('to') ?? '') };
    };
    const width = () => windowOf().toMs - windowOf().fromMs;
    const scrolled = () => touched.evaluate<number>('scrollY');
    const before = await scrolled();
    // Apart: the window becomes narrower by as much.
    await gesture(
      [
        [0.4, 0.5],
        [0.6, 0.5],
      ],
      [
        [0.2, 0.5],
        [0.8, 0.5],
      ],
    );
    await expect.poll(width, patience).toBeGreaterThan(0);
    const narrow = windowOf();
    expect(width()).toBeLessThan(2 * hourMs);
    expect(width()).toBeGreaterThan(hourMs);
    // Both to the right: earlier times, the same width.
    await gesture(
      [
        [0.3, 0.5],
        [0.5, 0.5],
      ],
      [
        [0.6, 0.2],
        [0.8, 0.2],
      ],
    );
    await expect
      .poll(() => windowOf().fromMs, patience)
      .toBeLessThan(narrow.fromMs - 0.2 * (narrow.toMs - narrow.fromMs));
    expect(Math.abs(width() - (narrow.toMs - narrow.fromMs))).toBeLessThan(10_000);
    expect(await scrolled()).toBe(before);
    // Together again: a wider one.
    const moved = width();
    await gesture(
      [
        [0.2, 0.5],
        [0.8, 0.5],
      ],
      [
        [0.4, 0.5],
        [0.6, 0.5],
      ],
    );
    await expect.poll(width, patience).toBeGreaterThan(1.5 * moved);
    await takePicture(touched, 'pinched');
    // One finger upwards scrolls the page, and leaves the chart as it is.
    const wide = windowOf();
    await gesture([[0.5, 0.8]], [[0.5, -0.6]]);
    await expect.poll(scrolled, patience).not.toBe(before);
    expect(windowOf()).toEqual(wide);
    await context.close();
  }, 120_000);

  it('shows the pictures of a unit one after the other, and that of a marked moment', async () => {
    const leader = client();
    const ofUnit = { reactor_unit: 'unit1', experiment };
    const sleep = (ms: number) => clock.sleep(ms);
    const shared = await leader.getSharedConfig();
    await leader.saveSharedConfig({ body: { code: `${shared}\n[camera]\nenabled=1\nsnapshot_interval_minutes=0\n` } });
    const take = async () =>
      (await waitForTask(demo.url, await leader.takeStill({ params: ofUnit }), { sleep })).status;
    const taken = async () => (await leader.listStills({ params: ofUnit })).stills;
    await expect
      .poll(async () => {
        await take();
        return (await taken()).length;
      }, patience)
      .toBe(3);
    await page.goto(`${demo.url}/units/unit1`);
    await page.getByRole('button', { name: 'Earlier pictures' }).click(patience);
    const dialog = page.getByRole('dialog', { name: 'Pictures of unit1' });
    const status = dialog.getByRole('status');
    await status.getByText('picture 3 of 3').waitFor(patience);
    const picture = dialog.getByRole('img', { name: /unit1/ });
    const width = () => picture.evaluate((image: { readonly naturalWidth: number }) => image.naturalWidth);
    await expect.poll(width, patience).toBeGreaterThan(0);
    const newest = await picture.getAttribute('src');
    await dialog.getByRole('button', { name: 'Earlier', exact: true }).click();
    await status.getByText('picture 2 of 3').waitFor();
    expect(await picture.getAttribute('src')).not.toBe(newest);
    await page.keyboard.press('ArrowLeft');
    await status.getByText('picture 1 of 3').waitFor();
    expect(await dialog.getByRole('button', { name: 'Earlier', exact: true }).isDisabled()).toBe(true);
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'stills');
    await page.keyboard.press('Escape');

    const [, second] = await taken();
    await page.goto(`${demo.url}${address}/overview?entry=any&at=${second?.captured_at}`);
    await page.getByRole('button', { name: 'Pictures at this time' }).click(patience);
    await page.getByRole('menuitem', { name: 'Pictures of unit1' }).click();
    await status.getByText('picture 2 of 3').waitFor(patience);
    expect(await dialog.locator('time').getAttribute('datetime')).toBe(second?.captured_at);
  }, 120_000);

  it('an export has the columns that its preview has shown', async () => {
    await page.goto(`${demo.url}${address}/data`);
    const size = page.getByRole('region', { name: 'Size of the export' });
    const form = page.locator('form').filter({ has: size });
    await size.waitFor(patience);
    const names = ['Dosing events', 'Optical density', 'Notes'];
    const box = (name: string) => form.getByRole('checkbox', { name, exact: true });
    // Without any dataset the form would have no size.
    for (const name of names) await box(name).check(patience);
    await box('Unit activity data (recommended)').uncheck();
    await box('Event log').uncheck();
    const tabs = form.getByRole('tablist', { name: 'Preview of datasets' }).getByRole('tab');
    await expect.poll(() => tabs.allInnerTexts().then((found) => found.toSorted())).toEqual(names.toSorted());
    const previewed = new Map<string, readonly string[]>();
    for (const name of names) {
      await tabs.filter({ hasText: name }).click();
      const table = form.getByRole('region', { name: `Newest rows of ${name}` }).getByRole('table');
      await table.waitFor(patience);
      const columns = await table.locator('thead th code').allInnerTexts();
      const added = await form.getByRole('tabpanel').locator('p code').allInnerTexts();
      previewed.set(name, [...columns, ...added]);
      // Units beside the names, and the first rows.
      const heads = await table.locator('thead th').allInnerTexts();
      expect(heads.join('\n')).toMatch(/timestamp UTC/);
      if (name === 'Dosing events') expect(heads.join('\n')).toMatch(/ mL\b/);
      expect(await table.locator('tbody tr').count()).toBeGreaterThan(0);
    }
    await takePicture(page, 'export-preview');
    await form.getByRole('button', { name: 'Export', exact: true }).click();
    const link = form.getByRole('link', { name: 'Download the zip file' });
    const [download] = await Promise.all([page.waitForEvent('download', patience), link.click(patience)]);
    const path = join(folder.path, 'export.zip');
    await download.saveAs(path);
    const files = await filesOf(path);
    const headers = [...files].flatMap(([name, text]) =>
      name.endsWith('.csv') ? [(text.split(/\r?\n/)[0] ?? '').split(',').toSorted().join()] : [],
    );
    expect(headers.toSorted()).toEqual([...previewed.values()].map((columns) => columns.toSorted().join()).toSorted());
  }, 120_000);
});
