import { mkdir } from 'node:fs/promises';
import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, phone, watch } from './browser.ts';

/** With `LCS_SCREENSHOTS=folder` each step leaves a picture to look at. */
const pictures = process.env.LCS_SCREENSHOTS;

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: `${pictures}/${name}.png` });
}

describe.skipIf(!hasBrowser())('the page in a browser', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    // The page compares times with the browser's clock.
    leader = await startLeader({ clock: new VirtualClock({ startMs: Date.now() }) });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  });
  afterEach(async () => {
    await page.close();
    await leader[Symbol.asyncDispose]();
  });

  const create = (experiment: string, more: { description?: string; tags?: string[] } = {}) =>
    leader.client.createExperiment({ body: { experiment, ...more } });
  const seeSome = async () => {
    await create('yeast ramp 07', { description: '30 to 34 °C ramp, three replicates', tags: ['yeast', 'ramp'] });
    await create('chemostat control', { description: 'Dilution rate 0.2 per hour', tags: ['control'] });
    await create('E. coli turbidostat', { tags: ['coli', 'turbidostat', 'night shift'] });
    for (const reactor_unit of ['rx01', 'rx02', 'rx03']) await leader.client.registerWorker({ body: { reactor_unit } });
    const params = { experiment: 'yeast ramp 07' };
    for (const reactor_unit of ['rx01', 'rx02']) await leader.client.assignWorker({ params, body: { reactor_unit } });
  };

  it('says what to do first when there are no experiments', async () => {
    await page.goto(leader.url);
    await page.getByText('No experiments yet').waitFor();
    await page.getByRole('button', { name: 'Create the first experiment' }).click();
    await page.getByRole('dialog').waitFor();
    await picture(page, 'empty');
  });

  it('creates an experiment and goes to it; a name that is taken is told at its field', async () => {
    await create('taken');
    await page.goto(leader.url);
    await page.getByRole('button', { name: 'New experiment' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('taken');
    await dialog.getByRole('textbox', { name: 'Description' }).fill('kept when it fails');
    await page.keyboard.press('Tab');
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    await dialog
      .getByText(/taken|exists|use/i)
      .first()
      .waitFor();
    await picture(page, 'name-taken');
    expect(await dialog.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('kept when it fails');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('not taken');
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    await page.getByRole('heading', { name: 'not taken' }).waitFor();
    expect(page.url()).toBe(`${leader.url}/experiments/not%20taken`);
    expect(await leader.client.getExperiment({ params: { experiment: 'not taken' } })).toMatchObject({
      description: 'kept when it fails',
    });
  });

  it('refuses a bad name before it is sent', async () => {
    await page.goto(leader.url);
    await page.getByRole('button', { name: 'New experiment' }).click();
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
    await name.fill('a/b');
    await name.press('Enter');
    await page.getByRole('dialog').getByText('/', { exact: false }).first().waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await leader.client.listExperiments()).toEqual([]);
  });

  it('shows at once what others change', async () => {
    await page.goto(leader.url);
    await page.getByText('Live', { exact: true }).waitFor();
    await create('made elsewhere');
    await page.getByRole('link', { name: 'made elsewhere' }).waitFor();
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params: { experiment: 'made elsewhere' }, body: { reactor_unit: 'rx01' } });
    await page
      .getByRole('row', { name: /made elsewhere/ })
      .getByText('Active')
      .waitFor();
    await leader.finished(await leader.client.deleteExperiment({ params: { experiment: 'made elsewhere' } }));
    await page.getByText('No experiments yet').waitFor();
    expect(seen.errors).toEqual([]);
  });

  it('says that it lost the leader, and is live again by itself when the leader is back', async () => {
    await using folder = await temporaryFolder('browser');
    const first = await startLeader({ dataFolder: folder.path });
    const port = Number(new URL(first.url).port);
    await page.goto(first.url);
    await page.getByText('Live', { exact: true }).waitFor();
    await first[Symbol.asyncDispose]();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    await using second = await startLeader({ dataFolder: folder.path, configure: { port } });
    await second.client.createExperiment({ body: { experiment: 'after the restart' } });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'after the restart' }).waitFor();
  });

  it('searches, sorts and filters, and keeps it in the address', async () => {
    await seeSome();
    await page.goto(leader.url);
    await page.getByRole('searchbox', { name: 'Search experiments' }).fill('ramp');
    await page.getByRole('link', { name: 'chemostat control' }).waitFor({ state: 'detached' });
    await page.waitForURL(/ramp/);
    await page.reload();
    const table = page.getByRole('table', { name: 'Experiments' });
    await table.getByRole('link', { name: 'yeast ramp 07' }).waitFor();
    expect(await table.getByRole('link', { name: 'chemostat control' }).count()).toBe(0);
  });

  it('deletes an experiment that has workers only after its name was typed, and tells how it ended', async () => {
    await seeSome();
    await page.goto(leader.url);
    await page.getByRole('button', { name: 'Actions for yeast ramp 07' }).click();
    await page.getByRole('menuitem', { name: /Delete/ }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: /Delete/ });
    await confirm.waitFor();
    expect(await confirm.isDisabled()).toBe(true);
    await picture(page, 'delete');
    await dialog.getByRole('textbox').fill('yeast ramp 07');
    await confirm.click();
    const table = page.getByRole('table', { name: 'Experiments' });
    await table.getByRole('link', { name: 'yeast ramp 07' }).waitFor({ state: 'detached' });
    await page
      .getByText(/deleted/i)
      .first()
      .waitFor();
    expect((await leader.client.listExperiments()).map(({ experiment }) => experiment)).not.toContain('yeast ramp 07');
  });

  it('assigns and unassigns workers, and saves the description', async () => {
    await seeSome();
    await page.goto(`${leader.url}/experiments/yeast%20ramp%2007`);
    const assigned = page.getByRole('list', { name: 'Assigned workers' });
    await assigned.getByText('rx02').waitFor();
    await page.getByRole('button', { name: 'Assign a unit' }).click();
    await page.getByRole('combobox', { name: 'Worker to assign' }).click();
    await page.getByRole('option', { name: /rx03/ }).click();
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    await assigned.getByText('rx03').waitFor();
    await page.getByRole('textbox', { name: 'Description' }).fill('32 °C from now on');
    await page.getByText('Saved').waitFor();
    await expect
      .poll(async () => (await leader.client.getExperiment({ params: { experiment: 'yeast ramp 07' } })).description, {
        timeout: 10_000,
      })
      .toBe('32 °C from now on');
    await picture(page, 'experiment');
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it.each([
    ['desktop', desktop],
    ['phone', phone],
  ])('is accessible, fits the screen and loads nothing from elsewhere (%s)', async (name, viewport) => {
    await seeSome();
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [what, path] of [
        ['experiments', '/'],
        ['experiment', '/experiments/yeast%20ramp%2007'],
        ['nothing', '/experiments/nobody'],
      ]) {
        await page.goto(leader.url + path);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.waitForLoadState('domcontentloaded');
        expect(await accessibilityFindings(page), `${what} ${name} ${colorScheme}`).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), what).toBeLessThanOrEqual(0);
        await picture(page, `${what}-${name}-${colorScheme}`);
      }
    }
    await page.goto(leader.url);
    await page.getByRole('button', { name: 'New experiment' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await picture(page, `new-experiment-${name}`);
    expect(seen.foreign).toEqual([]);
    expect(seen.errors.filter((error) => !error.includes('404'))).toEqual([]);
  });

  // Some four hundred routes: each look at all of them takes long.
  it.each([
    ['desktop', desktop, 'light'],
    ['phone', phone, 'dark'],
  ] as const)('has a reference that is accessible and fits the screen (%s)', async (name, viewport, colorScheme) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.goto(`${leader.url}/api/docs`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('domcontentloaded');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await picture(page, `reference-${name}-${colorScheme}`);
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  });
});
