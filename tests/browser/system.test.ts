import { once } from 'node:events';
import { rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { LeaderNodeOptions } from '@lcs/cluster';
import { type PackageTool, PackageToolFailed } from '@lcs/node';
import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pioreactorSource } from '../routes/pioreactor-source.ts';
import { placeFiles } from '../routes/plugin-node.ts';
import { recordingHost } from '../routes/recording-host.ts';
import {
  accessibilityFindings,
  desktop,
  hasBrowser,
  openBrowser,
  overflow,
  phone,
  takePicture,
  watch,
} from './browser.ts';

const patience = { timeout: 30_000 };

type History = Parameters<NonNullable<LeaderNodeOptions['extend']>>[0]['history'];

/** A registry with two versions of one package, on the disk as npm leaves them. */
const versions = new Map([
  ['bubbler@1.0.2', '1.0.2'],
  ['bubbler@latest', '1.1.0'],
]);
const registry: PackageTool = {
  install: async (into, what) => {
    const version = versions.get(what);
    if (version === undefined) throw new PackageToolFailed('404 Not Found');
    await placeFiles(join(into, 'node_modules', 'bubbler'), {
      'package.json': JSON.stringify({ name: 'bubbler', version, main: 'index.js', lcs: {} }),
      'index.js': "export default { jobs: [{ name: 'bubbler', start() {} }] };",
    });
  },
  remove: (from, name) => rm(join(from, 'node_modules', name), { recursive: true, force: true }),
};

/** What the index of the registry offers. */
const offered = [
  {
    package: {
      name: 'bubbler',
      version: '1.0.2',
      description: 'Bubbles air through the vial',
      author: { name: 'Lab 3' },
    },
  },
  { package: { name: 'rocker', version: '2.0.0', links: { homepage: 'https://example.org/rocker' } } },
];

describe.skipIf(!hasBrowser())('the page of the system', () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let leader: LeaderUnderTest;
  /** Another leader, which this one shows. */
  let north: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  let write: History['write'];
  /** What the disk of the leader has left. */
  let availableBytes = 5e9;
  /** The list of the registry; its loss is a failure that the page survives. */
  const index = createServer((_request, response) => response.end(JSON.stringify({ objects: offered })));

  beforeAll(async () => {
    browser = await openBrowser();
    index.listen(0, '127.0.0.1');
    await once(index, 'listening');
    const address = index.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    folder = await temporaryFolder('leader');
    await placeFiles(join(folder.path, 'plugins'), {
      'shaker.js': `export default { manifest: { name: 'shaker', version: '1.2.3', description: 'Shakes.' } };`,
      'broken.js': 'export default 7;',
    });
    north = await startLeader();
    const others = `north = ${north.url}\naway = http://127.0.0.1:9\n`;
    await writeFile(join(folder.path, 'leader.ini'), `[leaders]\n${others}`);
    leader = await startLeader({
      dataFolder: folder.path,
      configure: {
        clock: realClock(),
        plugins: { tool: registry },
        pluginIndexUrl: `http://127.0.0.1:${port}/`,
        machine: { ...recordingHost(), diskSpace: async () => ({ availableBytes, totalBytes: 9e9 }) },
        extend: ({ history }) => {
          write = history.write;
          return [];
        },
      },
    });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  });
  afterAll(async () => {
    await page?.close();
    await leader?.[Symbol.asyncDispose]();
    await north?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
    await browser?.close();
    index.closeAllConnections();
    index.close();
  });

  it('shows the folder of the backups, and makes a verified backup', async () => {
    await page.goto(leader.url);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Backups' }).click();
    const backups = page.getByRole('region', { name: 'Backups' });
    await backups.getByText('No backups yet.').waitFor(patience);
    await backups.getByText('This is on the disk of the leader itself').waitFor();
    // A double click makes one backup.
    await backups.getByRole('button', { name: 'Make a backup now' }).dblclick();
    await backups.getByText('The backup was made and verified').waitFor(patience);
    const [made, ...others] = (await leader.client.listBackups()).backups;
    expect(others).toEqual([]);
    await backups.getByRole('cell', { name: made?.backup_name ?? 'none', exact: true }).waitFor();
    await backups.getByText('Every day; keeps 2 daily').waitFor();
    const downloading = page.waitForEvent('download');
    await backups.getByRole('link', { name: `Download ${made?.backup_name}` }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`${made?.backup_name}.zip`);
    const saved = join(folder.path, 'downloaded.zip');
    await download.saveAs(saved);
    expect((await stat(saved)).size).toBeGreaterThan(made?.bytes ?? 0);
    // The first and the newest backup of the present day are kept: the page says so before and after.
    let newest = made?.backup_name;
    const makeAnother = async (): Promise<void> => {
      await backups.getByRole('button', { name: 'Make a backup now' }).click();
      await expect
        .poll(async () => {
          const { backups: present } = await leader.client.listBackups();
          return present[0]?.backup_name === newest ? 'none yet' : present.length;
        }, patience)
        .toBe(2);
      newest = (await leader.client.listBackups()).backups[0]?.backup_name;
      await backups.getByRole('cell', { name: newest ?? 'none', exact: true }).waitFor(patience);
    };
    await makeAnother();
    const second = newest;
    await backups.getByText('a backup made now replaces those between them').waitFor(patience);
    await makeAnother();
    await backups.getByText(new RegExp(`^Removed by the plan.*: ${second}\\.$`)).waitFor(patience);
    await backups.getByRole('cell', { name: made?.backup_name ?? 'none', exact: true }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('shows what the machine has left, the versions of all machines, and an update that has no source', async () => {
    await page.getByRole('link', { name: 'Leader', exact: true }).click();
    await page.getByText('No readings in the last 24 hours: no forecast').waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByText('react-dom').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Updates' }).click();
    await page.getByRole('cell', { name: 'lead (leader)' }).waitFor();
    await page.getByRole('button', { name: 'Update all machines…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Install on all machines' }).click();
    await page.getByRole('alert').waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('says for how many days the disk lasts at the rate of the readings, and that it is soon full', async () => {
    const everyMs = 5_000;
    const [hours, hourMs] = [12, 3_600_000];
    await leader.client.createExperiment({ body: { experiment: 'growing' } });
    const experimentUid = String(leader.storedRows('experiments').find(({ name }) => name === 'growing')?.uid);
    /** Readings of 12 hours until now, of four units. */
    const measure = async (source: string): Promise<void> => {
      const nowMs = Date.now();
      const units = ['rx1', 'rx2', 'rx3', 'rx4'];
      const count = (hours * hourMs) / everyMs;
      const readings = units.flatMap((_, series) =>
        Array.from({ length: count }, (_, index) => ({ series, at: nowMs - (index + 1) * everyMs, value: 0.1 })),
      );
      const place = { experimentUid, source, channel: null, angle: null, derivation: null };
      await write({ series: units.map((unit) => ({ ...place, unit })), readings, nowMs });
    };
    availableBytes = 60e6;
    await measure('od');
    await page.getByRole('link', { name: 'Leader', exact: true }).click();
    // 34,560 readings of 34 bytes in half a day.
    await page.getByText(/^At [\d.]+ MB a day, 25 days left$/).waitFor(patience);
    expect(await page.locator('[data-bad]').filter({ hasText: 'Disk' }).count()).toBe(0);
    await measure('temperature');
    await page.reload();
    await page
      .locator('[data-bad]')
      .filter({ hasText: 'Disk' })
      .getByText(/^At [\d.]+ MB a day, 12 days left$/)
      .waitFor(patience);
    await takePicture(page, 'storage-forecast');
    expect(await accessibilityFindings(page)).toEqual([]);
    availableBytes = 5e9;
  }, 60_000);

  it('shows other leaders as cards with a link, and why one of them does not answer', async () => {
    await page.getByRole('link', { name: 'Other leaders' }).click();
    const reached = page.getByRole('region', { name: 'north' });
    await reached.locator('[data-state=reachable]').waitFor(patience);
    await reached.getByText('0 of 0').waitFor();
    expect(await reached.getByRole('link', { name: 'Open north' }).getAttribute('href')).toBe(north.url);
    const away = page.getByRole('region', { name: 'away' });
    await away
      .locator('[data-state=unreachable]')
      .getByText(/127.0.0.1:9:/)
      .waitFor(patience);
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize(desktop);
  });

  it('shows plugins, the fault of an unusable plugin, and why installation is not allowed', async () => {
    await page.getByRole('link', { name: 'Plugins' }).click();
    const plugins = page.getByRole('region', { name: 'Plugins', exact: true });
    await plugins.getByText('lead 1.2.3').waitFor(patience);
    await plugins.locator('[data-plugin=broken]').getByText('cannot be used.').waitFor();
    await plugins.getByRole('textbox', { name: 'Package name' }).fill('bubbler');
    await plugins.getByRole('button', { name: 'Install on all units' }).click();
    await plugins.getByText(/allow_install/).waitFor(patience);
    await plugins.getByRole('button', { name: 'Remove shaker' }).click();
    await page.getByRole('dialog').getByText('Its jobs are stopped').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The list of the registry says beforehand that nothing can be installed.
    const available = page.getByRole('region', { name: 'Available plugins' });
    await available.locator('[data-available=bubbler]').getByText('Bubbles air').waitFor(patience);
    await available
      .locator('[data-install-problem]')
      .getByText(/allow_install/)
      .waitFor();
    expect(await available.getByRole('button', { name: 'Install rocker' }).isDisabled()).toBe(true);
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('installs a plugin of the list after a confirmation', async () => {
    const code = `${await leader.client.getSharedConfig()}\n[plugins]\nallow_install=1\n`;
    await leader.client.saveSharedConfig({ body: { code } });
    await page.reload();
    const available = page.getByRole('region', { name: 'Available plugins' });
    await available.getByRole('searchbox', { name: 'Search available plugins' }).fill('lab bubbles');
    await expect.poll(() => available.getByRole('listitem').count(), patience).toBe(1);
    await available.getByRole('button', { name: 'Install bubbler' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Lab 3').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Install on all units' }).click();
    await available.locator('[data-available=bubbler]').getByText('Installed on lead').waitFor(patience);
    expect(await available.getByRole('button', { name: /bubbler/ }).count()).toBe(0);
    const plugins = page.getByRole('region', { name: 'Plugins', exact: true });
    await plugins.getByRole('button', { name: 'Remove bubbler' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await available.getByRole('button', { name: 'Install bubbler' }).waitFor(patience);
  });

  it('installs a plugin by its name, shows the result, and removes it from all units', async () => {
    const plugins = page.getByRole('region', { name: 'Plugins', exact: true });
    const wanted = plugins.getByRole('textbox', { name: 'Package name' });
    const install = () => plugins.getByRole('button', { name: 'Install on all units' }).click();
    await wanted.fill('nothing-here');
    await install();
    await plugins.getByText('Install nothing-here: not done everywhere.').waitFor(patience);
    await plugins.getByText(/^lead: .*404 Not Found/).waitFor();
    await wanted.fill('bubbler');
    await install();
    await plugins.getByText('Install bubbler: done').waitFor(patience);
    await plugins.getByText('lead 1.1.0').waitFor(patience);
    await plugins.getByRole('button', { name: 'Remove bubbler' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await plugins.getByText('Remove bubbler: done').waitFor(patience);
    await plugins.locator('[data-plugin=bubbler]').waitFor({ state: 'detached' });
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  // Last: the units of the other system stay in the inventory, and do not answer.
  it('imports the data of a Pioreactor leader after its plan', async () => {
    const source = await pioreactorSource(join(folder.path, 'pio'));
    const at = (second: number) => new Date(Date.parse('2026-10-01T00:00:00Z') + 1_000 * second).toISOString();
    const rows = Array.from({ length: 5 }, (_, index) => ['yeast', 'pio01', at(5 * index), 0.1, 90, 2] as const);
    source.insert('experiments', ['yeast', at(0), 'A run']);
    source.insert('workers', ['pio01', at(0), null, null, 1]);
    source.insert('od_readings', ...rows);
    await page.goto(`${leader.url}/settings/import`);
    await page.getByText('Nothing was imported yet.').waitFor();
    const place = page.getByRole('textbox', { name: 'Folder on the computer of the leader' });
    const show = page.getByRole('button', { name: 'Show what will come' });
    await place.fill(folder.path);
    await show.click();
    await page.getByText('There is nothing that can be imported.').waitFor();
    await place.fill(source.folder);
    await show.click();
    const plan = page.getByRole('region', { name: `Plan of ${source.folder}` });
    await plan.getByText(/^1 experiment with \d+ rows will come; .* Nothing was changed yet\.$/).waitFor(patience);
    await plan.getByRole('row', { name: 'od_readings 5 5' }).waitFor();
    expect((await leader.client.listExperiments()).map(({ experiment }) => experiment)).not.toContain('yeast');
    // The plan is found again.
    await page.reload();
    await plan.getByRole('button', { name: 'Import this' }).click();
    const report = page.getByRole('region', { name: `Import of ${source.folder}` });
    await report.locator('[data-verified=true]').waitFor(patience);
    expect((await leader.client.listExperiments()).map(({ experiment }) => experiment)).toContain('yeast');
    await page.reload();
    const earlier = page.getByRole('table', { name: 'Imports' });
    await earlier
      .getByRole('row', { name: /Complete/ })
      .getByRole('button', { name: 'Show' })
      .click();
    await page.getByRole('dialog').getByText('came and were verified').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await takePicture(page, 'import');
    await page.keyboard.press('Escape');
  });

  it('fits a phone', async () => {
    await page.setViewportSize(phone);
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
    expect(seen.foreign).toEqual([]);
    // The browser logs the refused requests: an update without a source, an installation that is not allowed, and a folder without data.
    expect(seen.errors).toHaveLength(3);
    expect(seen.errors[1]).toContain('403');
    expect(seen.errors[2]).toContain('400');
  });
});
