import type { Demo } from '@lcs/cluster';
import { type AcceptedTask, createClient, leaderApi, unitApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { startDemo, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, takePicture } from './browser.ts';

const experiment = 'yeast-batch-demo';
const patience = { timeout: 60_000 };
const clock = realClock();

const profile = `experiment_profile_name: Quiet
version: "1.0"
pioreactors:
  unit2:
    jobs:
      dosing_automation:
        actions:
          - {type: start, t: 0s, options: {automation_name: silent}}
          - {type: stop, t: 2h}
`;

describe.skipIf(!hasBrowser())('doses and targets in the web UI', () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let demo: Demo;
  let page: Page;
  const leader = () => createClient(leaderApi, { baseUrl: demo.url });
  const finished = (accepted: AcceptedTask) => waitForTask(demo.url, accepted, { sleep: (ms) => clock.sleep(ms) });
  const open = async (path: string): Promise<void> => {
    await page.goto(`${demo.url}${path}`);
  };
  const dialog = () => page.getByRole('dialog');

  beforeAll(async () => {
    folder = await temporaryFolder('doses-and-targets');
    demo = await startDemo(folder.path, { units: 2, pastHours: 2 });
    browser = await openBrowser();
    page = await browser.newPage({ viewport: desktop });
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await browser?.close();
    await demo?.stop();
    await folder?.[Symbol.asyncDispose]();
  });

  it('a dose that is stopped has one volume on Now, on the page of its unit, in Why? and in the timeline', async () => {
    const client = leader();
    await open('/');
    const tile = page.locator('[data-unit=unit1]');
    await tile.waitFor(patience);
    await finished(
      await client.runWorkerJob({
        params: { reactor_unit: 'unit1', job: 'add_media', experiment },
        body: { options: { ml: 3 } },
      }),
    );
    await tile.getByText(/^Pumping… [\d.]+ mL medium so far/).waitFor(patience);
    await open('/units/unit1');
    await page.getByText(/Last dose: media pump, [\d.]+ mL \(3 mL requested, pumping…\)/).waitFor(patience);
    await takePicture(page, 'pump-runs-live');
    const stop = page.getByRole('button', { name: 'Stop the pumps' });
    await stop.click(patience);
    await stop.waitFor({ ...patience, state: 'detached' });
    const text = page.getByText(/Last dose: media pump, [\d.]+ mL \(3 mL requested, stopped\)/);
    await text.waitFor(patience);
    const volume = /([\d.]+) mL \(/.exec(await text.innerText())?.[1] ?? '';
    const [dose] = await client.getTimeline({ params: { experiment }, query: { kinds: 'dose', limit: 1 } });
    expect(Number(volume)).toBe(Number(dose?.volumes_ml?.media.toPrecision(3)));
    await open('/');
    await tile.getByText(new RegExp(`^Last dose: ${volume} mL medium`)).waitFor(patience);
    await open('/units/unit1?tab=why');
    const run = page.locator('li', { hasText: `${volume} mL (3 mL requested, stopped)` });
    await run.waitFor(patience);
    // To the second, and to the same dose of the timeline and back.
    expect(await run.locator('time').innerText()).toMatch(/\d\d:\d\d:\d\d/);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await run.getByRole('link', { name: 'Timeline' }).click();
    const row = page.locator('li[data-chosen]');
    await row.getByText(`${volume} mL of medium in (3 mL requested, stopped)`).waitFor(patience);
    await takePicture(page, 'dose-in-timeline');
    await row.getByRole('link', { name: /^Why\?/ }).click();
    await page.locator('li[data-chosen]', { hasText: `${volume} mL` }).waitFor(patience);
  }, 180_000);

  it('a target far above the density is asked for a second time, at the start and of a running turbidostat', async () => {
    await open(`/experiments/${experiment}/units`);
    await page.getByRole('button', { name: 'Start Dosing on unit1' }).click(patience);
    await dialog()
      .getByRole('radio', { name: /^Turbidostat/ })
      .check(patience);
    await dialog()
      .getByText(/Now: unit1 \d/)
      .first()
      .waitFor(patience);
    await dialog()
      .getByRole('radio', { name: /^Normalised OD/ })
      .check();
    const target = dialog().getByRole('textbox', { name: 'Target biomass' });
    await target.fill('50000');
    await dialog()
      .getByText(/^unit1: the target is/)
      .waitFor(patience);
    const start = dialog().getByRole('button', { name: 'Start', exact: true });
    await start.click();
    const question = dialog().getByRole('alert', { name: 'The target is far above the present density' });
    await question.waitFor(patience);
    await start.click();
    // A second click on the same button is no answer.
    expect(await question.count()).toBe(1);
    await takePicture(page, 'far-target');
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await target.fill('40000');
    await question.waitFor({ ...patience, state: 'detached' });
    await start.click();
    await question.getByRole('button', { name: 'Start with this target' }).click(patience);
    const row = page.locator('[data-unit=unit1] [data-job=dosing_automation]');
    await row.getByText('On', { exact: true }).waitFor(patience);
    await row.getByRole('button', { name: /^Target biomass/ }).click();
    const form = page.getByRole('dialog', { name: /Target biomass/ });
    await form.getByRole('textbox').fill('30000');
    // Once the page knows the present value, it says so.
    await form
      .getByText(/the target is/)
      .first()
      .waitFor(patience);
    await form.getByRole('button', { name: 'Change', exact: true }).click();
    await form.getByRole('button', { name: 'Change to this target' }).click(patience);
    await row.getByRole('button', { name: /^Target biomass 30,?000/ }).waitFor(patience);
  }, 180_000);

  it('a value that somebody changes while it is edited is shown before the own one is sent', async () => {
    const params = { reactor_unit: 'unit2', job: 'stirring', experiment };
    const row = page.locator('[data-unit=unit2] [data-job=stirring]');
    await row.getByRole('button', { name: /^Target stir RPM/ }).click(patience);
    const form = page.getByRole('dialog', { name: /Target stir RPM/ });
    await form.getByRole('textbox').fill('0.5');
    await form.getByText(/^Slower than 24 RPM/).waitFor(patience);
    await form.getByRole('textbox').fill('450');
    await finished(await leader().updateWorkerJob({ params, body: { settings: { target_rpm: 520 } } }));
    await form.getByText('Meanwhile the value was changed to 520.').waitFor(patience);
    const change = form.getByRole('button', { name: 'Change', exact: true });
    expect(await change.isDisabled()).toBe(true);
    await takePicture(page, 'value-changed-meanwhile');
    await form.getByRole('button', { name: 'Keep mine' }).click();
    await change.click();
    await row.getByRole('button', { name: /^Target stir RPM 450/ }).waitFor(patience);
  }, 120_000);

  it('dosing without stirring names that, and starts it', async () => {
    await finished(
      await leader().stopWorkerJob({ params: { reactor_unit: 'unit2', job_name: 'stirring', experiment } }),
    );
    await page.getByRole('button', { name: 'Start Dosing on unit2' }).click(patience);
    await dialog()
      .getByRole('radio', { name: /^Chemostat/ })
      .check(patience);
    await dialog()
      .getByText(/^stirring is off on unit2/i)
      .waitFor(patience);
    await dialog()
      .getByRole('button', { name: /^Start stirring/i })
      .click();
    await dialog()
      .getByText(/^stirring is off on unit2/i)
      .waitFor({ ...patience, state: 'detached' });
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    const leave = page.getByRole('button', { name: /^(Discard|Leave)/ });
    if ((await leave.count()) > 0) await leave.click();
  }, 120_000);

  it('what a profile had started is started again after its stop', async () => {
    const client = leader();
    await client.createExperimentProfile({ body: { filename: 'quiet.yaml', body: profile } });
    await createClient(unitApi, { baseUrl: demo.url }).runJob({
      params: { job: 'experiment_profile' },
      body: { args: ['execute', 'quiet.yaml', experiment] },
    });
    await open(`/experiments/${experiment}/units`);
    const row = page.locator('[data-unit=unit2] [data-job=dosing_automation]');
    await row.getByText('On', { exact: true }).waitFor(patience);
    const onSinceMs = performance.now();
    const [run] = await client.listAllProfileRuns({ query: {} });
    if (run === undefined) throw new Error('No profile runs.');
    // A unit takes the same job once a second.
    await expect.poll(() => performance.now() - onSinceMs).toBeGreaterThan(1_000);
    await client.stopProfileRun({ params: { experiment, run_id: run.run_id } });
    await row.getByText('Off', { exact: true }).waitFor(patience);
    const told = page.getByRole('region', { name: 'Stops' });
    await told.getByText(`Stop the profile of ${experiment}`).waitFor(patience);
    await told.getByText(/^1 job on 1 unit/).waitFor(patience);
    await told.getByRole('button', { name: 'Start again' }).click();
    await row.getByText('On', { exact: true }).waitFor(patience);
    await told.waitFor({ ...patience, state: 'detached' });
  }, 120_000);

  it('a second export while one runs is asked for', async () => {
    // Nothing is heard of the task: an export counts as running until its end is known.
    await page.route('**/api/live**', (route) => route.abort());
    await page.route('**/task_results/**', () => {});
    await open(`/experiments/${experiment}/data`);
    for (const box of await page.getByRole('group', { name: 'Datasets' }).getByRole('checkbox').all())
      await box.check(patience);
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && /export/.test(request.url())) sent += 1;
    });
    const button = page.getByRole('button', { name: 'Export', exact: true });
    await button.click();
    await page.getByText('Exporting…', { exact: true }).waitFor(patience);
    const before = sent;
    await button.click();
    await page.getByText('The export that you began is still running.').waitFor(patience);
    expect(sent).toBe(before);
  }, 120_000);
});
