import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** Whether browser tests can run here; where they must (`LCS_BROWSER_REQUIRED`), a missing browser is an error. */
export function hasBrowser(): boolean {
  if (!executablePath && process.env.LCS_BROWSER_REQUIRED)
    throw new Error('Chromium is needed: apt-get install chromium');
  return executablePath !== undefined;
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/** Notes every request that leaves the leader's own address, and every error the page reports. */
export function watch(page: Page, url: string): { readonly foreign: string[]; readonly errors: string[] } {
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return { foreign, errors };
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with the page as it is now: one line per finding. */
export async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger, which the page's own content policy does not bind.
  await page.evaluate(axe);
  // To describe everything that is right as well takes half as long again on a large page.
  return page.evaluate<string[]>(
    `axe.run(document, { resultTypes: ['violations'], preload: false })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  );
}
