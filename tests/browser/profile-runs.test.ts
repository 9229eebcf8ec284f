import { hourMs } from '@lcs/contract';
import { VirtualClock } from '@lcs/platform';
import { addToyUnit, type LeaderUnderTest, startLeader, type ToyUnit } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

const experiment = 'exp 1';
const params = { experiment };
/** More than a list draws at once. */
const steps = 400;
/** The unit reports 400 RPM for ever: the wait does not end by itself. */
const profile = `experiment_profile_name: two speeds
version: "1.0"
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: 400}}
        - {type: update, t: 1h, options: {target_rpm: 500}}
        - type: when
          t: 2h
          wait_until: ::stirring:target_rpm > 450
          actions:
            - {type: log, t: 0s, options: {message: fast}}
        - {type: stop, t: 10h}
`;

describe.skipIf(!hasBrowser())('runs of profiles in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let unit: ToyUnit;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    leader = await startLeader({ clock: new VirtualClock({ startMs: Date.now() }) });
    await leader.client.createExperiment({ body: { experiment } });
    unit = await addToyUnit(leader, 'rx01');
    await leader.client.assignWorker({ params, body: { reactor_unit: 'rx01' } });
    await leader.client.createExperimentProfile({ body: { filename: 'two.yaml', body: profile } });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  });
  afterEach(async () => {
    await page.close();
    await leader[Symbol.asyncDispose]();
    await unit[Symbol.asyncDispose]();
  });

  const table = (name: string) => page.getByRole('table', { name });
  const state = () => page.getByRole('banner').or(page.locator('header')).getByRole('status').last();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  /** The leader works on its own time. */
  const eventually = (what: () => Promise<boolean>, stepMs = 200) =>
    expect
      .poll(
        async () => {
          await leader.clock.advance(stepMs);
          return what();
        },
        { timeout: 20_000 },
      )
      .toBe(true);

  it('are started from the editor, watched, paused, resumed, skipped and stopped', async () => {
    await page.goto(`${leader.url}/protocols/two.yaml`);
    await button('Run…').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Experiment' }).click();
    await page.getByRole('option', { name: experiment }).click();
    await dialog.getByText('Acts on stirring on rx01. Its end depends on conditions.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'run-dialog');
    await dialog.getByRole('checkbox', { name: 'Dry run' }).check();
    // The browser's Back closes what covers the page, and asks before the choice is lost.
    await page.goBack();
    await button('Discard').click();
    await dialog.first().waitFor({ state: 'hidden' });
    await button('Run…').click();
    await dialog.getByRole('combobox', { name: 'Experiment' }).click();
    await page.getByRole('option', { name: experiment }).click();
    await dialog.getByRole('button', { name: 'Start the run' }).click();
    await eventually(async () => page.url().includes('/profiles/'));
    await page.getByRole('heading', { level: 1, name: 'two speeds' }).waitFor();

    const done = table('Actions of the run').getByRole('row');
    const next = table('Next actions').getByRole('row');
    await eventually(() =>
      done.filter({ hasText: 'Start stirring: target stir RPM 400' }).getByText('Done').isVisible(),
    );
    await next.filter({ hasText: 'Change stirring: target stir RPM 500' }).getByText(/\(in /).waitFor();
    expect(await colourFindings(page)).toEqual([]);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await takePicture(page, 'run');

    // A wait whose time has not come cannot be ended: the run can move to it, and says what that leaves out.
    expect(await page.getByRole('button', { name: /^End the wait/ }).count()).toBe(0);
    await page.getByRole('button', { name: /^Skip to this: rx01 Wait until/ }).click();
    await page.getByRole('dialog').getByText('rx01: Change stirring: target stir RPM 500.').waitFor();
    await confirm('Cancel');
    await button('Pause').click();
    await page.getByText('The remaining actions are delayed').waitFor();
    await next.filter({ hasText: 'Change stirring' }).getByText('paused').waitFor();
    // A skip names what it leaves out, and waits while the run is paused.
    await page.getByRole('button', { name: /^Skip to this: rx01 Stop stirring/ }).click();
    await page.getByRole('dialog').getByText('rx01: Change stirring: target stir RPM 500.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await confirm('Cancel');
    await page.getByRole('button', { name: /^Skip to this: rx01 Change stirring/ }).click();
    await page.getByRole('dialog').getByText('No step is left out.').waitFor();
    await confirm('Skip');
    await page.getByText('The skip takes effect when the run is resumed').waitFor();
    await button('Resume').click();
    await button('Pause').waitFor();

    await leader.clock.advance(2 * hourMs);
    await eventually(() =>
      done.filter({ hasText: 'Change stirring: target stir RPM 500' }).getByText('Done').isVisible(),
    );
    await page.getByRole('button', { name: /^End the wait: / }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await confirm('End the wait');
    await eventually(() => done.filter({ hasText: 'Wait until' }).getByText('Condition held').isVisible());
    await page.getByRole('button', { name: /^Skip to this: rx01 Stop stirring/ }).waitFor();

    await page.getByRole('link', { name: experiment }).first().click();
    await page.getByText('The profile two speeds is running.').waitFor();
    await page.getByRole('link', { name: 'two speeds' }).click();
    await button('Stop…').click();
    await confirm('Stop the run');
    await eventually(() => state().getByText('Stopped').isVisible());
    await page.getByText('Nothing: the run has ended.').waitFor();
    await page.getByText(': stopped by').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the record of the run' }).click();
    expect((await download).suggestedFilename()).toMatch(/^two\.yaml-.*\.json$/);
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  });

  it('have a list of what comes next whose end is reached by mouse and by keys; a run that does not exist is none', async () => {
    const body = `experiment_profile_name: long
version: "1.0"
common:
  jobs:
    stirring:
      actions:
${Array.from({ length: steps }, (_, index) => `        - {type: log, t: ${index + 1}h, options: {message: step ${index + 1}}}`).join('\n')}
`;
    await leader.client.createExperimentProfile({ body: { filename: 'long.yaml', body } });
    await leader.client.runJob({
      params: { job: 'experiment_profile' },
      body: { args: ['execute', 'long.yaml', experiment] },
    });
    await expect
      .poll(async () => {
        await leader.clock.advance(200);
        return (await leader.client.listRecentProfileRuns({ params, query: { limit: 1 } })).length;
      })
      .toBe(1);
    const [run] = await leader.client.listRecentProfileRuns({ params, query: { limit: 1 } });
    // Now reads the next action of the unit, the page of the run those that it shows, whatever waits.
    const path = `/experiment_profiles/runs/${run?.run_id}`;
    const read: { readonly query: string; readonly count: number }[] = [];
    page.on('response', (response) => {
      const url = new URL(response.url());
      if (!url.pathname.endsWith(path)) return;
      response.json().then(
        ({ waiting }) => read.push({ query: url.search, count: waiting.length }),
        // Of an answer that arrives while the page is left, the browser keeps no body.
        () => undefined,
      );
    });
    await page.goto(leader.url);
    await page
      .locator(`[data-profile="${run?.run_id}"]`)
      .first()
      .getByText(/step 1\b/)
      .waitFor();
    await expect.poll(() => read.length).toBeGreaterThan(0);
    expect(new Set(read.map(({ query, count }) => `${query} ${count}`))).toEqual(new Set(['?waiting_per_unit=1 1']));
    await page.goto(`${leader.url}/experiments/${encodeURIComponent(experiment)}/profiles/${run?.run_id}`);
    const next = table('Next actions');
    await next
      .getByRole('row')
      .filter({ hasText: /step 1\b/ })
      .waitFor();
    // The last of what was read may not be all of its moment.
    expect(await next.getAttribute('aria-rowcount')).toBe('200');
    // The page draws an answer before the test has its body.
    await expect.poll(() => Math.max(...read.map(({ count }) => count))).toBe(200);
    await button(`Show more (${steps - 199} left)`).click();
    await expect.poll(() => next.getAttribute('aria-rowcount')).toBe(String(steps + 1));
    expect(await next.getByRole('row').count()).toBeLessThan(100);
    const last = next.getByRole('row').filter({ hasText: `step ${steps}` });
    await page.mouse.move(600, 400);
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4_000);
        return last.isVisible();
      })
      .toBe(true);
    expect(await last.getAttribute('aria-rowindex')).toBe(String(steps + 1));
    await last.getByRole('button').focus();
    await page.keyboard.press('Shift+Tab');
    await page
      .getByRole('button', { name: new RegExp(`step ${steps - 1}`) })
      .and(page.locator(':focus'))
      .waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    // Stopped with everything else: by whom, and all that was not carried out, in parts.
    await leader.client.stopEverywhere({ body: { what: 'everything' } });
    await eventually(() => page.getByText(': stopped by').isVisible());
    await button(`Show more (${steps - 30} left)`).click();
    await page
      .getByRole('region', { name: 'Not carried out' })
      .getByText(/step 60\b/)
      .waitFor();
    await takePicture(page, 'run-not-carried-out');
    await page.goto(`${leader.url}/experiments/${encodeURIComponent(experiment)}/profiles/nothing`);
    await page.getByText(`${experiment} has no such run`).waitFor();
  });
});
