import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profileLibrary } from '@lcs/domain';
import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  });
});
