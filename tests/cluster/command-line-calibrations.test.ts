import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { main } from '@lcs/cli';
import { startLeader, startUnit } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { pumpYaml } from '../routes/calibration-scenes.ts';

async function lcs(url: string, ...words: string[]) {
  const written = { out: '', err: '' };
  const code = await main({
    arguments: [...words, '--url', url],
    environment: {},
    defaultDataFolder: './nowhere',
    stdout: {
      write: (piece) => {
        written.out += piece;
      },
    },
    stderr: {
      write: (piece) => {
        written.err += piece;
      },
    },
    onSignal: () => {},
    exit: () => {},
  });
  return { code, ...written };
}

it('stores, shows, uses and deletes calibrations', async () => {
  await using leader = await startLeader();
  await using unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
  await leader.client.registerWorker({ body: { reactor_unit: 'unit1' } });
  const file = join(unit.dataFolder, 'mine.yaml');
  await writeFile(file, pumpYaml('mine'));
  const calibrations = (...words: string[]) => lcs(leader.url, 'calibrations', ...words);
  const stored = await calibrations('store', 'all', 'media_pump', file, '--active');
  expect(stored).toMatchObject({ code: 0, out: 'unit1: stored, and in use.\n' });
  const listed = await calibrations();
  expect(listed.out).toMatch(/unit1 +media_pump +mine +active +simple_peristaltic_pump +2026-11-20 +2/);
  expect((await calibrations('list', '--device', 'od90')).out).not.toContain('mine');
  const shown = await calibrations('show', 'unit1', 'media_pump', 'mine', '--json');
  expect(JSON.parse(shown.out)).toMatchObject({ unit1: { ok: true, value: { hz: 250, is_active: true } } });
  expect(await calibrations('deactivate', 'unit1', 'media_pump')).toMatchObject({ code: 0 });
  expect(await calibrations('activate', 'unit1', 'media_pump', 'mine')).toMatchObject({ code: 0 });
  expect(await calibrations('delete', 'unit1', 'media_pump', 'mine')).toMatchObject({ out: 'unit1: mine is gone.\n' });
  const missing = await calibrations('activate', 'unit1', 'media_pump', 'mine');
  expect(missing).toMatchObject({ code: 1, out: expect.stringContaining('media_pump has no calibration mine') });
  expect(await calibrations('store', 'unit1', 'media_pump', './nothing.yaml')).toMatchObject({ code: 1 });
});
