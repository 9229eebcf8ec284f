import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  colourFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  takePicture,
  watch,
} from './browser.ts';

const patience = { timeout: 30_000 };

describe.skipIf(!hasBrowser())('the page Now and the frame around all pages', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  const units: UnitUnderTest[] = [];

  const tile = (unit: string) => page.locator(`[data-unit=${unit}]`);
  const heading = (level: 1 | 2, name: string | RegExp) => page.getByRole('heading', { level, name, exact: true });
  const addUnit = async (name: string): Promise<void> => {
    await leader.client.registerWorker({ body: { reactor_unit: name } });
    units.push(await startUnit({ name, leaderUrl: leader.url, configure: { clock: realClock() } }));
  };
  const assign = (unit: string, experiment: string) =>
    leader.client.assignWorker({ params: { experiment }, body: { reactor_unit: unit } });
  const run = async (unit: string, experiment: string, job: string, options: Record<string, number | string> = {}) => {
    const params = { reactor_unit: unit, job, experiment };
    await leader.finished(await leader.client.runWorkerJob({ params, body: { options } }));
  };
  /** The smallest height and width of what can be touched in a part of the page. */
  const smallestTarget = (selector: string): Promise<number> =>
    page.evaluate<number>(`Math.min(...[...document.querySelectorAll(${JSON.stringify(selector)})]
      .flatMap((element) => [element.getBoundingClientRect().width, element.getBoundingClientRect().height]))`);

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({ configure: { clock: realClock() } });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
    await page.goto(leader.url);
  }, 60_000);
  afterAll(async () => {
    await page?.close();
    for (const unit of units) await unit[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('says what to do next until something runs, with one button each', async () => {
    await heading(2, 'Add your first unit').waitFor(patience);
    await page.getByRole('link', { name: 'Add a unit' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'now-empty');
    await addUnit('rx2');
    await heading(2, 'Create an experiment').waitFor(patience);
    await page.getByRole('button', { name: 'New experiment' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('yeast');
    await page.getByRole('button', { name: 'Create experiment' }).click();
    await page.waitForURL('**/experiments/yeast/units', patience);
    await page.getByRole('link', { name: 'Now', exact: true }).click();
    await page.getByRole('link', { name: 'Assign units to yeast' }).waitFor(patience);
    await assign('rx2', 'yeast');
    await page.getByRole('link', { name: 'Start jobs of yeast' }).waitFor(patience);
    await tile('rx2').getByText('nothing runs').waitFor();
  }, 60_000);

  it('has a tile for each unit of all experiments in natural order, and one experiment by its address', async () => {
    await leader.client.createExperiment({ body: { experiment: 'salt stress' } });
    await addUnit('rx10');
    await assign('rx10', 'salt stress');
    await leader.client.putUnitLabel({
      params: { experiment: 'salt stress' },
      body: { unit: 'rx10', label: 'Control' },
    });
    for (const [unit, experiment] of [
      ['rx2', 'yeast'],
      ['rx10', 'salt stress'],
    ] as const) {
      await run(unit, experiment, 'stirring');
      await run(unit, experiment, 'od_reading', { interval: 3 });
    }
    await run('rx2', 'yeast', 'temperature_automation', { automation_name: 'only_record_temperature' });
    await leader.client.saveSpecificConfig({
      params: { reactor_unit: 'rx10' },
      body: { code: '[camera]\nenabled=1\n' },
    });
    const ofCamera = { reactor_unit: 'rx10', experiment: 'salt stress' };
    const hasCamera = async () => (await leader.client.getCameraStatus({ params: ofCamera })).runtime_available;
    await expect.poll(hasCamera, patience).toBe(true);
    await leader.finished(await leader.client.takeStill({ params: ofCamera }));
    await heading(1, '2 units running, no alarms').waitFor(patience);
    expect(await page.title()).toBe('2 units running, no alarms – Leader Control Service');
    const od = tile('rx2').locator('[data-old=false]').filter({ hasText: 'OD' });
    await expect.poll(() => od.innerText(), patience).toMatch(/^OD\s+\d\.\d{3}$/);
    await expect
      .poll(() => tile('rx2').getByRole('list', { name: 'Jobs' }).innerText(), patience)
      .toMatch(/^Stirring\s+OD reading\s+Temperature control(: records only)?$/);
    const names = () => page.getByRole('list', { name: 'Units' }).getByRole('heading').allInnerTexts();
    await expect.poll(names, patience).toEqual(['rx2', 'Control']);
    await page.getByRole('combobox', { name: 'Experiment' }).selectOption('salt stress');
    await expect.poll(names).toEqual(['Control']);
    await page.waitForURL(/experiment=salt/);
    await page.reload();
    await expect.poll(names, patience).toEqual(['Control']);
    // A tile has the small picture: it is 160 pixels wide, the still 320.
    const still = tile('rx10').getByRole('img', { name: /Control/ });
    await still.waitFor(patience);
    const widthOf = `document.querySelector('[data-unit=rx10] img').naturalWidth`;
    await expect.poll(() => page.evaluate<number>(widthOf), patience).toBe(160);
    await page.getByRole('combobox', { name: 'Experiment' }).selectOption('All experiments');
    await expect.poll(names).toEqual(['rx2', 'Control']);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    expect(await colourFindings(page)).toEqual([]);
    await takePicture(page, 'now-desktop');
  }, 90_000);

  it('greys the value of a stopped job at once', async () => {
    const params = { reactor_unit: 'rx2', job_name: 'od_reading', experiment: 'yeast' };
    await leader.finished(await leader.client.stopWorkerJob({ params }));
    await tile('rx2').locator('[data-old=true]').filter({ hasText: 'OD' }).getByText('job stopped').waitFor(patience);
  }, 30_000);

  it('says at once that a running job lacks another, on the tile and in the heading', async () => {
    const params = { reactor_unit: 'rx10', job_name: 'stirring', experiment: 'salt stress' };
    await leader.finished(await leader.client.stopWorkerJob({ params }));
    await heading(1, '2 units running, 1 lacks a job, no alarms').waitFor(patience);
    const lacking = 'OD reading needs Stirring, which is off';
    await tile('rx10').getByText(lacking).waitFor(patience);
    // The page of the unit and the overview of its experiment say the same.
    await tile('rx10').getByRole('link').first().click();
    await page.getByRole('heading', { level: 2, name: 'Running jobs' }).waitFor(patience);
    await page.locator('main').getByText(lacking).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'now-lacking-unit');
    // A long text has the whole row.
    await page.getByRole('tab', { name: 'Control' }).click();
    const infrared = page.getByText(/^LED A: infrared/);
    await infrared.waitFor(patience);
    await takePicture(page, 'now-led');
    expect((await infrared.boundingBox())?.height).toBeLessThanOrEqual(48);
    await page.goto(`${leader.url}/experiments/salt%20stress/overview`);
    await page.getByRole('list', { name: 'Units now' }).getByText(lacking).waitFor(patience);
    await takePicture(page, 'now-lacking-overview');
    // On a phone the controls of the charts are one row, and a menu.
    await page.setViewportSize(phone);
    const controls = page.locator('[data-controls]');
    await controls.getByRole('button', { name: /^Charts: / }).waitFor(patience);
    expect((await controls.boundingBox())?.height).toBeLessThanOrEqual(60);
    expect(await smallestTarget('[data-controls] :is(button, select)')).toBeGreaterThanOrEqual(44);
    await controls.getByRole('combobox', { name: 'Window of time' }).selectOption('4 h');
    await page.waitForURL(/window=4h/);
    await controls.getByRole('button', { name: 'View', exact: true }).click();
    const menu = page.getByRole('dialog', { name: 'View' });
    await menu.getByText('Elapsed', { exact: true }).click();
    await page.waitForURL(/time=elapsed/);
    await menu.getByRole('button', { name: 'Zoom in' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await takePicture(page, 'now-overview-phone');
    await page.keyboard.press('Escape');
    await page.setViewportSize(desktop);
    await page.goto(leader.url);
    await tile('rx10').getByText(lacking).waitFor(patience);
    await run('rx10', 'salt stress', 'stirring');
    await heading(1, '2 units running, no alarms').waitFor(patience);
  }, 60_000);

  it('names the profile that runs with its next step, in the heading and on the tile, and leads to the run', async () => {
    const body = `experiment_profile_name: two speeds
version: "1.0"
common:
  jobs:
    stirring:
      actions:
        - {type: update, t: 0s, options: {target_rpm: 400}}
        - {type: update, t: 3h, options: {target_rpm: 500}}
`;
    await leader.client.createExperimentProfile({ body: { filename: 'two.yaml', body } });
    await leader.client.runJob({
      params: { job: 'experiment_profile' },
      body: { args: ['execute', 'two.yaml', 'salt stress'] },
    });
    await heading(1, '2 units running, profile two speeds, no alarms').waitFor(patience);
    const step = /Profile two speeds: next: Change stirring: target stir RPM 500 \(in 2 h 59 min\)/;
    await tile('rx10').getByText(step).waitFor(patience);
    expect(await tile('rx2').getByText('two speeds').count()).toBe(0);
    const line = page.locator('[data-profile]').filter({ hasText: '(salt stress)' });
    await line.getByText(/^Profile two speeds \(salt stress\): next: Change stirring/).waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'now-profile');
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await takePicture(page, 'now-profile-phone');
    await page.setViewportSize(desktop);
    await tile('rx10').getByRole('link', { name: 'two speeds' }).click();
    await page.waitForURL(/\/experiments\/salt%20stress\/profiles\//);
    await page.getByRole('button', { name: 'Pause', exact: true }).click(patience);
    await page.getByText('The remaining actions are delayed').waitFor(patience);
    await page.goto(leader.url);
    await tile('rx10')
      .getByText(/^Profile two speeds: paused, next: Change stirring/)
      .waitFor(patience);
    await leader.client.stopProfileRun({
      params: { experiment: 'salt stress', run_id: String(await line.getAttribute('data-profile')) },
    });
    await heading(1, '2 units running, no alarms').waitFor(patience);
    await line.waitFor({ state: 'detached' });
  }, 60_000);

  it('fills the screen for a display on the wall until Esc', async () => {
    // It counts as away later; the last step needs it.
    await units[1]?.node.stop();
    await page.getByRole('button', { name: 'Full screen', exact: true }).click();
    await page.waitForURL(/view=wall/);
    await page.getByRole('navigation').waitFor({ state: 'detached' });
    await heading(1, /2 units running/).waitFor();
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await takePicture(page, 'now-wall');
    // Chromium takes the key for itself only in a window with a frame.
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  }, 30_000);

  it('leads from old addresses to the settings, and has the state of all units in the header', async () => {
    for (const [from, to] of [
      ['/system', '/settings/backups'],
      ['/people', '/settings/people'],
      ['/config?unit=rx2', '/settings/configuration?unit=rx2'],
      ['/settings', '/settings/configuration'],
    ]) {
      await page.goto(leader.url + from);
      await page.waitForURL(leader.url + to);
    }
    await page.getByRole('link', { name: 'Leader', exact: true }).click();
    await page.getByText('lead', { exact: true }).waitFor(patience);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await page.getByRole('link', { name: /^\d (of 2 )?running.*, live$/ }).click();
    await heading(1, /2 units running/).waitFor();
  }, 60_000);

  it('opens pages, experiments and units by a part of their name, and starts commands, by keys alone', async () => {
    const dialog = page.getByRole('dialog', { name: 'Search' });
    const search = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await dialog.locator('input:focus').waitFor(patience);
      await page.keyboard.type(text);
    };
    await search('rx10');
    await dialog.getByRole('option', { name: 'Control rx10 · salt stress', selected: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'now-palette');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/units/rx10');
    await search('s');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The mark stays on the line to which a person has gone, also when something is found before it.
    await search('salt');
    const marked = dialog.getByRole('option', { selected: true });
    await page.keyboard.press('ArrowDown');
    const goneTo = await marked.innerText();
    await leader.client.createExperiment({ body: { experiment: 'salt' } });
    await dialog.getByRole('option', { name: 'salt', exact: true }).waitFor(patience);
    expect(await marked.innerText()).toBe(goneTo);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await leader.finished(await leader.client.deleteExperiment({ params: { experiment: 'salt' } }));
    await search('backu');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/backups');
    await search('new exp');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create experiment' }).waitFor(patience);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await search('pumps');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Stop all pumps' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem', { name: 'Stop all pumps' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Search' }).click();
    await dialog.getByRole('option', { name: 'Now', exact: true }).click();
    await heading(1, /2 units running/).waitFor();
  }, 60_000);

  it('has a bar for a thumb on a phone, and marks a unit that is away as last known', async () => {
    await page.setViewportSize(phone);
    const bar = page.getByRole('navigation', { name: 'At the bench' });
    expect(await bar.locator('a, button').allInnerTexts()).toEqual(['Now', 'Experiment', 'Note', 'Alarms', 'Stop']);
    expect(await smallestTarget('nav[aria-label="At the bench"] :is(a, button)')).toBeGreaterThanOrEqual(44);
    await bar.getByRole('button', { name: 'Note' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Experiment' }).selectOption('yeast');
    await dialog.getByRole('textbox', { name: 'Note' }).fill('medium changed');
    await takePicture(page, 'now-note');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.waitFor({ state: 'detached', ...patience });
    const logs = await leader.client.listExperimentLogs({ params: { experiment: 'yeast' } });
    expect(logs.map(({ message }) => message)).toContain('medium changed');
    await bar.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('menuitem', { name: 'Stop all pumps' }).waitFor();
    await page.keyboard.press('Escape');
    await tile('rx10')
      .getByText(/^last known \d\d:\d\d$/)
      .waitFor({ timeout: 60_000 });
    expect(await tile('rx10').locator('[data-old=false]').count()).toBe(0);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await takePicture(page, 'now-phone');
    await page.goto(`${leader.url}/settings/about`);
    await page
      .locator('main')
      .getByText(/^\d (of 2 )?running.*, live$/)
      .waitFor(patience);
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  }, 120_000);
});
