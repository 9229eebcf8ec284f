import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startLeader, temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { refusesBackups } from './refuses-backups.ts';

const written =
  '# the mail server\n[smtp]\nhost = 127.0.0.1\nfrom = lcs@lab.example\npassword = hush-hush ; not a comment\n';

/** All files below a folder as one text. */
async function contentOf(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

it('a password that a person writes into leader.ini is encrypted by the next start; nothing else of the file changes', async () => {
  await using folder = await temporaryFolder('secrets');
  const path = join(folder.path, 'leader.ini');
  await writeFile(path, written, { mode: 0o644 });
  const start = () => startLeader({ observe, dataFolder: folder.path });
  {
    await using leader = await start();
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(
      /^# the mail server\n\[smtp\]\nhost = 127\.0\.0\.1\nfrom = lcs@lab\.example\npassword=encrypted:\S+\n$/,
    );
    expect((await stat(join(folder.path, 'storage', 'secrets.key'))).mode & 0o777).toBe(0o600);
    const isWithBackup = !(await refusesBackups(leader));
    if (isWithBackup) await leader.finished((await leader.api.call('createBackup')).expect(202));
    const archive = Buffer.from(await (await fetch(`${leader.url}/unit_api/zipped_dot_reactor`)).arrayBuffer());
    expect([archive.includes('secrets.key'), archive.includes('leader.ini')]).toEqual([false, false]);
    expect((await contentOf(join(folder.path, 'backups'))).includes('password=encrypted:')).toBe(isWithBackup);
    expect(JSON.stringify(leader.log.lines)).not.toContain('hush');
  }
  const key = (await readFile(join(folder.path, 'storage', 'secrets.key'), 'utf8')).trim();
  const everything = await contentOf(folder.path);
  expect([everything.includes('hush'), (await contentOf(join(folder.path, 'backups'))).includes(key)]).toEqual([
    false,
    false,
  ]);
  const sealed = await readFile(path, 'utf8');
  await using again = await start();
  expect(await readFile(path, 'utf8')).toBe(sealed);
  expect(again.log.messages('warn')).toEqual([]);
});

it('a lost key is reported with the settings to enter again, and the rest works', async () => {
  await using folder = await temporaryFolder('lost');
  await writeFile(join(folder.path, 'leader.ini'), written);
  const start = () => startLeader({ observe, dataFolder: folder.path });
  {
    await using leader = await start();
    await leader.client.createAlarmChannel({
      body: { kind: 'webhook', name: 'hook', url: 'https://example.org/x', secret: 'hush' },
    });
    await leader.client.createAlarmChannel({ body: { kind: 'email', name: 'mail', to: ['a@lab.example'] } });
  }
  await rm(join(folder.path, 'storage', 'secrets.key'));
  await using leader = await start();
  const warnings = leader.log.lines.filter(({ level }) => level === 'warn');
  expect(warnings).toContainEqual(
    expect.objectContaining({ fields: expect.objectContaining({ settings: '[smtp] password' }) }),
  );
  for (const channel of await leader.client.listAlarmChannels()) {
    const tested = await leader.finished(
      (await leader.api.call('testAlarmChannel', { params: { channel_id: channel.channel_id } })).expect(202),
    );
    expect(JSON.stringify(tested)).toContain('secrets.key');
  }
  await leader.client.createExperiment({ body: { experiment: 'goes on' } });
});
