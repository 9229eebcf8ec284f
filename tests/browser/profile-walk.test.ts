import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasBrowser, openBrowser, takePicture, watch } from './browser.ts';

const experiment = 'growth of strain 12';
/** Pictures need a whole curve and smooth bands. */
const rehearsed = process.env.LCS_SCREENSHOTS ? { hours: '24', draws: '10' } : { hours: '1', draws: '2' };
const patience = { timeout: 60_000 };

/**
 * What a person does with a profile, from a starting point to the end of a run, on a leader and a simulated unit in real time.
 * `npm run picture:profiles` takes the pictures of docs/profiles.md on the way.
 */
describe.skipIf(!hasBrowser())('a profile from a starting point to the end of its run', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let unit: UnitUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({ configure: { clock: realClock() } });
    await leader.client.createExperiment({ body: { experiment } });
    await leader.client.registerWorker({
      body: { reactor_unit: 'rx01', model_name: 'reactor_40ml', model_version: '1.5' },
    });
    unit = await startUnit({ name: 'rx01', leaderUrl: leader.url, configure: { clock: realClock() } });
    await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit: 'rx01' } });
    page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    seen = watch(page, leader.url);
  }, 90_000);
  afterAll(async () => {
    await page?.close();
    await unit?.[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  const region = (name: string) => page.getByRole('region', { name });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  /** Writes over a word of the text. Colours replace the elements of a line: a click that waited for one of the first ones misses. */
  const replaceWord = async (word: string, by: string) => {
    await expect
      .poll(async () => {
        await page.locator('.cm-line', { hasText: word }).getByText(word).dblclick();
        return page.evaluate('getSelection().toString()');
      })
      .toBe(word);
    await page.keyboard.type(by);
  };
  const dialog = () => page.getByRole('dialog');
  const done = (text: string) =>
    page.getByRole('table', { name: 'Actions of the run' }).getByRole('row').filter({ hasText: text });

  it('is written: a finding is shown at its place and mended', async () => {
    await page.goto(`${leader.url}/protocols`);
    await page.getByRole('link', { name: 'Use as a starting point: growth curve' }).click();
    await region('Findings').getByText('No findings').waitFor();
    await takePicture(page, 'profile-form');
    await page.getByText('Text (YAML)').click();
    await takePicture(page, 'profile-editor');
    // A misspelt setting.
    await replaceWord('target_rpm', 'target_rmp');
    const finding = region('Findings').getByRole('listitem').filter({ hasText: 'Did you mean target_rpm?' });
    await finding.waitFor(patience);
    await takePicture(page, 'profile-finding');
    await finding.getByRole('button', { name: /^Line/ }).click();
    await replaceWord('target_rmp', 'target_rpm');
    await region('Findings').getByText('No findings').waitFor(patience);
    await page.getByRole('textbox', { name: 'File name' }).fill('strain-12.yaml');
    await button('Save').click();
    await page.waitForURL('**/protocols/strain-12.yaml');
  }, 120_000);

  it('is rehearsed: whether it can finish, and the curves with their bands', async () => {
    const panel = region('Rehearsal');
    await panel.getByRole('textbox', { name: 'Hours' }).fill(rehearsed.hours);
    await panel.getByRole('textbox', { name: 'Simulations' }).fill(rehearsed.draws);
    await panel.getByRole('button', { name: 'Rehearse' }).click();
    await panel.locator('[data-can-finish]').waitFor({ timeout: 400_000 });
    await panel.getByRole('slider', { name: /^OD.*, at the end: unit1 \d/ }).waitFor();
    await panel.getByRole('slider', { name: /^Temperature, °C, at the end: unit1 3[67]/ }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 1250 });
    await page.evaluate(`{
      document.querySelector('[data-can-finish]').scrollIntoView({ block: 'start' });
      scrollBy(0, -220);
    }`);
    await takePicture(page, 'profile-rehearsal');
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.evaluate('scrollTo(0, 0)');
  }, 450_000);

  it('is started, watched, paused, resumed, skipped and stopped', async () => {
    const stirring = { reactor_unit: 'rx01', job: 'stirring', experiment };
    await leader.finished(await leader.client.runWorkerJob({ params: stirring, body: {} }));
    await button('Run…').click();
    await dialog().getByRole('combobox', { name: 'Experiment' }).click();
    await page.getByRole('option', { name: experiment }).click();
    await dialog()
      .getByText(/^Acts on stirring, temperature control, .* on rx01\./)
      .waitFor();
    await dialog()
      .getByText(/Blocks the start|Warning|Nothing stands in the way/)
      .first()
      .waitFor(patience);
    // Where it heats, and what that means now.
    await dialog()
      .getByText('rx01: Start temperature control (thermostat): target temperature 37 °C (after 10 s)')
      .waitFor(patience);
    await dialog()
      .getByText(/^rx01: (liquid [\d.]+ °C now, target 37 °C|the liquid has no current reading)/)
      .waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'profile-start');
    // What runs already is stopped only after a question that names it.
    const isStirring = async () =>
      (await unit.client.listRunningJobs()).some(({ job_name }) => job_name === 'stirring');
    await button('Stop stirring first…').click(patience);
    const question = page.getByRole('dialog', { name: 'Stop stirring?' });
    await question.getByText(`stirring on rx01 (${experiment})`).waitFor();
    await takePicture(page, 'profile-stop-first');
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await isStirring()).toBe(true);
    await button('Stop stirring first…').click();
    await question.getByRole('button', { name: 'Stop', exact: true }).click();
    await button('Stop stirring first…').waitFor({ ...patience, state: 'detached' });
    expect(await isStirring()).toBe(false);
    const accept = dialog().getByRole('checkbox', { name: 'Start although findings block it' });
    if (await accept.isVisible()) await accept.check();
    await dialog().getByRole('button', { name: 'Start the run' }).click();
    await page.waitForURL('**/profiles/**', patience);
    await done('Start stirring').getByText('Done').waitFor(patience);
    await done('Start temperature control').getByText('Done').waitFor(patience);
    await takePicture(page, 'profile-run');

    await button('Pause').click();
    await page.getByText('The remaining actions are delayed').waitFor();
    await takePicture(page, 'profile-paused');
    await button('Resume').click();
    await button('Pause').waitFor();
    // The growth rate would start half an hour after the beginning.
    await button(/^Skip to this: rx01 Start growth rate/).click();
    await dialog().getByRole('button', { name: 'Skip', exact: true }).click();
    await done('OD reading').getByText('Skipped').waitFor(patience);
    await takePicture(page, 'profile-skipped');

    await page.getByRole('link', { name: experiment }).first().click();
    await page.getByText('The profile growth curve is running.').waitFor(patience);
    await page.getByRole('link', { name: 'growth curve' }).click();
    await button('Stop…').click();
    await dialog().getByRole('button', { name: 'Stop the run' }).click();
    await page.getByText('Stopped', { exact: true }).waitFor(patience);
    await expect
      .poll(async () => (await unit.client.listRunningJobs()).map(({ job_name }) => job_name), patience)
      .not.toContain('stirring');
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  }, 180_000);
});
