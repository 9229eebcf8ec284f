import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programVersion, realClock } from '@lcs/platform';
import {
  type LeaderUnderTest,
  startLeader,
  startUnit,
  type TemporaryFolder,
  temporaryFolder,
  type UnitUnderTest,
} from '@lcs/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { laterRelease } from '../cluster/generated/harmless.ts';
import { freeInstaller, recordingHost } from '../routes/recording-host.ts';
import { accessibilityFindings, desktop, hasBrowser, openBrowser, takePicture, watch } from './browser.ts';

const patience = { timeout: 60_000 };
const present = programVersion;
const later = '27.1.0';

type Machine = ReturnType<typeof recordingHost>;

/** What the service manager runs on a machine: the node is stopped, and started again as another version. */
describe.skipIf(!hasBrowser())('an update of the software in a browser', () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let release: Awaited<ReturnType<typeof laterRelease>>;
  let leader: LeaderUnderTest;
  let page: Page;
  let seen: ReturnType<typeof watch>;
  const units = new Map<string, UnitUnderTest>();
  const machines = new Map<string, Machine>();

  /** Of each machine of its own: what it has chosen stays with it. */
  const releases = () => ({ ...release.options, installer: freeInstaller() });
  const startLeading = async (version: string, port = 0): Promise<void> => {
    const machine = recordingHost();
    machines.set('lead', machine);
    leader = await startLeader({
      dataFolder: join(folder.path, 'lead'),
      configure: { machine, releases: releases(), clock: realClock(), version, port },
    });
  };
  const startMeasuring = async (name: string, version: string, port = 0): Promise<void> => {
    const machine = recordingHost();
    machines.set(name, machine);
    const { folder: _, ...sentOnly } = releases();
    const started = await startUnit({
      name,
      leaderUrl: leader.url,
      dataFolder: join(folder.path, name),
      configure: { machine, releases: sentOnly, clock: realClock(), version, port },
    });
    units.set(name, started);
  };
  const restarted = (name: string) => expect.poll(() => machines.get(name)?.done, patience).toEqual(['restartProgram']);
  const portOf = (url: string): number => Number(new URL(url).port);
  const restartUnit = async (name: string, version: string): Promise<void> => {
    const old = units.get(name);
    if (old === undefined) throw new Error(`${name} does not run`);
    await old[Symbol.asyncDispose]();
    await startMeasuring(name, version, portOf(old.url));
  };
  const rowOf = (name: string) => page.getByRole('table', { name: 'Versions' }).getByRole('row', { name });

  beforeAll(async () => {
    browser = await openBrowser();
    folder = await temporaryFolder('updates');
    release = await laterRelease(folder.path);
    await startLeading(present);
    const addresses: string[] = [];
    for (const name of ['unit1', 'unit2']) {
      await startMeasuring(name, present);
      await leader.client.registerWorker({ body: { reactor_unit: name } });
      addresses.push(`${name}=${new URL(units.get(name)?.url ?? '').host}\n`);
    }
    const code = await leader.client.getSharedConfig();
    const config = code.replace('[cluster.addresses]\n', (section) => `${section}${addresses.join('')}`);
    await leader.client.saveSharedConfig({ body: { code: config } });
    page = await browser.newPage({ viewport: desktop });
    seen = watch(page, leader.url);
  }, 60_000);
  afterAll(async () => {
    await page?.close();
    for (const unit of units.values()) await unit[Symbol.asyncDispose]();
    await leader?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
    await browser?.close();
  });

  it('shows its progress, then the new version of each machine, and why one of them was not updated', async () => {
    const resume = machines.get('unit1')?.pause('restartProgram');
    machines.get('unit2')?.fail('restartProgram');
    await page.goto(`${leader.url}/settings/updates`);
    await rowOf('unit1').getByRole('cell', { name: present, exact: true }).waitFor(patience);
    await page.getByRole('button', { name: 'Update all machines…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Install on all machines' }).click();
    await page.getByText(`Updating workers to ${later} 10 %`).waitFor(patience);
    expect(await page.getByRole('progressbar', { name: 'Progress of the update' }).getAttribute('aria-valuenow')).toBe(
      '10',
    );
    await takePicture(page, 'update-progress');
    expect(await accessibilityFindings(page)).toEqual([]);
    resume?.();
    await restarted('unit1');
    await restartUnit('unit1', later);
    await page.getByText(`Updating the leader to ${later} 80 %`).waitFor(patience);
    await restarted('lead');
    const port = portOf(leader.url);
    await leader[Symbol.asyncDispose]();
    const reloaded = page.waitForEvent('load', patience);
    await startLeading(later, port);
    // The web UI loads anew, since the leader has another version, and still knows of the update.
    await reloaded;
    await page.getByText('The update is not installed on 1 of 3 machines.').waitFor(patience);
    await page.getByText('unit2: The machine did not restart the program.').waitFor();
    await rowOf('lead (leader)').getByRole('cell', { name: later, exact: true }).waitFor(patience);
    await rowOf('unit1').getByRole('cell', { name: later, exact: true }).waitFor(patience);
    await rowOf('unit2')
      .getByRole('cell', { name: `${present} – differs from the leader` })
      .waitFor(patience);
    await takePicture(page, 'update-not-everywhere');
    expect(await accessibilityFindings(page)).toEqual([]);
  }, 120_000);

  it('of a release file brings the machine that was left to the same version', async () => {
    const path = join(folder.path, `release_${later}.zip`);
    await writeFile(path, release.archive);
    // Its machine restarts programs again.
    await restartUnit('unit2', present);
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Install a release file…' }).click();
    await (await choosing).setFiles(path);
    await page.getByRole('dialog').getByRole('button', { name: 'Install on all machines' }).click();
    await restarted('unit2');
    await restartUnit('unit2', later);
    await page.getByText('The update is installed.').waitFor(patience);
    await rowOf('unit2').getByRole('cell', { name: later, exact: true }).waitFor(patience);
    expect(seen.foreign).toEqual([]);
  }, 120_000);

  it('of a file that is no release is refused with its reason', async () => {
    const path = join(folder.path, 'release_28.1.0.zip');
    await writeFile(path, 'no zip');
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Install a release file…' }).click();
    await (await choosing).setFiles(path);
    await page.getByRole('dialog').getByRole('button', { name: 'Install on all machines' }).click();
    await page.getByRole('alert').waitFor(patience);
    await rowOf('lead (leader)').getByRole('cell', { name: later, exact: true }).waitFor();
  }, 60_000);
});
