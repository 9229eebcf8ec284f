import type { ProfileRehearsal } from '@lcs/contract';
import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
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

const hours = Array.from({ length: 97 }, (_, index) => index / 2);
const grown = hours.map((hour) => 0.05 + 1.9 / (1 + Math.exp(6 - hour / 2)));
const series = (name: string, unit: string, values: readonly number[], spread: number) => ({
  name,
  unit,
  median: [...values],
  low: values.map((value) => value * (1 - spread)),
  high: values.map((value) => value * (1 + spread)),
});
const unitOf = (reactor_unit: string, factor: number): ProfileRehearsal['units'][number] => ({
  reactor_unit,
  is_od_calibrated: true,
  hours,
  series: [
    series(
      'od',
      'AU',
      grown.map((value) => value * factor),
      0.2,
    ),
    series(
      'temperature',
      '°C',
      hours.map((hour) => 37 - 15 * Math.exp(-4 * hour)),
      0.01,
    ),
    {
      name: 'media_used',
      unit: 'mL',
      median: hours.map(() => null),
      low: hours.map(() => null),
      high: hours.map(() => null),
    },
  ],
  conditions: [
    {
      path: 'common.jobs.growth_rate_calculating.actions[1]',
      iteration: 0,
      share: 0.9,
      low_h: 9,
      median_h: 10.5,
      high_h: 13,
    },
  ],
  actions: [],
});
/** A rehearsal of two units that finishes in some draws. */
const story: ProfileRehearsal = {
  experiment_profile_name: 'growth curve',
  simulated_hours: 48,
  draws: 20,
  seed: 1,
  interval_s: 60,
  computed_in_s: 4,
  memory_mib: 120,
  can_finish: 'uncertain',
  findings: [
    {
      severity: 'warning',
      code: 'wait_not_ended',
      reactor_unit: 'rx01',
      message: 'The condition does not become true before the end.',
      at_h: 48,
      share: 0.1,
    },
  ],
  culture: {
    organism: 'yeast',
    growth_rate: 0.45,
    growth_rate_spread: 0.1,
    temperature: 30,
    initial_od: 0.05,
    initial_od_spread: 0.2,
    lag_h: 1,
    highest_od: 12,
    half_share: null,
    pump_spread: 0.05,
  },
  units: [unitOf('rx01', 1), unitOf('rx02', 0.7)],
};
const times = { created_at: '2026-05-02T09:00:00.000Z', started_at: '2026-05-02T09:00:00.000Z' };
const result_url_path = '/unit_api/task_results/rehearsal1';
const accepted = { unit: 'lead', task_id: 'rehearsal1', result_url_path, status: 'accepted' };

/** What a leader answers; the rehearsal itself has tests of its own. */
async function answerWith(page: Page, begun: object) {
  const requests: string[] = [];
  let state = begun;
  await page.route('**/api/experiment_profiles/simulate', async (route) => {
    requests.push(route.request().postData() ?? '');
    await route.fulfill({ status: 202, json: accepted });
  });
  await page.route(`**${result_url_path}`, (route) =>
    route.fulfill({ json: { ...accepted, ...times, message: null, finished_at: null, progress: null, ...state } }),
  );
  return {
    requests,
    end: (ended: object): void => {
      state = ended;
    },
  };
}

describe.skipIf(!hasBrowser())('the rehearsal of a profile in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;

  beforeAll(async () => {
    browser = await openBrowser();
    leader = await startLeader({ clock: new VirtualClock({ startMs: Date.now() }) });
  });
  afterAll(async () => {
    await browser?.close();
    await leader?.[Symbol.asyncDispose]();
  });

  it('shows its progress, whether the run can finish and why not, and the curves with their bands', async () => {
    const page = await browser.newPage({ viewport: { ...desktop, height: 1400 } });
    const seen = watch(page, leader.url);
    const { requests, end } = await answerWith(page, { status: 'running', progress: 0.4 });
    await page.goto(`${leader.url}/protocols/new?from=growth-curve.yaml`);
    const panel = page.getByRole('region', { name: 'Rehearsal' });
    await page.getByText('No findings in the text.').waitFor();
    await panel.getByRole('button', { name: 'Rehearse' }).click();
    await panel.getByText('Computing: 40 %').waitFor();
    // The profile may be saved, and the page left, while it runs.
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/protocols/growth-curve.yaml');
    await panel.getByText('Computing: 40 %').waitFor();
    await page.getByRole('link', { name: 'Protocols' }).first().click();
    await page.getByRole('link', { name: 'growth curve' }).click();
    await panel.getByText('Computing: 40 %').waitFor();
    await page.reload();
    await panel.getByText('Computing: 40 %').waitFor();
    end({ status: 'succeeded', progress: 1, result: story, finished_at: times.created_at });
    await panel.getByText('The profile reaches its end in some simulations only.').waitFor();
    expect(JSON.parse(requests[0] ?? '')).toMatchObject({ draws: 20, culture: { organism: 'yeast' } });
    await panel
      .getByText('rx01: The condition does not become true before the end (in 10 % of the simulations')
      .waitFor();
    await panel.getByText(/rx01, rx02: The wait until growth rate .* ends, after 10 h 30 min/).waitFor();
    const od = panel.getByRole('slider', { name: /^OD, AU, at the end: rx01 1.95/ });
    await od.press('ArrowRight');
    await expect.poll(() => od.getAttribute('aria-valuetext')).toContain('rx02');
    expect(await panel.locator('[data-band]').count()).toBe(2);
    expect(await colourFindings(page)).toEqual([]);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await takePicture(page, 'rehearsal');
    await page.setViewportSize(phone);
    // The charts take their new width a frame later.
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    expect(seen.errors).toEqual([]);
    await page.close();
  });

  it('that fails shows why', async () => {
    const page = await browser.newPage({ viewport: desktop });
    const failed = {
      error: 'It failed.',
      cause: 'Too little memory.',
      remediation: 'Rehearse fewer draws.',
      code: 'x',
    };
    await answerWith(page, { status: 'failed', ...failed, finished_at: times.created_at });
    await page.goto(`${leader.url}/protocols/new`);
    await page.getByText('No findings in the text.').waitFor();
    await page.getByRole('button', { name: 'Rehearse' }).click();
    await page.getByText('Rehearse fewer draws.').waitFor();
    await page.close();
  });
});
