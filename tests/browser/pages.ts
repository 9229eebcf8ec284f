import type { Page } from 'playwright-core';
import { experiment } from './demonstration.ts';

const of = `/experiments/${experiment}`;

/** Each page of the web UI and each of its parts with an address, in a full demonstration. */
export const pages = {
  now: '/',
  experiments: '/experiments',
  compare: `/compare?e=${experiment},yeast-batch-first`,
  overview: `${of}/overview`,
  'units-of-experiment': `${of}/units`,
  timeline: `${of}/timeline`,
  data: `${of}/data`,
  setup: `${of}/setup`,
  units: '/units',
  live: '/units/unit2',
  control: '/units/unit2?tab=control',
  why: '/units/unit2?tab=why',
  'unit-calibrations': '/units/unit2?tab=calibrations',
  hardware: '/units/unit2?tab=hardware',
  protocols: '/protocols',
  editor: '/protocols/growth-curve.yaml',
  calibrations: '/calibrations',
  alarms: '/alarms/now',
  'alarm-history': '/alarms/history',
  'alarm-rules': '/alarms/rules',
  notifications: '/alarms/notifications',
  configuration: '/settings/configuration',
  plugins: '/settings/plugins',
  backups: '/settings/backups',
  import: '/settings/import',
  updates: '/settings/updates',
  people: '/settings/people',
  audit: '/settings/audit',
  log: '/settings/log',
  leader: '/settings/leader',
  leaders: '/settings/leaders',
  about: '/settings/about',
} as const;

/** Opens a page by its address and resolves when nothing in it is loading any more. */
export async function openPage(page: Page, url: string, path: string): Promise<void> {
  await page.goto(url + path);
  await page.locator('h1').first().waitFor({ timeout: 60_000 });
  const loading = page.locator('.mantine-Skeleton-root, .mantine-Loader-root, [aria-busy=true]');
  for (let left = await loading.count(); left > 0; left = await loading.count())
    await loading.first().waitFor({ state: 'detached', timeout: 60_000 });
}
