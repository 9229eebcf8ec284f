import type { NodeProcess, TemporaryFolder } from '@lcs/testkit';
import { temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, overflow, phone, settle, watch } from './browser.ts';
import { startFullDemonstration } from './demonstration.ts';
import {
  coveredTargets,
  hiddenFocuses,
  machineTexts,
  smallTargets,
  smallTexts,
  unreachableEnds,
  withWideSpacing,
} from './page-rules.ts';
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

  /** The buttons of the page that open something, one for each text; units and numbers make no difference. */
  const openers = async (): Promise<readonly string[]> => {
    const names = await page.locator('main button:visible:enabled').evaluateAll((buttons) =>
      buttons
        .map((button) => ({
          name: button.getAttribute('aria-label') ?? button.textContent ?? '',
          isMenu: button.getAttribute('aria-haspopup') === 'menu',
        }))
        .filter(({ name, isMenu }) => isMenu || name.endsWith('…'))
        .map(({ name }) => name.trim()),
    );
    return [...new Map(names.map((name) => [name.replaceAll(/unit\d+|\d+/g, ''), name])).values()];
  };
  const opened = '[role=dialog]:visible, [role=menu]:visible';
  const hasFocus = (selector: string) =>
    page.evaluate<boolean>(`document.activeElement?.closest(${JSON.stringify(selector)}) != null`);
  const seenBefore = new Set<string>();

  let shownPath: string | undefined;
  /** On a phone charts below the window are not loaded. */
  const open = async (path: string): Promise<void> => {
    await page.setViewportSize(desktop);
    await openPage(page, demo.url, path);
    shownPath = path;
  };
  const reopen = async (path: string): Promise<void> => {
    await open(path);
    await page.setViewportSize(phone);
  };

  /** What is wrong with the dialog or menu that a button opens; nothing when it opens none. */
  const faultsBehind = async (name: string, path: string): Promise<readonly string[]> => {
    const opener = page.getByRole('button', { name, exact: true }).and(page.locator(':visible')).first();
    if ((await opener.count()) === 0) return ['its name for screen readers is another'];
    await opener.focus();
    await page.keyboard.press('Enter');
    const shown = await page
      .locator(opened)
      .first()
      .waitFor({ timeout: 5_000 })
      .then(
        () => true,
        () => false,
      );
    if (!shown) {
      await reopen(path);
      return [];
    }
    const faults: string[] = [];
    const within = '[role=dialog], [role=menu]';
    await expect.poll(() => hasFocus(within)).toBe(true);
    await settle(page);
    faults.push(...(await smallTargets(page, within)), ...(await smallTexts(page)), ...(await unreachableEnds(page)));
    for (let steps = 0; steps < 12; steps += 1) await page.keyboard.press('Tab');
    if (!(await hasFocus(within)) && (await page.locator('[role=dialog]:visible').count()) > 0)
      faults.push('Tab leaves the dialog');
    await page.keyboard.press('Escape');
    await settle(page);
    // The first may have closed a list of suggestions.
    if ((await page.locator(opened).count()) > 0) await page.keyboard.press('Escape');
    const isGone = await page
      .locator(opened)
      .first()
      .waitFor({ state: 'detached', timeout: 5_000 })
      .then(
        () => true,
        () => false,
      );
    if (!isGone) {
      await reopen(path);
      return [...faults, 'Escape does not close it'];
    }
    if (!(await opener.evaluate((element) => element.matches(':focus')))) faults.push('the focus does not return');
    return faults;
  };

  describe.each(Object.entries(pages))('%s', (_, path) => {
    it('is written for people, legible, and usable by touch, keyboard and screen reader', async () => {
      await open(path);
      const onDesk = {
        machineTexts: await machineTexts(page),
        smallTexts: await smallTexts(page),
        unreachableEnds: await unreachableEnds(page),
        hiddenFocuses: await hiddenFocuses(page),
        accessibility: await accessibilityFindings(page, 'all but colours'),
      };
      await page.setViewportSize(phone);
      const onPhone = {
        smallTexts: await smallTexts(page),
        smallTargets: await smallTargets(page),
        unreachableEnds: await unreachableEnds(page),
        unreachableEndsOfWideText: await withWideSpacing(page, () => unreachableEnds(page)),
      };
      expect({ onDesk, onPhone }).toEqual({
        onDesk: { machineTexts: [], smallTexts: [], unreachableEnds: [], hiddenFocuses: [], accessibility: [] },
        onPhone: { smallTexts: [], smallTargets: [], unreachableEnds: [], unreachableEndsOfWideText: [] },
      });
      // Charts follow a change of the window.
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      await withWideSpacing(page, () => expect.poll(() => overflow(page)).toBeLessThanOrEqual(0));
      // As wide as a window of 1280 px with a zoom of 400 %.
      await page.setViewportSize({ width: 320, height: 640 });
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      // No request of the page is refused, and no program fails.
      expect(seen).toEqual({ foreign: [], errors: [] });
    });

    it('has dialogs and menus that fit a finger, keep the focus, and give it back', async () => {
      if (shownPath !== path) await open(path);
      await page.setViewportSize(phone);
      const faults: Record<string, readonly string[]> = {};
      for (const name of await openers()) {
        if (seenBefore.has(name)) continue;
        seenBefore.add(name);
        const found = await faultsBehind(name, path);
        if (found.length > 0) faults[name] = found;
      }
      expect(faults).toEqual({});
    }, 120_000);
  });

  it('lets people press everything while a notice is shown, and after it', async () => {
    await page.setViewportSize(phone);
    await openPage(page, demo.url, '/');
    await page.getByRole('button', { name: 'Note', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Note' }).fill('Looks fine');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const notice = page.getByText('Note added');
    await notice.waitFor();
    // A screen reader says it without the focus.
    expect(
      await page.locator('[role=alert], [role=status], [aria-live]').filter({ has: notice }).count(),
    ).toBeGreaterThan(0);
    await expect.poll(() => coveredTargets(page)).toEqual([]);
    await page.setViewportSize(desktop);
    await expect.poll(() => coveredTargets(page)).toEqual([]);
    await page.getByRole('button', { name: 'Hide' }).click();
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => coveredTargets(page)).toEqual([]);
  });

  it('names the error of a field to a screen reader', async () => {
    await page.setViewportSize(desktop);
    await openPage(page, demo.url, '/experiments');
    await page.getByRole('button', { name: 'New experiment' }).click();
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('a/b');
    await name.press('Enter');
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
    const described = (await name.getAttribute('aria-describedby')) ?? '';
    const texts = described.split(/ +/).map((id) => page.locator(`[id="${id}"]`).textContent());
    expect((await Promise.all(texts)).join('')).toMatch(/\//);
    await name.fill('');
    await page.keyboard.press('Escape');
  });

  it('finds what breaks these rules', async () => {
    await page.setContent(`<style>button, code { font: 14px sans-serif }</style><main style="width: 300px">
      <p>od_reading</p> <p>2026-11-22T15:26:50.179Z</p> <p>POST /unit_api/jobs</p> <code>of_code</code>
      <p>Set allow_install in [plugins].</p>
      <p style="font-size: 13px">small</p> <p class="caption" style="font-size: 12px">caption</p>
      <dl><dt style="font-size: 11px">tiny</dt></dl>
      <button style="height: 30px">low</button> <p>in a sentence <a href="#">a link</a></p>
      <div style="height: 40px; overflow: hidden"><p style="height: 200px">cut</p></div>
    </main>`);
    expect(await machineTexts(page)).toHaveLength(3);
    expect(await smallTexts(page)).toEqual(['13px small', '11px tiny']);
    expect(await smallTargets(page)).toEqual([expect.stringContaining('low')]);
    expect(await unreachableEnds(page)).toEqual([expect.stringContaining('cut')]);
    expect(await hiddenFocuses(page)).toEqual([]);
    await page.setContent(`<main style="width: 300px"><button style="outline: 0">without a mark</button>
      <button>under the bar</button><button style="width: 43px; height: 60px; padding: 0">n</button><button style="width: 44px; height: 44px; padding: 0">w</button>
      <div style="width: 90px; overflow: hidden; white-space: nowrap; height: 20px">as it is</div>
      <p style="height: 30px; line-height: 1; width: 150px; overflow: hidden">Words that fill their box as it is.</p>
      <div style="position: fixed; left: 0; top: 0; width: 100%; height: 100%; background: white"></div></main>`);
    expect(await hiddenFocuses(page)).toEqual([
      expect.stringContaining('without a mark'),
      expect.stringContaining('under the bar'),
      expect.stringContaining('"n"'),
      expect.stringContaining('"w"'),
    ]);
    await page.evaluate("document.querySelector('main > div:last-child').remove()");
    expect(await smallTargets(page)).toEqual(expect.arrayContaining([expect.stringContaining('"n"')]));
    expect(await smallTargets(page)).not.toEqual(expect.arrayContaining([expect.stringContaining('"w"')]));
    expect(await unreachableEnds(page)).toEqual([]);
    expect(await withWideSpacing(page, () => unreachableEnds(page))).toEqual([
      expect.stringContaining('Words that fill'),
    ]);
    await page.setContent(`<header><button>free</button> <button id="under">under</button></header>
      <div style="position: fixed; left: 0; top: 0; width: 100%; height: 100%; clip-path: inset(0 0 0 70px)"></div>`);
    expect(await coveredTargets(page)).toEqual([expect.stringContaining('under')]);
  });
});
