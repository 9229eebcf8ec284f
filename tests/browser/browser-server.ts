import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { launchOptions } from './launch-browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the browser that all test files share; `null`: no browser is installed. */
    browserAddress: string | null;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const options = launchOptions();
  const server = options && (await chromium.launchServer(options));
  project.provide('browserAddress', server?.wsEndpoint() ?? null);
  return async () => server?.close();
}
