import type { LeaderNodeOptions } from '@lcs/cluster';
import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  accessibilityFindings,
  clickAll,
  colourFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  takePicture,
  watch,
} from './browser.ts';

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

const hourMs = 3_600_000;

describe.skipIf(!hasBrowser())('the list of experiments and their pages', () => {
  let browser: Browser;
  let leader: LeaderUnderTest;
  /** All tests share it: a new page would compile everything again. */
  let page: Page;
  let seen: ReturnType<typeof watch>;
  let write: History['write'];

  beforeAll(async () => {
    browser = await openBrowser();
    // The web UI compares times with the browser's clock.
    leader = await startLeader({
      clock: new VirtualClock({ startMs: Date.now() }),
      configure: {
        extend: ({ history }) => {
          write = history.write;
          return [];
        },
      },
    });
    page = await browser.newPage();
    // Unsaved input does not stop the next test.
    page.on('dialog', (dialog) => dialog.accept());
    seen = watch(page, leader.url);
  });
  afterAll(async () => {
    await browser?.close();
    await leader?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await page.goto('about:blank');
    await page.setViewportSize(desktop);
    await page.emulateMedia({ colorScheme: null });
    seen.foreign.length = 0;
    seen.errors.length = 0;
  });

  const create = (experiment: string, more: { description?: string; tags?: string[] } = {}) =>
    leader.client.createExperiment({ body: { experiment, ...more } });
  const assign = async (reactor_unit: string, experiment: string) => {
    await leader.client.registerWorker({ body: { reactor_unit } });
    await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  };

  /** Readings of cultures that grow at these rates. */
  const grow = async (experiment: string, rates: Readonly<Record<string, number>>) => {
    const uid = String(leader.storedRows('experiments').find(({ name }) => name === experiment)?.uid);
    const startMs = leader.clock.now() - 10 * hourMs;
    const units = Object.entries(rates);
    const place = { experimentUid: uid, source: 'od', channel: '2', angle: 90, derivation: null };
    const readings = units.flatMap(([, rate], series) =>
      Array.from({ length: 600 }, (_, minute) => {
        const value = 1 / (1 + Math.exp(3 - (rate * minute) / 60));
        return { series, at: startMs + 60_000 * minute, value: value * (1 + 0.004 * Math.sin(7.3 * minute)) };
      }),
    );
    await write({ series: units.map(([unit]) => ({ ...place, unit })), readings, nowMs: leader.clock.now() });
  };

  it('shows what to do first when there are no experiments', async () => {
    await page.goto(`${leader.url}/experiments`);
    await page.getByText('No experiments yet').waitFor();
    await page.getByRole('button', { name: 'Create the first experiment' }).click();
    await page.getByRole('dialog').waitFor();
    await takePicture(page, 'empty');
  });

  it('creates an experiment and opens it; shows a taken name as an error of the field', async () => {
    await create('taken');
    await page.goto(`${leader.url}/experiments`);
    await page.getByRole('button', { name: 'New experiment' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('taken');
    await dialog.getByRole('textbox', { name: 'Description' }).fill('kept when it fails');
    // A comma ends a tag, and what is left becomes one, too.
    await dialog.getByRole('combobox', { name: 'Tags' }).pressSequentially('yeast, ramp');
    await page.keyboard.press('Tab');
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    await dialog
      .getByText(/taken|exists|use/i)
      .first()
      .waitFor();
    await takePicture(page, 'name-taken');
    expect(await dialog.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('kept when it fails');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('not taken');
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    await page.getByRole('heading', { name: 'not taken' }).waitFor();
    await page.waitForURL(`${leader.url}/experiments/not%20taken/units`);
    expect(await leader.client.getExperiment({ params: { experiment: 'not taken' } })).toMatchObject({
      description: 'kept when it fails',
      tags: ['yeast', 'ramp'],
    });
  });

  it('refuses an invalid name without a request', async () => {
    await page.goto(`${leader.url}/experiments`);
    await page.getByRole('button', { name: 'New experiment' }).click();
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
    await name.fill('a/b');
    await name.press('Enter');
    await page.getByRole('dialog').getByText('/', { exact: false }).first().waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    const experiments = await leader.client.listExperiments();
    expect(experiments.map(({ experiment }) => experiment)).not.toContain('a/b');
  });

  it('shows changes of other people at once', async () => {
    await page.goto(`${leader.url}/experiments`);
    await page.getByText('Live', { exact: true }).waitFor();
    await create('made elsewhere');
    await page.getByRole('link', { name: 'made elsewhere' }).waitFor();
    await assign('rx09', 'made elsewhere');
    await page
      .getByRole('row', { name: /made elsewhere/ })
      .getByText('Set up, nothing runs')
      .waitFor();
    await leader.finished(await leader.client.deleteExperiment({ params: { experiment: 'made elsewhere' } }));
    await page.getByRole('link', { name: 'made elsewhere' }).waitFor({ state: 'detached' });
    expect(seen.errors).toEqual([]);
  });

  it('shows that the leader does not respond, and is live again when it has restarted', async () => {
    await using folder = await temporaryFolder('browser');
    const first = await startLeader({ dataFolder: folder.path });
    const port = Number(new URL(first.url).port);
    await page.goto(`${first.url}/experiments`);
    await page.getByText('Live', { exact: true }).waitFor();
    await first[Symbol.asyncDispose]();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    await using second = await startLeader({ dataFolder: folder.path, configure: { port } });
    await second.client.createExperiment({ body: { experiment: 'after the restart' } });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'after the restart' }).waitFor();
  });

  describe('with several experiments', () => {
    beforeAll(async () => {
      await create('yeast ramp 07', { description: '30 to 34 °C ramp, three replicates', tags: ['yeast', 'ramp'] });
      await create('chemostat control', { description: 'Dilution rate 0.2 per hour', tags: ['control'] });
      await create('E. coli turbidostat', { tags: ['coli', 'turbidostat', 'night shift'] });
      for (const unit of ['rx01', 'rx02']) await assign(unit, 'yeast ramp 07');
      await leader.client.registerWorker({ body: { reactor_unit: 'rx03' } });
    });

    it('searches, sorts and filters, and keeps it in the address', async () => {
      await page.goto(`${leader.url}/experiments`);
      await page.getByRole('searchbox', { name: 'Search experiments' }).fill('ramp');
      await page.getByRole('link', { name: 'chemostat control' }).waitFor({ state: 'detached' });
      await page.waitForURL(/ramp/);
      await page.reload();
      const table = page.getByRole('table', { name: 'Experiments' });
      await table.getByRole('link', { name: 'yeast ramp 07' }).waitFor();
      expect(await table.getByRole('link', { name: 'chemostat control' }).count()).toBe(0);
      // None of three choices that follow each other is lost.
      const status = page.getByRole('radiogroup', { name: 'Filter by status' });
      await clickAll(status.getByRole('radio', { name: 'No units' }).or(table.getByRole('button', { name: 'Name' })));
      await page.waitForURL(
        (url) => /q=ramp/.test(url.search) && /status=idle/.test(url.search) && /sort=name/.test(url.search),
      );
    });

    it('deletes an experiment with workers only after a person types its name, and shows the result', async () => {
      const name = 'of no use';
      await create(name);
      await assign('rx04', name);
      await page.goto(`${leader.url}/experiments`);
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: /Delete/ }).click();
      const dialog = page.getByRole('dialog');
      const confirm = dialog.getByRole('button', { name: /Delete/ });
      await confirm.waitFor();
      await expect.poll(() => confirm.isDisabled()).toBe(true);
      await takePicture(page, 'delete');
      await dialog.getByRole('textbox', { name: /name of the experiment/ }).fill(name);
      await confirm.click();
      const table = page.getByRole('table', { name: 'Experiments' });
      await table.getByRole('link', { name }).waitFor({ state: 'detached' });
      await page
        .getByText(/deleted/i)
        .first()
        .waitFor();
      expect((await leader.client.listExperiments()).map(({ experiment }) => experiment)).not.toContain(name);
    });

    it('assigns and unassigns workers, and saves the description', async () => {
      await page.goto(`${leader.url}/experiments/yeast%20ramp%2007/units`);
      const assigned = page.getByRole('list', { name: 'Assigned units' });
      await assigned.getByText('rx02').waitFor();
      await page.getByRole('button', { name: 'Assign units' }).click();
      await page.getByRole('checkbox', { name: 'rx03', exact: true }).check();
      await page.getByRole('button', { name: 'Assign 1' }).click();
      await assigned.getByText('rx03').waitFor();
      await page.getByRole('link', { name: 'Setup' }).click();
      await page.getByRole('textbox', { name: 'Description' }).fill('32 °C from now on');
      await page.getByText('Saved', { exact: true }).waitFor();
      await expect
        .poll(
          async () => (await leader.client.getExperiment({ params: { experiment: 'yeast ramp 07' } })).description,
          {
            timeout: 10_000,
          },
        )
        .toBe('32 °C from now on');
      await takePicture(page, 'experiment');
      expect(await accessibilityFindings(page)).toEqual([]);
    });

    it('copies an experiment with its set-up in three clicks, ends it, archives it, and finds it again', async () => {
      let clicks = 0;
      const click = async (control: Locator) => {
        clicks += 1;
        await control.click();
      };
      const button = (name: string | RegExp) => page.getByRole('button', { name });
      const item = (name: string) => page.getByRole('menuitem', { name });
      const source = { params: { experiment: 'yeast ramp 07' } };
      const copy = { params: { experiment: 'yeast ramp 08' } };
      const tags = ['organism: S. cerevisiae', 'media: YPD', 'yeast', 'ramp'];
      await leader.client.updateExperiment({ ...source, body: { tags } });
      await leader.client.putUnitLabel({ ...source, body: { unit: 'rx01', label: 'salt' } });
      await page.goto(`${leader.url}/experiments`);
      const row = page.getByRole('row', { name: /yeast ramp 07/ });
      await row.getByText('S. cerevisiae').waitFor();
      await click(button('Actions for yeast ramp 07'));
      await click(item('Copy with its set-up…'));
      // Its units run in the source: none is taken without a choice.
      expect(await page.getByRole('checkbox', { name: 'salt (rx01) · in yeast ramp 07' }).isChecked()).toBe(false);
      await takePicture(page, 'copy');
      await click(button('Create experiment'));
      await page.waitForURL('**/yeast%20ramp%2008/units');
      expect(clicks).toBeLessThanOrEqual(3);
      expect(await leader.client.getExperiment(copy)).toMatchObject({ tags, description: '32 °C from now on' });
      expect(await leader.client.getUnitLabels(copy)).toEqual({ rx01: 'salt' });

      await assign('rx06', 'yeast ramp 08');
      await page.getByRole('link', { name: 'Setup' }).click();
      const group = page.getByRole('combobox', { name: 'Replicate group of rx06' });
      await group.fill('wild type');
      await group.press('Tab');
      await expect
        .poll(() => leader.client.listReplicateGroups(copy))
        .toEqual([{ name: 'wild type', units: ['rx06'] }]);
      await takePicture(page, 'setup');
      // It has not ended: the archive ends it first, after a question.
      await button('Archive…').click();
      const question = page.getByRole('dialog', { name: 'End and archive yeast ramp 08?' });
      await question.getByText('No job of this experiment is running.').waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await leader.client.getExperiment(copy)).not.toHaveProperty('archived');
      await button('Actions for this experiment').click();
      await item('End…').click();
      await page.getByText('No job of this experiment is running.').waitFor();
      await page.getByRole('radio', { name: 'stay here' }).check();
      expect(await accessibilityFindings(page)).toEqual([]);
      await takePicture(page, 'end');
      await button('End experiment').click();
      await button('Reopen').waitFor();
      expect(await leader.client.getExperiment(copy)).toMatchObject({ worker_count: 1, ended_at: expect.any(String) });
      await button('Archive').click();
      await button('Unarchive').waitFor();

      await page.goto(`${leader.url}/experiments`);
      const table = page.getByRole('table', { name: 'Experiments' });
      await table.getByRole('link', { name: 'yeast ramp 07' }).waitFor();
      expect(await table.getByRole('link', { name: 'yeast ramp 08' }).count()).toBe(0);
      await page.getByRole('searchbox', { name: 'Search experiments' }).fill('cerevisiae 08');
      await table.getByText('Archived').waitFor();
      // Typing and one click: its whole curve.
      await table.getByRole('link', { name: 'yeast ramp 08' }).click();
      const charts = page.getByRole('region', { name: 'Charts' });
      await expect.poll(() => charts.getByRole('radio', { name: 'All', exact: true }).isChecked()).toBe(true);
    }, 60_000);

    it('compares two experiments in three clicks, and keeps the alignment in the address', async () => {
      await grow('chemostat control', { rx01: 0.5, rx02: 0.53 });
      await grow('E. coli turbidostat', { rx03: 0.8, rx04: 0.84 });
      await page.goto(`${leader.url}/experiments`);
      await page.getByRole('checkbox', { name: 'Compare chemostat control' }).click();
      await page.getByRole('checkbox', { name: 'Compare E. coli turbidostat' }).click();
      await page.getByRole('button', { name: 'Compare 2' }).click();
      const table = page.getByRole('table', { name: 'Growth curves of groups' });
      await table.getByRole('cell', { name: /^0\.7\d+ \(.*n = 2$/ }).waitFor({ timeout: 30_000 });
      await page.getByText(/^µmax of chemostat control, E. coli turbidostat: Welch’s t-test, p = /).waitFor();
      await page.getByText('OD', { exact: true }).first().click();
      await page.waitForURL(/align=od(:|%3A)0\.3/);
      await page.getByText(/^Hour 0 is at .* h of the axis\.$/).waitFor();
      await page.reload();
      await page.getByRole('textbox', { name: 'OD of the alignment' }).waitFor();
      await page.locator('[data-band] canvas').waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await takePicture(page, 'compare');
      await page.getByText('First dilution', { exact: true }).click();
      await page.getByText('No curve has this hour 0.').waitFor();
      await page.setViewportSize(phone);
      await page.goto(`${leader.url}/compare?e=chemostat%20control,E.%20coli%20turbidostat`);
      await page.locator('[data-band] canvas').waitFor();
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      await takePicture(page, 'compare-phone');
      expect(seen.errors).toEqual([]);
    }, 60_000);

    it('is accessible, fits the screen and loads nothing from elsewhere, on a desktop and on a phone', async () => {
      // A page that is narrowed has what it has after a load on a phone, which takes a second of processor time.
      const screens = Object.entries({ desktop, phone });
      for (const [what, path] of [
        ['experiments', '/experiments'],
        ['experiment', '/experiments/yeast%20ramp%2007'],
        ['nothing', '/experiments/nobody'],
      ]) {
        await page.setViewportSize(desktop);
        await page.goto(leader.url + path);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.waitForLoadState('domcontentloaded');
        for (const [name, viewport] of screens) {
          await page.setViewportSize(viewport);
          expect(await accessibilityFindings(page, 'all but colours'), `${what} ${name}`).toEqual([]);
          await expect.poll(() => overflow(page), { message: what ?? '' }).toBeLessThanOrEqual(0);
          await takePicture(page, `${what}-${name}`);
          // The page of an experiment has the same components on a phone; navigation and list look different there.
          if (name === 'desktop' || what === 'experiments')
            expect(await colourFindings(page), `${what} ${name}`).toEqual([]);
        }
      }
      await page.setViewportSize(desktop);
      await page.goto(`${leader.url}/experiments`);
      await page.getByRole('button', { name: 'New experiment' }).click();
      await page.getByRole('dialog').waitFor();
      for (const [name, viewport] of screens) {
        await page.setViewportSize(viewport);
        // The form has the same colours on a phone.
        expect(await accessibilityFindings(page, name === 'phone' ? 'all but colours' : 'all')).toEqual([]);
        await takePicture(page, `new-experiment-${name}`);
      }
      expect(seen.foreign).toEqual([]);
      expect(seen.errors.filter((error) => !error.includes('404'))).toEqual([]);
    });
  });

  it('has a reference that is accessible and fits the screen', async () => {
    await page.goto(`${leader.url}/api/docs`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('domcontentloaded');
    for (const [name, viewport] of [
      ['desktop', desktop],
      ['phone', phone],
    ] as const) {
      await page.setViewportSize(viewport);
      await expect.poll(() => overflow(page), { message: name }).toBeLessThanOrEqual(0);
      await takePicture(page, `reference-${name}`);
    }
    // Some four hundred routes have a few shapes: one of each shape is enough for all rules but that of unique IDs.
    const repeatedIds = await page.evaluate<string[]>(`(() => {
      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
      const elements = (article) => [...article.querySelectorAll('*')];
      const shapes = new Set();
      for (const article of document.querySelectorAll('article')) {
        const shape = new Set(elements(article).map((each) => each.tagName + '.' + each.getAttribute('class')));
        const kind = article.querySelector('.method')?.textContent + [...shape].sort();
        if (shapes.has(kind)) article.remove();
        shapes.add(kind);
      }
      return ids.filter((id, index) => ids.indexOf(id) !== index);
    })()`);
    expect(repeatedIds).toEqual([]);
    expect(await accessibilityFindings(page, 'all but colours')).toEqual([]);
    expect(await colourFindings(page)).toEqual([]);
    expect(seen.foreign).toEqual([]);
    expect(seen.errors).toEqual([]);
  });
});
