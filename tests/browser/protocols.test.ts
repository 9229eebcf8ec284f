import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profileLibrary } from '@lcs/domain';
import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
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
const warmUp = `experiment_profile_name: warm up
version: "1.0"
metadata: {author: lab, description: Stirs for an hour.}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: 400}}
        - {type: stop, t: 1h}
`;

describe.skipIf(!hasBrowser())('protocols in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    leader = await startLeader({ clock: new VirtualClock({ startMs: Date.now() }) });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  });
  afterEach(async () => {
    await page.close();
    await leader[Symbol.asyncDispose]();
  });

  const region = (name: string) => page.getByRole('region', { name });
  const start = async (file: string) =>
    leader.finished(
      await leader.client.runJob({
        params: { job: 'experiment_profile' },
        body: { args: ['execute', file, experiment], options: { 'dry-run': null } },
      }),
    );

  it('lists saved profiles with their faults, the library, and the runs of all experiments', async () => {
    await page.goto(leader.url);
    await page.getByRole('link', { name: 'Protocols' }).click();
    await region('Saved profiles').getByText('No profiles yet. Choose a starting point').waitFor();
    await region('Runs').getByText('No runs yet.').waitFor();
    const points = region('Starting points').getByRole('listitem');
    await expect.poll(() => points.count()).toBe(profileLibrary.length);

    await leader.client.createExperimentProfile({ body: { filename: 'warm-up.yaml', body: warmUp } });
    await writeFile(join(leader.dataFolder, 'experiment_profiles', 'broken.yaml'), 'version: "1.0"\n');
    await leader.client.createExperiment({ body: { experiment } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params, body: { reactor_unit: 'rx01' } });
    await start('warm-up.yaml');
    // The live stream reports the run.
    const run = region('Runs').getByRole('row', { name: /warm up.*exp 1/ });
    await run.getByText('Running (dry run)').waitFor();
    await page.reload();
    const saved = region('Saved profiles').getByRole('listitem');
    await saved.filter({ hasText: 'warm-up.yaml, for all units' }).getByText('Stirs for an hour.').waitFor();
    await saved.filter({ hasText: 'broken.yaml' }).getByText('Cannot be used:').waitFor();
    await run.getByRole('link', { name: experiment }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'protocols');

    await leader.finished(await leader.client.stopJobs({ body: { job_name: 'experiment_profile' } }));
    await run.getByText('Stopped (dry run)').waitFor();
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  });

  const editor = () => page.getByRole('textbox', { name: /^Text of/ });
  /** The whole text: the editor draws only what can be seen. */
  const text = async (file: string) => leader.client.getExperimentProfile({ params: { filename: file } });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  const findings = () => region('Findings');
  const openSaved = async () => {
    await leader.client.createExperimentProfile({ body: { filename: 'warm-up.yaml', body: warmUp } });
    await page.goto(`${leader.url}/protocols/warm-up.yaml`);
    await editor().getByText('warm up').waitFor();
  };

  it('are set by a form, or written: a finding leads to its line; the copy is saved under another name', async () => {
    const values = region('Values');
    // A loop has its steps in sentences; it is changed in the text.
    await page.goto(`${leader.url}/protocols/new?from=sampling-reminder.yaml`);
    await values.getByRole('textbox', { name: 'Time between exchanges' }).waitFor();
    expect(await values.getByText('Other steps are changed in the text.').count()).toBe(1);
    await region('Timeline').getByText('Each step in a sentence').click();
    await region('Timeline')
      .getByText(/Begin iteration 1 of the loop/)
      .first()
      .waitFor();
    await page.goto(`${leader.url}/protocols`);
    await page.getByRole('link', { name: 'Use as a starting point: growth curve' }).click();
    await findings().getByText('No findings in the text.').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'editor-new');

    await values.getByRole('textbox', { name: 'Temperature', exact: true }).fill('30.5');
    const end = values.getByRole('textbox', { name: /^Stop stirring, .* after/ });
    await end.fill('');
    await end.press('Tab');
    await values.getByText('A value is needed.').waitFor();
    await end.fill('72');
    await end.press('Tab');
    await page.getByText('Not saved yet').waitFor();
    await region('Timeline').getByText('Each step in a sentence').click();
    await region('Timeline').getByText('Start temperature control (thermostat): target temperature 30.5 °C').waitFor();

    await page.getByText('Text (YAML)').click();
    await page.locator('.cm-line', { hasText: 'inputs: {' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type('\nversoin: "1.0"');
    const finding = findings().getByRole('listitem').filter({ hasText: 'versoin' });
    await finding.getByText('Error:').waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.locator('.cm-lint-marker-error').first().waitFor();
    await save();
    await page.getByText('This is not a valid experiment profile.').waitFor();
    await takePicture(page, 'editor-finding');
    await page.keyboard.press('Escape');
    await finding.getByRole('button', { name: /^Line/ }).click();
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Delete');
    await findings().getByText('No findings').waitFor();
    await page.getByRole('textbox', { name: 'File name' }).fill('my curve?');
    await save();
    await page.getByText("'my curve?.yaml' is not a valid profile name.").waitFor();
    await page.getByRole('textbox', { name: 'File name' }).fill('my-curve');
    await save();
    await page.waitForURL('**/protocols/my-curve.yaml');
    await page.getByRole('heading', { level: 1, name: 'my-curve.yaml' }).waitFor();
    const saved = await text('my-curve.yaml');
    expect(saved.match(/temperature_c: 30\.5|t: 72h|t: 48h/g)).toEqual([
      'temperature_c: 30.5',
      ...Array(4).fill('t: 72h'),
    ]);
    expect(await colourFindings(page)).toEqual([]);
    expect(seen.foreign).toEqual([]);
    // The browser logs the two refused requests, and nothing about the content security policy.
    expect(seen.errors).toEqual([expect.stringContaining('400'), expect.stringContaining('400')]);
  });

  it('are edited by keyboard with suggestions, without a trap', async () => {
    await openSaved();
    await editor().getByText('type: stop').click();
    await page.keyboard.press('End');
    await page.keyboard.type('\n- {ty');
    const suggestions = page.getByRole('listbox');
    await suggestions.getByRole('option', { name: 'type' }).waitFor();
    // This takes longer than the pause in which the editor lets a key pass that was pressed before the suggestions were seen.
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.type('lo');
    await suggestions.getByRole('option', { name: 'log' }).waitFor();
    await takePicture(page, 'editor-suggestions');
    await suggestions.getByRole('option', { name: 'log' }).click();
    await page.keyboard.type(', t: 30m, options: {message: half}}');
    await findings().getByText('No findings').waitFor();
    // Tab indents; Escape and Tab leave the editor, and so does Escape and Shift+Tab.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(`document.activeElement.closest('.cm-editor') === null`)).toBe(true);
    await save();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await text('warm-up.yaml')).toContain('        - {type: log, t: 30m, options: {message: half}}');
    expect(seen.errors).toEqual([]);
  });

  it('that another person changes lose neither version', async () => {
    await openSaved();
    const replace = async (words: string) => {
      await editor()
        .getByText('name: warm')
        .click({ position: { x: 2, y: 8 } });
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+End');
      await page.keyboard.type(`experiment_profile_name: ${words}`);
    };
    await replace('mine');
    const theirs = warmUp.replace('warm up', 'theirs');
    await leader.client.saveExperimentProfile({
      params: { filename: 'warm-up.yaml' },
      query: {},
      body: { body: theirs },
    });
    await save();
    await page.getByText('Another person has saved this file').waitFor();
    expect(await text('warm-up.yaml')).toBe(theirs);
    await takePicture(page, 'editor-conflict');
    await page.getByRole('button', { name: 'Load the saved version' }).click();
    await editor().getByText('name: theirs').waitFor();
    await page.getByRole('button', { name: 'Load my changes again' }).click();
    await editor().getByText('name: mine').waitFor();
    await save();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await text('warm-up.yaml')).toBe(warmUp.replace('warm up', 'mine'));
    expect(seen.errors).toEqual([expect.stringContaining('412')]);
  });

  it('are not lost by leaving the page, and are deleted only after a confirmation', async () => {
    await openSaved();
    await editor().getByText('warm up').click();
    await page.keyboard.type('x');
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('link', { name: 'Units' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('are not saved').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    // A link in a dialog asks as the dialog does.
    await page.getByRole('button', { name: 'Run…' }).click();
    await dialog.getByRole('checkbox', { name: 'Dry run' }).check();
    await dialog.getByRole('link', { name: 'Create one' }).click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await dialog.getByRole('checkbox', { name: 'Dry run' }).isChecked()).toBe(true);
    await dialog.getByRole('link', { name: 'Create one' }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.waitForURL('**/experiments');
    await page.goBack();
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { level: 1, name: 'New profile' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'File name' }).inputValue()).toBe('warm-up-copy.yaml');
    await page.goto(`${leader.url}/protocols/warm-up.yaml`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.waitForURL('**/protocols');
    await region('Saved profiles').getByText('No profiles yet.').waitFor();
    await page.setViewportSize(phone);
    await page.goto(`${leader.url}/protocols/warm-up.yaml`);
    await page.getByText('There is no profile warm-up.yaml').waitFor();
    await page.goto(`${leader.url}/protocols/new`);
    await findings().getByText('No findings').waitFor();
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    expect(seen.errors).toEqual([expect.stringContaining('404')]);
  });

  it('are brought into their canonical form', async () => {
    const body = warmUp.replace('{author: lab, description: Stirs for an hour.}', '{ author:   lab } # who');
    const { body: formatted, changed } = await leader.client.formatExperimentProfile({ body: { body } });
    expect(changed).toBe(true);
    await leader.client.createExperimentProfile({ body: { filename: 'warm-up.yaml', body } });
    await page.goto(`${leader.url}/protocols/warm-up.yaml`);
    await page.getByRole('button', { name: 'Format' }).click();
    await page.getByText('Not saved yet').waitFor();
    await save();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await text('warm-up.yaml')).toBe(formatted);
  });

  it('have a timeline of each unit with loops and waits, which leads to the lines of the text and back', async () => {
    await page.goto(`${leader.url}/protocols/new?from=growth-curve.yaml`);
    const timeline = region('Timeline');
    const lane = (job: string) => timeline.locator(`[data-lane=${job}]`);
    await timeline.getByText('The end depends on conditions.').waitFor();
    await lane('temperature_automation').locator('[data-action=stop]').click();
    const line = page.locator('.cm-activeLine');
    await expect.poll(() => line.textContent()).toContain('type: stop, t: 48h');
    await lane('temperature_automation').locator('[data-action=stop][data-current=true]').waitFor();
    await page.locator('.cm-line', { hasText: 'target_rpm' }).click();
    await lane('stirring').locator('[data-action=start][data-current=true]').waitFor();
    await timeline.getByText('Each step in a sentence').click();
    await timeline
      .getByRole('button', {
        name: 'At 10 s: Start temperature control (thermostat): target temperature 37 °C.',
      })
      .click();
    await expect.poll(() => line.textContent()).toContain('target_temperature');
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'editor-timeline');

    // The plan is that of the units of an experiment, and stays while the text has errors.
    await leader.client.createExperiment({ body: { experiment } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params, body: { reactor_unit: 'rx01' } });
    await timeline.getByRole('combobox', { name: 'Units of' }).click();
    await page.getByRole('option', { name: experiment }).click();
    await timeline.locator('[data-unit=rx01]').waitFor();
    await page.locator('.cm-line', { hasText: 'version' }).first().click();
    await page.keyboard.press('Home');
    await page.keyboard.type('x');
    await timeline.getByText('Of the text before').waitFor();
    await timeline.locator('[data-unit=rx01]').waitFor();
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    expect(seen.errors).toEqual([]);
  });
});
