import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@lcs/testkit';
import { chromium } from 'playwright-core';
import { phone } from './browser.ts';
import { startFullDemonstration } from './demonstration.ts';
import { launchOptions } from './launch-browser.ts';
import { openPage, pages } from './pages.ts';

/**
 * Takes the twelve pictures of docs/web-ui.md, of a demonstration that has run for a minute: `npm run picture`. LCS_PICTURES: another
 * folder.
 */
const views = [
  { page: 'now' },
  { page: 'overview' },
  { page: 'units-of-experiment' },
  { page: 'timeline' },
  { page: 'experiments' },
  { page: 'live' },
  { page: 'why' },
  { page: 'editor' },
  { page: 'calibrations' },
  { page: 'alarms' },
  { page: 'overview', colorScheme: 'dark' },
  { page: 'now', viewport: phone },
] as const satisfies readonly {
  readonly page: keyof typeof pages;
  readonly viewport?: typeof phone;
  readonly colorScheme?: 'dark';
}[];

const folder = process.env.LCS_PICTURES ?? fileURLToPath(new URL('../../docs/images/web-ui', import.meta.url));
const wide = { width: 1280, height: 860 };
const minuteMs = 60_000;

await mkdir(folder, { recursive: true });
await using data = await temporaryFolder('pictures');
const demo = await startFullDemonstration(data.path);
const browser = await chromium.launch(launchOptions());
const waiting = await browser.newPage();
await waiting.waitForTimeout(minuteMs);
for (const view of views) {
  const viewport = 'viewport' in view ? view.viewport : wide;
  const colorScheme = 'colorScheme' in view ? view.colorScheme : 'light';
  const context = await browser.newContext({ viewport, colorScheme, hasTouch: viewport === phone });
  const page = await context.newPage();
  await openPage(page, demo.url, pages[view.page]);
  const name = [view.page, ...(viewport === phone ? ['phone'] : []), ...(colorScheme === 'dark' ? ['dark'] : [])].join(
    '-',
  );
  // Charts are painted after their data came.
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}
await browser.close();
await demo.kill('SIGTERM');
