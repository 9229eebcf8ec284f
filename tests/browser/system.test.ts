import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type PackageTool, PackageToolFailed } from '@lcs/node';
import { realClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeFiles } from '../routes/plugin-node.ts';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, overflow, phone, watch } from './browser.ts';

const patience = { timeout: 30_000 };

/** A registry with one package, on the disk as npm leaves it. */
const registry: PackageTool = {
  install: async (into, what) => {
    if (what !== 'bubbler@latest') throw new PackageToolFailed('404 Not Found');
    await placeFiles(join(into, 'node_modules', 'bubbler'), {
      'package.json': JSON.stringify({ name: 'bubbler', version: '1.0.2', main: 'index.js', lcs: {} }),
      'index.js': "export default { jobs: [{ name: 'bubbler', start() {} }] };",
    });
  },
  remove: (from, name) => rm(join(from, 'node_modules', name), { recursive: true, force: true }),
};

describe.skipIf(!hasBrowser())('the page of the system', () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;

  beforeAll(async () => {
    browser = await openBrowser();
    folder = await temporaryFolder('leader');
    await placeFiles(join(folder.path, 'plugins'), {
      'shaker.js': `export default { manifest: { name: 'shaker', version: '1.2.3', description: 'Shakes.' } };`,
      'broken.js': 'export default 7;',
    });
    leader = await startLeader({
      dataFolder: folder.path,
      configure: { clock: realClock(), plugins: { tool: registry } },
    });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  });
  afterAll(async () => {
    await page?.close();
    await leader?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('shows the folder of the backups, and makes a verified backup', async () => {
    await page.goto(leader.url);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Backups' }).click();
    const backups = page.getByRole('region', { name: 'Backups' });
    await backups.getByText('No backups yet.').waitFor(patience);
    await backups.getByText('This is on the disk of the leader itself').waitFor();
    await backups.getByRole('button', { name: 'Make a backup now' }).click();
    await backups.getByText('The backup was made and verified').waitFor(patience);
    const [made] = (await leader.client.listBackups()).backups;
    await backups.getByRole('cell', { name: made?.backup_name ?? 'none' }).waitFor();
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

  it('shows plugins, the fault of an unusable plugin, and why installation is not allowed', async () => {
    await page.getByRole('link', { name: 'Plugins' }).click();
    const plugins = page.getByRole('region', { name: 'Plugins' });
    await plugins.getByText('lead 1.2.3').waitFor(patience);
    await plugins.locator('[data-plugin=broken]').getByText('cannot be used.').waitFor();
    await plugins.getByRole('textbox', { name: 'Package name' }).fill('bubbler');
    await plugins.getByRole('button', { name: 'Install on all units' }).click();
    await plugins.getByText(/allow_install/).waitFor(patience);
    await plugins.getByRole('button', { name: 'Remove shaker' }).click();
    await page.getByRole('dialog').getByText('Its jobs are stopped').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('installs a plugin where this is allowed, shows the result, and removes it from all units', async () => {
    const code = `${await leader.client.getSharedConfig()}\n[plugins]\nallow_install=1\n`;
    await leader.client.saveSharedConfig({ body: { code } });
    const plugins = page.getByRole('region', { name: 'Plugins' });
    const wanted = plugins.getByRole('textbox', { name: 'Package name' });
    const install = () => plugins.getByRole('button', { name: 'Install on all units' }).click();
    await wanted.fill('nothing-here');
    await install();
    await plugins.getByText('Install nothing-here: not done everywhere.').waitFor(patience);
    await plugins.getByText(/^lead: .*404 Not Found/).waitFor();
    await wanted.fill('bubbler');
    await install();
    await plugins.getByText('Install bubbler: done').waitFor(patience);
    await plugins.getByText('lead 1.0.2').waitFor(patience);
    await plugins.getByRole('button', { name: 'Remove bubbler' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await plugins.getByText('Remove bubbler: done').waitFor(patience);
    await plugins.locator('[data-plugin=bubbler]').waitFor({ state: 'detached' });
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it('fits a phone', async () => {
    await page.setViewportSize(phone);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(seen.foreign).toEqual([]);
    // The browser logs the refused requests: an update without a source, and an installation that is not allowed.
    expect(seen.errors).toHaveLength(2);
    expect(seen.errors[1]).toContain('403');
  });
});
