import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { signIn } from '@lcs/testkit';
import { type Browser, type BrowserServer, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchOptions } from './launch-browser.ts';
import { machineTexts } from './page-rules.ts';

const options = launchOptions();

/** Pages of tests live for seconds: to optimise their code costs more than it gains, a sixth of the processor time. */
const testArguments = ['--js-flags=--no-opt --no-maglev'];

let server: Promise<BrowserServer> | undefined;

/** Whether browser tests can run here. */
export const hasBrowser = (): boolean => options !== undefined;

/**
 * Connects to the browser that all test files of a process share; to close the connection closes the file's pages. The browser ends with
 * the process, whose end closes the pipe between them.
 */
export async function openBrowser(): Promise<Browser> {
  server ??= chromium.launchServer({ ...options, args: [...(options?.args ?? []), ...testArguments] });
  return chromium.connect((await server).wsEndpoint());
}

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

/** With `LCS_SCREENSHOTS=folder` the steps of tests leave pictures there. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.LCS_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}

/**
 * Records each request to another address than the leader's, and each error and warning on the console. An answer with a status of 400 and above
 * is an error of the console, too; it has its address.
 */
export function watch(page: Page, url: string): { readonly foreign: string[]; readonly errors: string[] } {
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    errors.push([message.text(), message.location().url.replace(url, '')].join(' ').trim());
  });
  return { foreign, errors };
}

/** Gives the pages of a browser context a new session of this person; the next load of a page uses it. */
export async function signInAs(page: Page, url: string, name: string, password: string): Promise<void> {
  const { cookie = '' } = await signIn(url, name, password);
  const [cookieName = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name: cookieName, value, url }]);
}

/** Goes to another page by a link while something is not saved, and stays: the web UI asks before typed text is lost. */
export async function stayWithTyped(page: Page, field: Locator): Promise<void> {
  const typed = await field.inputValue();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Now', exact: true }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
  expect(await field.inputValue()).toBe(typed);
}

/** Clicks one after the other before the page is drawn again: as when it follows a person slowly. */
export const clickAll = (targets: Locator): Promise<void> =>
  targets.evaluateAll((all: readonly { readonly click: () => void }[]) => {
    for (const each of all) each.click();
  });

/** By how many pixels the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that depend on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

const rulesOf = {
  all: {},
  colours: { runOnly: colourRules },
  'all but colours': { rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])) },
};

/** Resolves when nothing fades: half transparent text has less contrast. */
const settled = `(async () => {
  for (;;) {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
    if (transitions.length === 0) return;
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  }
})()`;

/** Resolves when nothing of the page fades or grows any more. */
export const settle = (page: Page): Promise<void> => page.evaluate<void>(settled);

/** The findings of axe-core on the present page; with all rules also texts that only a machine would write. One line per finding. */
export async function accessibilityFindings(
  page: Page,
  rules: keyof typeof rulesOf = 'all',
): Promise<readonly string[]> {
  // Evaluated by the debugger, which the page's own content policy does not bind.
  if (await page.evaluate<boolean>('globalThis.axe === undefined')) await page.evaluate(axe);
  await settle(page);
  // A report of passed rules as well takes half as long again on a large page.
  const options = { resultTypes: ['violations'], preload: false, ...rulesOf[rules] };
  const findings = await page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify(options)})
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  );
  const texts = rules === 'all' ? await machineTexts(page) : [];
  return [...findings, ...texts.map((text) => `machine text: ${text}`)];
}

/** The findings about colours, in both colour schemes. These rules take most of the time: a component's colours are checked once. */
export async function colourFindings(page: Page): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    findings.push(...(await accessibilityFindings(page, 'colours')).map((finding) => `${colorScheme}: ${finding}`));
  }
  return findings;
}
