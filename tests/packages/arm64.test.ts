import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emulateArm64, runInRoot, startInRoot } from './emulated.ts';
import { freshDebian, until } from './machine.ts';
import { buildPackages, cache, debs, openMissingBus, prepareLimitMs, repository, suite } from './packages.ts';

/**
 * The packages for arm64 on a fresh Debian for arm64, in an emulator. A service manager does not run there: the command of the unit file is
 * run with its user, environment and folders. The leader runs on this computer.
 */
const [version, nextVersion] = ['26.11.0', '26.11.1'];
const program = path.join(repository, 'packages/cli/bin/lcs.js');

let folder: TemporaryFolder;
let root: string;
let leaderUrl: string;
let stopEmulating = (): void => {};
const running: ChildProcess[] = [];

const lcs = async (...words: readonly string[]): Promise<string> =>
  (
    await promisify(execFile)(process.execPath, [program, ...words], {
      cwd: folder.path,
      env: { ...process.env, NODE_OPTIONS: '', LCS_URL: leaderUrl },
    })
  ).stdout;

/** Values of a key of the unit file, in order. */
const unitFile = (key: string): readonly string[] =>
  [...readFileSync(path.join(root, 'usr/lib/systemd/system/lcs-unit.service'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)]
    .filter(([, name]) => name === key)
    .map(([, , value = '']) => value);

/** As systemd.exec(5) would: user, environment, folders; `$LCS_UNIT_OPTIONS` becomes its words. */
async function startService(options: string): Promise<ChildProcess> {
  const [user = ''] = unitFile('User');
  for (const [key, place] of [
    ['StateDirectory', '/var/lib'],
    ['RuntimeDirectory', '/run'],
  ] as const)
    await runInRoot(root, 'install', '-d', '-o', user, '-g', user, '-m', '0700', `${place}/${unitFile(key)[0]}`);
  const variables = unitFile('Environment').map((pair) => pair.split('='));
  const env = {
    PATH: '/usr/bin:/bin',
    ...Object.fromEntries(variables),
    RUNTIME_DIRECTORY: `/run/${unitFile('RuntimeDirectory')[0]}`,
  };
  const command = (unitFile('ExecStart')[0] ?? '').replace('$LCS_UNIT_OPTIONS', options).split(' ');
  // Another user's process does not end with its parent unless it says so again.
  const rights = [
    'setpriv',
    `--reuid=${user}`,
    `--regid=${user}`,
    '--init-groups',
    '--no-new-privs',
    '--pdeathsig=KILL',
  ];
  return startInRoot(root, env, ...rights, ...command, '--json');
}

beforeAll(async () => {
  folder = await temporaryFolder('arm64');
  root = path.join(folder.path, 'root');
  stopEmulating = emulateArm64();
  freshDebian(suite, cache, root, 'arm64');
  buildPackages(path.join(root, 'debs'), 'arm64', version, nextVersion);
  const leader = spawn(
    process.execPath,
    [program, 'leader', '--port', '0', '--mqtt-port', '0', '--data-dir', path.join(folder.path, '.lcs'), '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  running.push(leader);
  const [line] = await once(createInterface({ input: leader.stdout }), 'line');
  leaderUrl = JSON.parse(String(line)).url;
}, prepareLimitMs);

afterAll(async () => {
  for (const child of running.toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  stopEmulating();
  await folder?.[Symbol.asyncDispose]();
});

/** Without a write to the disk for each file: under emulation 110 MB of program take long enough. */
const dpkg = (...words: readonly string[]): Promise<string> => runInRoot(root, 'dpkg', '--force-unsafe-io', ...words);

/** Program and unit, which are replaced together. */
async function install(wanted: string): Promise<void> {
  const [program = '', , unit = ''] = debs(wanted, 'arm64');
  await dpkg('--force-downgrade', '-i', program, unit);
}

describe('the packages for arm64', { timeout: prepareLimitMs }, () => {
  it('install, with an I2C addon that loads', async () => {
    await install(version);
    expect(await runInRoot(root, 'lcs', '--version')).toBe(version);
    expect(await runInRoot(root, 'dpkg', '--print-architecture')).toBe('arm64');
    expect(await runInRoot(root, ...openMissingBus)).toBe('ENOENT');
  });

  it('run a unit that is ready, joins with a code, and whose readings arrive', async () => {
    const { code }: { code: string } = JSON.parse(await lcs('units', 'code', '--json'));
    const startedMs = Date.now();
    const seconds = () => Math.round((Date.now() - startedMs) / 1000);
    const unit = await startService(`--leader ${leaderUrl} --name rx1 --board simulated --port 0 --code ${code}`);
    running.push(unit);
    let log = '';
    unit.stderr?.on('data', (text) => {
      log += text;
    });
    const [line] = await Promise.race([
      once(createInterface({ input: unit.stdout ?? process.stdin }), 'line'),
      once(unit, 'exit').then(() => Promise.reject(new Error(`The unit has ended: ${log}`))),
    ]);
    expect(JSON.parse(String(line))).toMatchObject({ ready: true });
    const times = { ready: seconds(), joined: 0, readings: 0 };
    await until('the unit has joined', async () => (await lcs('units')).includes('lcs units add rx1') || undefined);
    times.joined = seconds();
    await lcs('units', 'add', 'rx1', '--model', 'reactor_40ml:1.5');
    await lcs('experiments', 'create', 'trial');
    await lcs('units', 'assign', 'rx1', 'trial');
    await until('it is online', async () => /rx1 +online/.test(await lcs('units')) || undefined);
    for (const job of ['stirring', 'od_reading']) await lcs('run', job, '--unit', 'rx1');
    await until('readings arrive', async () => {
      const text = await lcs('series', 'raw-od', '--experiment', 'trial', '--hours', '1', '--points', '5000', '--json');
      return new Set([...text.matchAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g)].map(String)).size > 3 ? true : undefined;
    });
    times.readings = seconds();
    console.info(`arm64 in an emulator: seconds after the start: ${JSON.stringify(times)}`);
    const ended = once(unit, 'exit');
    unit.kill('SIGKILL');
    await ended;
  });

  it('upgrade and downgrade, and keep the data', async () => {
    const data = await runInRoot(root, 'find', '/var/lib/lcs-unit', '-type', 'f');
    expect(data).toContain('.sqlite');
    for (const next of [nextVersion, version]) {
      await install(next);
      expect(await runInRoot(root, 'dpkg-query', '-W', 'lcs', 'lcs-unit')).toBe(`lcs\t${next}\nlcs-unit\t${next}`);
      // The program of both is the same.
      expect(await runInRoot(root, 'lcs', '--version')).toBe(version);
      expect(await runInRoot(root, 'find', '/var/lib/lcs-unit', '-type', 'f')).toBe(data);
    }
  });

  it('are removed without the data, and leave nothing when they are purged', async () => {
    await dpkg('--remove', 'lcs-unit', 'lcs');
    expect(existsSync(path.join(root, 'usr/lib/lcs'))).toBe(false);
    expect(await runInRoot(root, 'find', '/var/lib/lcs-unit', '-name', '*.sqlite')).not.toBe('');
    await dpkg('--purge', 'lcs-unit', 'lcs');
    const names = ['-name', 'lcs', '-o', '-name', 'lcs-*', '-o', '-name', 'lcs.*'];
    expect(await runInRoot(root, 'find', '/etc', '/usr', '/var', '-xdev', '(', ...names, ')')).toBe('');
    expect(readFileSync(path.join(root, 'etc/passwd'), 'utf8')).not.toMatch(/^lcs:/m);
  });
});
