import { buffer } from 'node:stream/consumers';
import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  colourFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  stayWithTyped,
  takePicture,
  watch,
} from './browser.ts';

const experiment = 'yeast ramp 07';
const address = '/experiments/yeast%20ramp%2007';
const patience = { timeout: 30_000 };

interface Newest {
  readonly x: string;
  readonly y: number;
}

describe.skipIf(!hasBrowser())('the page of a running experiment', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let units: readonly UnitUnderTest[];
  let page: Page;
  let seen: ReturnType<typeof watch>;

  const job = async (name: string, options: Record<string, number | string> = {}): Promise<void> => {
    const params = { reactor_unit: '$broadcast', job: name, experiment };
    await leader.finished(await leader.client.runWorkerJob({ params, body: { options } }));
  };
  const unit = (name: string) => page.locator(`[data-unit=${name}]`);
  const openTab = (name: string) =>
    page.getByRole('navigation', { name: 'Parts of the experiment' }).getByRole('link', { name }).click();
  const chart = (title: string) => page.getByRole('slider', { name: new RegExp(`^${RegExp.escape(title)}\\.`) });
  const plotted = async (title: string): Promise<Readonly<Record<string, Newest>>> =>
    JSON.parse((await chart(title).getAttribute('data-newest')) ?? '{}');

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({ configure: { clock: realClock() } });
    await leader.client.createExperiment({ body: { experiment, description: '30 to 34 °C ramp', tags: ['yeast'] } });
    // Old enough for a window to be moved and zoomed in it.
    await leader.editStore((store) => store.exec('update experiments set created_at = created_at - 3600000'));
    const start = async (name: string): Promise<UnitUnderTest> => {
      await leader.client.registerWorker({ body: { reactor_unit: name } });
      const started = await startUnit({ name, leaderUrl: leader.url, configure: { clock: realClock() } });
      await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit: name } });
      return started;
    };
    units = [await start('rx01'), await start('rx02')];
    await leader.client.putUnitLabel({ params: { experiment }, body: { unit: 'rx02', label: 'salt stress' } });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
    await page.goto(leader.url + address);
  }, 90_000);
  afterAll(async () => {
    await page?.close();
    for (const each of units ?? []) await each[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const focused = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');

  it('shows what to do while there are no readings', async () => {
    await page.getByText('Start “OD reading” on a unit').waitFor(patience);
    await takePicture(page, 'running-empty');
    await openTab('Units');
    await unit('rx01').getByText('Online').waitFor(patience);
  });

  it('starts, adjusts, pauses and stops a job, and shows each state when the unit reports it', async () => {
    const row = unit('rx01').locator('[data-job=stirring]');
    await row.getByRole('button', { name: 'Start Stirring on rx01' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Target stir RPM' }).fill('9000');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByText('At most 1500 RPM.').waitFor();
    // However the dialog is left, it asks before what was entered is lost; its question keeps it, also by Escape.
    const question = page.getByRole('dialog', { name: 'Discard what you entered?' });
    const leaving = [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 400),
      () => page.goBack(),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
    ];
    for (const leave of leaving) {
      await leave();
      await question.waitFor();
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
    }
    await dialog.getByRole('textbox', { name: 'Target stir RPM' }).fill('400');
    await dialog.getByRole('button', { name: 'Start' }).press('Enter');
    await row.getByText('On', { exact: true }).waitFor(patience);
    // Whoever works by keyboard goes on where they were: at what has replaced the control.
    await expect.poll(focused, patience).toBe('Stop Stirring on rx01');
    await row.getByRole('button', { name: /Target stir RPM 400 RPM of rx01/ }).press('Enter');
    await page.getByRole('textbox', { name: 'Target stir RPM' }).fill('350');
    await page.keyboard.press('Enter');
    await row.getByText('350 RPM').waitFor(patience);
    await expect.poll(focused, patience).toBe('Target stir RPM 350 RPM of rx01: change');
    await row.getByRole('button', { name: 'Pause Stirring on rx01' }).press('Enter');
    await row.getByText('Paused', { exact: true }).first().waitFor(patience);
    await expect.poll(focused, patience).toBe('Resume Stirring on rx01');
    await row.getByRole('button', { name: 'Stop Stirring on rx01' }).press('Enter');
    await row.getByText('Off', { exact: true }).waitFor(patience);
    await expect.poll(focused, patience).toBe('Start Stirring on rx01');
    const running = await units[0]?.client.listRunningJobs();
    expect(running?.map(({ job_name }) => job_name)).not.toContain('stirring');

    // The next start proposes the values of the last run, with a way back to the default.
    await row.getByRole('button', { name: 'Start Stirring on rx01' }).click();
    const speed = dialog.getByRole('textbox', { name: 'Target stir RPM' });
    await expect.poll(() => speed.inputValue(), patience).toBe('350');
    await takePicture(page, 'running-last-used');
    await dialog.getByRole('button', { name: 'Target stir RPM: use the default' }).click();
    expect(await speed.inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Target stir RPM: use 350 RPM again' }).click();
    expect(await speed.inputValue()).toBe('350');
    // Nothing differs from the proposal: it closes without a question.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }, 90_000);

  it('draws live readings; the last point of each line is the newest reading of the leader', async () => {
    await job('stirring', { target_rpm: 500 });
    // Longer than a chart takes to draw a reading, so that it mostly has the newest one of the leader.
    await job('od_reading', { interval: 3 });
    await job('temperature_automation', { automation_name: 'only_record_temperature' });
    await openTab('Overview');
    await chart('OD (AU)').waitFor(patience);
    await expect.poll(async () => Object.keys(await plotted('OD (AU)')), patience).toHaveLength(2);
    for (const _ of ['once', 'and again later']) {
      const before = await plotted('OD (AU)');
      await expect.poll(async () => (await plotted('OD (AU)'))['rx01-2']?.x, patience).not.toBe(before['rx01-2']?.x);
      // The page and the response are read one after the other; a reading may come in between.
      await expect
        .poll(async () => {
          const { series, data } = await leader.client.getOdReadings({ params: { experiment } });
          const newest = Object.fromEntries(series.map((label, index) => [label, data[index]?.at(-1)]));
          return JSON.stringify(newest) === JSON.stringify(await plotted('OD (AU)'));
        }, patience)
        .toBe(true);
    }
    await takePicture(page, 'running-live');
  }, 90_000);

  it('lists the media of all units, and asks for the level of a bottle that has a size', async () => {
    await openTab('Setup');
    const table = page.getByRole('table', { name: 'Media used and left' });
    await page.getByText('Nothing was dosed yet.').waitFor(patience);
    const left = table.getByRole('textbox', { name: 'Medium left in the bottle of rx01' });
    const sizes = page.getByRole('link', { name: 'Set the sizes of bottles' });
    await sizes.waitFor();
    expect(await left.count()).toBe(0);
    await sizes.click();
    // Exactly the settings that are asked for.
    await page.getByLabel(/^Medium bottle/).waitFor(patience);
    expect(await page.getByLabel(/^(Alternative medium|Waste) bottle/).count()).toBe(2);
    expect(await page.getByLabel(/^Initial volume/).count()).toBe(0);
    const params = { reactor_unit: 'rx01' };
    await leader.client.saveSpecificConfig({ params, body: { code: '[bioreactor]\nmedia_bottle_ml=500\n' } });
    const applied = async () => (await units[0]?.client.getOwnMergedConfig())?.bioreactor?.media_bottle_ml;
    await expect.poll(applied, patience).toBe('500');
    await page.goBack();
    await left.fill('250', patience);
    await left.press('Enter');
    await table.getByText('No dosing runs: no forecast.').waitFor(patience);
    await table.getByRole('row', { name: /^All units 0 mL/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await table.scrollIntoViewIfNeeded();
    await takePicture(page, 'running-media');
    await page.setViewportSize(phone);
    await page.getByRole('button', { name: 'Media and bottles' }).click();
    await expect.poll(() => overflow(page)).toBe(0);
    await table.scrollIntoViewIfNeeded();
    await takePicture(page, 'running-media-phone');
    await page.setViewportSize(desktop);
  }, 90_000);

  it('stops everything in two clicks on any page, and starts it again with the same values', async () => {
    const names = async () => (await units[0]?.client.listRunningJobs())?.map(({ job_name }) => job_name) ?? [];
    await openTab('Units');
    const row = unit('rx01').locator('[data-job=stirring]');
    await row.getByText('500 RPM').waitFor(patience);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    // The second click is the answer to a question that says what ends.
    await page
      .getByRole('menuitem', { name: /^Stop everything\s*6 jobs on rx01, salt stress \(rx02\)/ })
      .waitFor(patience);
    await takePicture(page, 'running-stop-menu');
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    const orders: string[] = [];
    page.on('request', (sent) => sent.method() === 'POST' && orders.push(new URL(sent.url()).pathname));
    // An order, however hastily it is clicked.
    await page.getByRole('menuitem', { name: 'Stop everything' }).dblclick();
    await row.getByText('Off', { exact: true }).waitFor(patience);
    const done = page.locator('[data-stopped="rx01 salt stress (rx02)"]');
    await done.waitFor(patience);
    expect(orders.filter((path) => path.includes('/stop'))).toHaveLength(1);
    expect(await unit('rx01').locator('[data-old=false]').count()).toBe(0);
    expect(await names()).toEqual(['monitor']);
    await takePicture(page, 'running-stopped');
    // The reason and the time beside each value fit its column.
    for (const viewport of [phone, desktop]) {
      await page.setViewportSize(viewport);
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      await takePicture(page, `running-stopped-${viewport.width}`);
    }
    // It is offered on every page, also after a reload, until a person dismisses it.
    await done.waitFor({ ...patience, state: 'hidden' });
    await page.getByRole('link', { name: 'Now', exact: true }).click();
    await page.getByRole('button', { name: 'Start again' }).waitFor();
    await page.goBack();
    await page.reload();
    await page.getByRole('button', { name: 'Start again' }).click(patience);
    await row.getByText('500 RPM').waitFor(patience);
    await expect
      .poll(names, patience)
      .toEqual(expect.arrayContaining(['stirring', 'od_reading', 'temperature_automation']));
  }, 90_000);

  it('names the running jobs that need a job before it stops', async () => {
    const rows = (name: string) => unit('rx01').locator(`[data-job=${name}]`);
    const stop = () => page.getByRole('button', { name: 'Stop Stirring on rx01' }).click();
    const question = page.getByRole('dialog', { name: 'Stop Stirring on rx01?' });
    await rows('od_reading').getByText('On', { exact: true }).waitFor(patience);
    await stop();
    await question.getByText('OD reading').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'running-stop-needed');
    await question.getByRole('button', { name: 'Stop only this' }).click();
    await rows('stirring').getByText('Off', { exact: true }).waitFor(patience);
    expect(await rows('od_reading').getByText('On', { exact: true }).count()).toBe(1);

    await job('stirring', { target_rpm: 500 });
    await rows('stirring').getByText('500 RPM').waitFor(patience);
    await stop();
    await question.getByRole('button', { name: 'Stop all of these' }).click();
    for (const name of ['stirring', 'od_reading']) await rows(name).getByText('Off', { exact: true }).waitFor(patience);
    await rows('temperature_automation').getByText('Records only', { exact: true }).waitFor(patience);
    await job('stirring', { target_rpm: 500 });
    await job('od_reading', { interval: 3 });
  }, 90_000);

  it('states what a thermostat does to the liquid before it starts, and before its target changes', async () => {
    const row = unit('rx01').locator('[data-job=temperature_automation]');
    const act = (verb: string) => page.getByRole('button', { name: `${verb} Temperature control on rx01` }).click();
    const target = (within: Locator) => within.getByRole('textbox', { name: 'Target temperature' });
    // Without its limits nothing heats.
    const model = { model_name: 'reactor_20ml', model_version: '1.5' };
    await leader.client.setWorkerModel({ params: { reactor_unit: 'rx01' }, body: model });
    await act('Stop');
    await row.getByText('Off', { exact: true }).waitFor(patience);
    await act('Start');
    const form = page.getByRole('dialog', { name: 'Start Temperature control on rx01' });
    await form.getByRole('radio', { name: 'Thermostat' }).click();
    await target(form).fill('37');
    await form
      .getByRole('status')
      .getByText(/^rx01: .*37 °C/)
      .waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    await form.getByRole('button', { name: 'Start', exact: true }).click();
    await row.getByRole('button', { name: /^Target temperature 37/ }).click();
    await target(row).fill('50');
    await row
      .getByRole('status')
      .getByText(/^rx01: .*50 °C/)
      .waitFor(patience);
    await row.getByRole('status').getByText('Most cultures do not survive more than 45 °C.').waitFor();
    await row.getByRole('button', { name: 'Cancel', exact: true }).click();
  }, 60_000);

  it('zooms and moves all charts with a mouse, keeps the view in the address, hides a unit, and moves the pointer by keys', async () => {
    await openTab('Overview');
    const area = chart('OD (AU)').locator('.u-over');
    await area.scrollIntoViewIfNeeded();
    const box = (await area.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const search = () => new URL(page.url()).searchParams;
    const window = () => ({ from: Date.parse(search().get('from') ?? ''), to: Date.parse(search().get('to') ?? '') });
    const width = () => window().to - window().from;
    await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width, patience).toBeGreaterThanOrEqual(10_000);
    const brushed = window();
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.95, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await expect.poll(() => window().from, patience).toBeLessThan(brushed.from);
    expect(width()).toBeCloseTo(brushed.to - brushed.from, -1);
    // The page scrolls with the wheel alone; with Ctrl it zooms around the pointer.
    const before = width();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 400);
    await page.keyboard.up('Control');
    await expect.poll(width, patience).toBeGreaterThan(before);
    await takePicture(page, 'running-zoomed');
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await expect.poll(() => search().has('from'), patience).toBe(false);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(width, patience).toBeGreaterThanOrEqual(10_000);
    await area.dblclick();
    await expect.poll(() => search().has('from'), patience).toBe(false);
    await page.getByRole('button', { name: 'Log scale for OD (AU)', exact: true }).click();
    await expect.poll(() => search().get('log'), patience).toBe('optical_density');
    await page.getByRole('button', { name: 'Options of OD (AU)', exact: true }).click();
    await page.getByText('Fixed', { exact: true }).click();
    await page.getByRole('textbox', { name: 'From' }).fill('0.001');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('2');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect.poll(() => search().get('y'), patience).toBe('optical_density:0.001..2');
    const saved = async (format: string) => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: `Save OD (AU) as ${format}` }).click();
      const file = await download;
      return { name: file.suggestedFilename(), bytes: await buffer(await file.createReadStream()) };
    };
    const table = await saved('CSV');
    expect(table.name).toMatch(/^yeast-ramp-07_od_\d{8}t\d{4}_\d{8}t\d{4}\.csv$/);
    expect(table.bytes.toString().split('\r\n')[0]).toBe('time_utc,elapsed_h,rx01,salt stress');
    expect((await saved('SVG')).bytes.toString()).toMatch(/^<svg .*salt stress.*<\/svg>$/s);
    expect((await saved('PNG')).bytes.subarray(1, 4).toString()).toBe('PNG');
    await page.keyboard.press('Escape');
    const legend = page.getByRole('list', { name: 'Units on the charts' });
    await legend.getByRole('button', { name: 'salt stress' }).click();
    await expect.poll(async () => Object.keys(await plotted('OD (AU)')), patience).toEqual(['rx01-2']);
    // A link shows the same view.
    await page.reload();
    await expect.poll(async () => Object.keys(await plotted('OD (AU)')), patience).toEqual(['rx01-2']);
    const log = page.getByRole('button', { name: 'Log scale for OD (AU)', exact: true });
    expect(await log.getAttribute('aria-pressed')).toBe('true');
    await legend.getByRole('button', { name: 'salt stress' }).click();
    await chart('OD (AU)').focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => chart('OD (AU)').getAttribute('aria-valuetext'), patience).toMatch(/rx01 \d/);
  }, 60_000);

  it('writes, corrects and removes a sample on the timeline, and finds it in the event log', async () => {
    await openTab('Timeline');
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const choose = async (field: string, option: string) => {
      await timeline.getByRole('combobox', { name: field }).first().click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await timeline.getByRole('radio', { name: 'Sample taken' }).check();
    await timeline.getByRole('textbox', { name: 'Remark' }).fill('sample taken for HPLC');
    await stayWithTyped(page, timeline.getByRole('textbox', { name: 'Remark' }));
    await timeline.getByRole('button', { name: 'Add' }).click();
    await timeline.getByText('Choose the unit.').waitFor(patience);
    await choose('Unit', 'rx01');
    await timeline.getByRole('textbox', { name: 'Volume (mL)' }).fill('0.5');
    await timeline.getByRole('button', { name: 'Add' }).click();
    const row = timeline.getByRole('listitem').filter({ hasText: 'HPLC' });
    await row.getByText('Sample of 0.5 mL taken: sample taken for HPLC').waitFor(patience);
    await row.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Correct…' }).click();
    await timeline.getByRole('textbox', { name: 'Volume (mL)' }).fill('0.4');
    await timeline.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Sample of 0.4 mL taken').waitFor(patience);
    await takePicture(page, 'running-timeline');
    // Someone else corrects the note while it is open here: both texts are shown, and the person chooses.
    await row.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Correct…' }).click();
    const [opened] = await leader.client.listNotes({ params: { experiment }, query: {} });
    const note_id = String(opened?.note_id);
    await leader.client.updateNote({ params: { experiment, note_id }, body: { text: 'HPLC of ada' } });
    await timeline.getByRole('textbox', { name: 'Remark' }).fill('HPLC of mia');
    await timeline.getByRole('button', { name: 'Save' }).click();
    const conflict = timeline.getByRole('alert').filter({ hasText: 'HPLC of ada' });
    await conflict.waitFor(patience);
    await takePicture(page, 'note-conflict');
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await row.getByText('Sample of 0.4 mL taken: HPLC of mia').waitFor(patience);
    await row.getByText(/^edited at /).waitFor(patience);
    expect(seen.errors.splice(0)).toMatchObject([expect.stringContaining('409 (Conflict)')]);
    const [note] = await leader.client.listNotes({ params: { experiment }, query: {} });
    expect(note).toMatchObject({ kind: 'sample_taken', volume_ml: 0.4, reactor_unit: 'rx01' });
    await row.getByRole('button', { name: /show on the charts/ }).click();
    await expect.poll(() => page.url(), patience).toMatch(/from=.*to=/);
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await openTab('Timeline');
    await timeline.getByText('Notes and samples', { exact: true }).click();
    await row.waitFor({ ...patience, state: 'detached' });
    await timeline.getByText('Notes and samples', { exact: true }).click();
    await row.getByRole('button', { name: 'Actions for this note' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await row.waitFor({ ...patience, state: 'detached' });
    // The row is gone with its button: the next key goes on within the timeline.
    await expect.poll(() => timeline.locator(':focus').count(), patience).toBe(1);
    const log = page.getByRole('region', { name: 'Event log' });
    await log.scrollIntoViewIfNeeded();
    await log.getByRole('searchbox', { name: 'Search the event log' }).fill('0.4 mL: SAMPLE taken');
    await expect.poll(() => log.getByRole('listitem').count(), patience).toBeGreaterThanOrEqual(1);
    await log.getByRole('searchbox').fill('not in the log');
    await log.getByText('Nothing in the log matches').waitFor(patience);
    await log.getByRole('searchbox').fill('');
    await takePicture(page, 'running-log');
  }, 60_000);

  it.each([
    ['desktop', desktop],
    ['phone', phone],
  ])(
    'is accessible and fits the screen, in light and in dark (%s)',
    async (name, viewport) => {
      await page.setViewportSize(viewport);
      for (const tab of ['Overview', 'Units', 'Timeline', 'Data', 'Setup']) {
        // An address of an earlier version, when the page had no tabs; the tabs keep the view.
        if (tab === 'Overview') await page.goto(`${leader.url}${address}?part=charts&window=1h&time=elapsed`);
        else await openTab(tab);
        await page.waitForURL(`**/${tab.toLowerCase()}?window=1h&time=elapsed`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (tab === 'Overview') await chart('OD (AU)').waitFor(patience);
        expect(await accessibilityFindings(page, 'all but colours'), `${tab} ${name}`).toEqual([]);
        await expect.poll(() => overflow(page), { message: `${tab} ${name}` }).toBeLessThanOrEqual(0);
        await takePicture(page, `running-${tab}-${name}`);
        // The parts have the same colours on a phone.
        if (name === 'desktop') expect(await colourFindings(page), tab).toEqual([]);
      }
      if (name === 'phone') {
        await page.getByRole('button', { name: 'Stop', exact: true }).click();
        const items = page.getByRole('menuitem', { name: /^Stop / });
        await items.first().waitFor();
        for (const item of await items.all()) expect((await item.boundingBox())?.height).toBeGreaterThanOrEqual(44);
        await takePicture(page, 'running-stop-phone');
        await page.keyboard.press('Escape');
      }
      await page.setViewportSize(desktop);
      await page.emulateMedia({ colorScheme: 'light' });
    },
    90_000,
  );

  it('the page of a unit leads to its log, which is a part of the log of the cluster, and to its charts', async () => {
    await page.goto(`${leader.url}/units/rx01`);
    await page.getByRole('link', { name: 'Log of this unit' }).click();
    await page.waitForURL('**/settings/log?unit=rx01');
    const log = page.getByRole('region', { name: 'Event log' });
    await log.getByRole('listitem').filter({ hasText: 'yeast ramp 07' }).first().waitFor(patience);
    expect(await log.getByRole('combobox', { name: 'Unit' }).inputValue()).toBe('rx01');
    expect(await accessibilityFindings(page)).toEqual([]);
    await log.getByRole('searchbox').fill('not in the log');
    await log.getByText('Nothing in the log matches').waitFor(patience);
    await page.goto(`${leader.url}/units/rx01`);
    await page.getByRole('link', { name: 'Charts of this unit' }).click();
    await page.waitForURL(/overview\?hidden=rx02/);
  }, 60_000);

  it('shows the reason when a unit cannot be reached', async () => {
    await page.goto(`${leader.url}${address}/units`);
    const row = unit('rx02').locator('[data-job=growth_rate_calculating]');
    await row.getByText('Off', { exact: true }).waitFor(patience);
    await units[1]?.node.stop();
    await row.getByRole('button', { name: 'Start Growth rate on salt stress' }).click();
    // The last message of the unit may have come or not: when the page knows that stirring ended, it asks.
    const onlyThis = page.getByRole('dialog').getByRole('button', { name: 'Start only this' });
    const refusal = row.getByText(/Not started: The unit could not be reached/);
    await refusal.or(onlyThis).first().waitFor(patience);
    if ((await onlyThis.count()) > 0) await onlyThis.click();
    await refusal.waitFor(patience);
    await takePicture(page, 'running-failed');
    await row.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await expect.poll(focused).toBe('Start Growth rate on salt stress (rx02)');
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  }, 90_000);
});
