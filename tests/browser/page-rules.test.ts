import type { NodeProcess, TemporaryFolder } from '@lcs/testkit';
import { temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, overflow, phone, watch } from './browser.ts';
import { startFullDemonstration } from './demonstration.ts';
import { coveredTargets, machineTexts, smallTargets, smallTexts, unreachableEnds } from './page-rules.ts';
import { openPage, pages } from './pages.ts';

/** What each page keeps, on a desk and on a phone. */
describe.skipIf(!hasBrowser())('each page', () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let demo: NodeProcess;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
    folder = await temporaryFolder('pages');
    demo = await startFullDemonstration(folder.path, { pastHours: 4 });
    page = await browser.newPage({ viewport: desktop, hasTouch: true });
    seen = watch(page, demo.url);
  }, 90_000);
  afterAll(async () => {
    await page?.close();
    await demo?.kill('SIGTERM');
    await folder?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it.each(Object.entries(pages))(
    '%s is written for people, legible, and usable by touch, keyboard and screen reader',
    async (_, path) => {
      await page.setViewportSize(desktop);
      await openPage(page, demo.url, path);
      const onDesk = {
        machineTexts: await machineTexts(page),
        smallTexts: await smallTexts(page),
        unreachableEnds: await unreachableEnds(page),
        accessibility: await accessibilityFindings(page, 'all but colours'),
      };
      await page.setViewportSize(phone);
      const onPhone = {
        smallTargets: await smallTargets(page),
        unreachableEnds: await unreachableEnds(page),
      };
      expect({ onDesk, onPhone }).toEqual({
        onDesk: { machineTexts: [], smallTexts: [], unreachableEnds: [], accessibility: [] },
        onPhone: { smallTargets: [], unreachableEnds: [] },
      });
      // Charts follow a change of the window.
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      // No request of the page is refused, and no program fails.
      expect(seen).toEqual({ foreign: [], errors: [] });
    },
  );

  it('lets people press everything while a notice is shown, and after it', async () => {
    await page.setViewportSize(phone);
    await openPage(page, demo.url, '/');
    await page.getByRole('button', { name: 'Note', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Note' }).fill('Looks fine');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const notice = page.getByText('Note added');
    await notice.waitFor();
    await expect.poll(() => coveredTargets(page)).toEqual([]);
    await page.setViewportSize(desktop);
    await expect.poll(() => coveredTargets(page)).toEqual([]);
    await page.getByRole('button', { name: 'Hide' }).click();
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => coveredTargets(page)).toEqual([]);
  });

  it('finds what breaks these rules', async () => {
    await page.setContent(`<main style="width: 300px">
      <p>od_reading</p> <p>2026-11-22T15:26:50.179Z</p> <p>POST /unit_api/jobs</p> <code>of_code</code>
      <p>Set allow_install in [plugins].</p>
      <p style="font-size: 11px">tiny</p>
      <button style="height: 30px">low</button> <p>in a sentence <a href="#">a link</a></p>
      <div style="height: 40px; overflow: hidden"><p style="height: 200px">cut</p></div>
    </main>`);
    expect(await machineTexts(page)).toHaveLength(3);
    expect(await smallTexts(page)).toEqual(['11px tiny']);
    expect(await smallTargets(page)).toEqual([expect.stringContaining('low')]);
    expect(await unreachableEnds(page)).toEqual([expect.stringContaining('cut')]);
    await page.setContent(`<header><button>free</button> <button id="under">under</button></header>
      <div style="position: fixed; left: 0; top: 0; width: 100%; height: 100%; clip-path: inset(0 0 0 70px)"></div>`);
    expect(await coveredTargets(page)).toEqual([expect.stringContaining('under')]);
  });
});
