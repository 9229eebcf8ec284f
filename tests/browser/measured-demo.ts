import { startDemoProcess, temporaryFolder } from '@lcs/testkit';
import type { Page } from 'playwright-core';

/** How many units the measured demonstrations have. */
export const measuredUnits = Number(process.env.LCS_UNITS ?? 24);
/** The jobs of a demonstration start one after the other. */
const warmUpMs = 2_000 * measuredUnits;

interface MeasuredDemo extends AsyncDisposable {
  readonly url: string;
}

/** A demonstration whose jobs all run; with LCS_URL one that runs already. */
export async function startMeasuredDemo(name: string): Promise<MeasuredDemo> {
  const running = process.env.LCS_URL;
  if (running !== undefined) return { url: running, [Symbol.asyncDispose]: async () => {} };
  const folder = await temporaryFolder(name);
  const demo = await startDemoProcess({ dataFolder: folder.path, units: measuredUnits });
  await new Promise((resolve) => setTimeout(resolve, warmUpMs));
  return {
    url: demo.url,
    [Symbol.asyncDispose]: async () => {
      await demo.kill('SIGTERM');
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Resolves when the first chart of an experiment has its lines. */
export const untilFirstChart = (page: Page): Promise<void> =>
  page.locator('[data-newest]:not([data-newest=""]):not([data-newest="{}"])').first().waitFor({ timeout: 120_000 });
