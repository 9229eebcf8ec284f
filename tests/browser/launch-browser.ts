import { existsSync } from 'node:fs';
import type { LaunchOptions } from 'playwright-core';

/** The headless shell draws no window: it needs a third less of processor time than the whole browser. */
const executablePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** How Chromium is started here; undefined: it is not installed. Where tests need it (`LCS_BROWSER_REQUIRED`) that is an error. */
export function launchOptions(): LaunchOptions | undefined {
  if (executablePath === undefined) {
    if (process.env.LCS_BROWSER_REQUIRED)
      throw new Error('Chromium is needed: apt-get install chromium-headless-shell');
    return undefined;
  }
  return {
    executablePath,
    args: [
      '--no-sandbox',
      // Pages of one process share what is compiled, which is a tenth of the processor time.
      '--renderer-process-limit=4',
      '--disable-gpu',
      // No test looks at a transition, and each frame of one is drawn by the processor.
      '--force-prefers-reduced-motion',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  };
}
