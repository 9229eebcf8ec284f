import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StartupError } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeUsing, openDataFolder } from './data-folder.ts';

let top = '';
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'lcs-data-'));
});
afterEach(() => rm(top, { recursive: true }));

/** Opens the folder each time it is asked to on standard input, prints the outcome, and stays. */
const starterProgram = `
  import { openDataFolder } from ${JSON.stringify(new URL('data-folder.ts', import.meta.url).href)};
  console.log('ready');
  process.stdin.on('data', async () => {
    try {
      await openDataFolder(process.argv[1]);
      console.log('holds');
    } catch (error) {
      console.log(error.name + ': ' + error.message);
    }
  });
`;

async function starter(path: string) {
  const arguments_ = ['--input-type=module', '-e', starterProgram, path];
  const child = spawn(process.execPath, arguments_, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  expect(await nextLine()).toBe('ready');
  return {
    child,
    open: async () => {
      child.stdin.write('open\n');
      return await nextLine();
    },
  };
}

async function kill(child: ChildProcess) {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('the data folder', () => {
  it('shows which process uses it, if one does', async () => {
    const path = join(top, 'data');
    expect(await nodeUsing(path)).toBeUndefined();
    const { child, open } = await starter(path);
    expect(await open()).toBe('holds');
    expect(await nodeUsing(path)).toBe(child.pid);
    await kill(child);
    expect(await nodeUsing(path)).toBeUndefined();
    const folder = await openDataFolder(path);
    expect(await nodeUsing(path)).toBe(process.pid);
    await folder.close();
    expect(await nodeUsing(path)).toBeUndefined();
  });

  it('is created for its owner alone', async () => {
    const path = join(top, 'new', 'data');
    const folder = await openDataFolder(path);
    expect(folder.path).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await folder.close();
  });

  it('confines paths', async () => {
    const folder = await openDataFolder(top);
    expect(await folder.inside('config.ini')).toMatch(/config\.ini$/);
    await expect(folder.inside('../x')).rejects.toThrow("contains '..'");
    await folder.close();
  });

  it('is open once at a time, and again after it was closed', async () => {
    const folder = await openDataFolder(top);
    const error = await openDataFolder(top).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartupError);
    expect(String(error)).toContain(`${top} is in use by another node (process ${process.pid})`);
    await folder.close();
    await folder.close();
    await (await openDataFolder(top)).close();
  });

  it('reports in one sentence why it cannot be used', async () => {
    await writeFile(join(top, 'file'), '');
    for (const path of [join(top, 'file'), join(top, 'file', 'data')]) {
      const error = await openDataFolder(path).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StartupError);
      expect(String(error)).toBe(
        `StartupError: The data folder ${path} is not writable: a part of the path is a file.`,
      );
    }
  });

  it('is freed of the remains of cut writes', async () => {
    await writeFile(join(top, '.identity.json.0123456789ab.tmp'), 'half');
    await (await openDataFolder(top)).close();
    expect(await readdir(top)).toEqual(['.lock']);
  });

  it('has one winner among several processes that start at once, and another after the winner was killed', async () => {
    const starters = await Promise.all(Array.from({ length: 3 }, () => starter(top)));
    const answers = await Promise.all(starters.map(({ open }) => open()));
    const winner = starters[answers.indexOf('holds')];
    const winnerPid = winner?.child.pid;
    const refused = answers.filter((answer) => answer !== 'holds');
    expect(refused).toHaveLength(2);
    for (const answer of refused) expect(answer).toContain(`StartupError: The data folder ${top} is in use`);
    await expect(openDataFolder(top)).rejects.toThrow(`process ${winnerPid}`);

    if (winner !== undefined) await kill(winner.child);
    const successors = starters.filter((each) => each !== winner);
    const second = await Promise.all(successors.map(({ open }) => open()));
    expect(second.filter((answer) => answer === 'holds')).toHaveLength(1);
    await Promise.all(successors.map(({ child }) => kill(child)));
    await (await openDataFolder(top)).close();
  }, 30_000);
});
