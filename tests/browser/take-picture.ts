import { fileURLToPath } from 'node:url';
import { startDemoProcess, temporaryFolder } from '@lcs/testkit';
import { chromium } from 'playwright-core';
import { launchOptions } from './launch-browser.ts';

/** Takes the picture of the README, of a demonstration that has run for half a minute: `npm run picture`. */
await using folder = await temporaryFolder('picture');
const demo = await startDemoProcess({ dataFolder: folder.path });
const browser = await chromium.launch(launchOptions());
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
await page.goto(`${demo.url}/experiments/yeast-batch-demo/units`);
const patience = { timeout: 60_000 };
for (const unit of ['unit1', 'unit2', 'unit3']) {
  const card = page.locator(`[data-unit=${unit}]`);
  await card.locator('[data-job=temperature_automation]').getByText('On', { exact: true }).waitFor(patience);
  await card.getByText('Growth h⁻¹').waitFor(patience);
}
await page.getByRole('link', { name: 'Overview' }).click();
await page.waitForTimeout(30_000);
await page.screenshot({ path: fileURLToPath(new URL('../../docs/images/experiment.png', import.meta.url)) });
await browser.close();
await demo.kill('SIGTERM');
