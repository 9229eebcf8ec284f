import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDebian, Machine, until } from './machine.ts';

/**
 * The Debian packages on a fresh Debian with its real service manager: `npm run test:packages`, as root, with the packages
 * debootstrap, systemd-container and the compilers of `npm run package`.
 */
const repository = path.dirname(path.dirname(import.meta.dirname));
const cache = path.join(repository, 'node_modules/.cache/debian');
const suite = process.env.LCS_DEBIAN ?? 'trixie';
const [version, nextVersion] = ['26.11.0', '26.11.1'];
const unitPort = 5000;
/** The first run fetches a Debian; both versions are built. */
const prepareLimitMs = 900_000;

let folder: TemporaryFolder;
let machine: Machine;

const debs = (of: string): readonly string[] =>
  [`lcs_${of}_amd64`, `lcs-leader_${of}_all`, `lcs-unit_${of}_all`].map((name) => `/debs/${name}.deb`);
const lcs = (...words: readonly string[]): Promise<string> => machine.run('lcs', ...words);
const property = (service: string, name: string): Promise<string> =>
  machine.run('systemctl', 'show', service, '-p', name, '--value');
const isActive = async (service: string): Promise<true | undefined> =>
  (await property(service, 'ActiveState')) === 'active' ? true : undefined;
const processesOf = async (service: string): Promise<readonly string[]> =>
  (
    await machine
      .run('systemctl', 'show', service, '-p', 'ControlGroup', '--value')
      .then((group) =>
        machine.run(
          'sh',
          '-c',
          `cat /sys/fs/cgroup${group}/cgroup.procs || cat /sys/fs/cgroup/systemd${group}/cgroup.procs`,
        ),
      )
  ).split('\n');

/** Times of the stored readings of the unit, in milliseconds. */
async function readingTimes(): Promise<readonly number[]> {
  const text = await lcs('series', 'raw-od', '--experiment', 'trial', '--hours', '1', '--points', '5000', '--json');
  const times = [...text.matchAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g)].map(([, time = '']) => Date.parse(time));
  return [...new Set(times)].toSorted((a, b) => a - b);
}

beforeAll(async () => {
  folder = await temporaryFolder('packages');
  const root = path.join(folder.path, suite);
  freshDebian(suite, cache, root);
  for (const each of [version, nextVersion]) {
    const args = [
      '--architecture',
      'amd64',
      '--version',
      each,
      '--compression',
      'none',
      '--out',
      path.join(root, 'debs'),
    ];
    execFileSync(process.execPath, [path.join(repository, 'build/package/main.ts'), ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  machine = new Machine(root);
  await machine.boot();
}, prepareLimitMs);

afterAll(async () => {
  await machine?.stop();
  await folder?.[Symbol.asyncDispose]();
});

describe('the packages', () => {
  it('install: the leader is ready, the unit waits until it has a leader', async () => {
    const [program, leader, unit] = debs(version);
    // A machine that is a unit only: its options have their folder, and it waits for them.
    await machine.run('dpkg', '-i', `${program}`, `${unit}`);
    expect(await machine.run('stat', '-c', '%F', '/etc/lcs')).toBe('directory');
    expect(await property('lcs-unit', 'ConditionResult')).toBe('no');
    await machine.run('dpkg', '-i', `${leader}`);
    expect(await isActive('lcs-leader')).toBe(true);
    expect(await machine.run('lcs', '--version')).toBe(version);
    expect(await machine.run('stat', '-c', '%U %a', '/var/lib/lcs')).toBe('lcs 700');
    expect(await machine.run('node', '--version').catch(() => 'none')).toBe('none');
  });

  it('make a cluster: a unit joins with a code, and its readings arrive', async () => {
    machine.runWith('a long password 7\n', 'lcs', 'people', 'add', 'ada', '--password-stdin');
    const { code }: { code: string } = JSON.parse(await lcs('units', 'code', '--json'));
    const options = `--leader https://127.0.0.1:4999 --name rx1 --board simulated --port ${unitPort} --code ${code}`;
    writeFileSync(path.join(machine.root, 'etc/lcs/unit.env'), `LCS_UNIT_OPTIONS="${options}"\n`);
    await machine.run('systemctl', 'start', 'lcs-unit');
    await until('the unit has joined', async () => (await lcs('units')).includes('lcs units add rx1') || undefined);
    await lcs('units', 'add', 'rx1', '--model', 'reactor_40ml:1.5');
    await lcs('experiments', 'create', 'trial');
    await lcs('units', 'assign', 'rx1', 'trial');
    await until('it is online', async () => /rx1 +online/.test(await lcs('units')) || undefined);
    await lcs('run', 'stirring', '--unit', 'rx1');
    await lcs('run', 'od_reading', '--unit', 'rx1');
    await until('readings arrive', async () => ((await readingTimes()).length > 3 ? true : undefined));
  });

  it('upgrade while readings flow: no stored reading is lost, and they go on', async () => {
    const before = await readingTimes();
    await machine.run('dpkg', '-i', ...debs(nextVersion));
    expect(await machine.run('dpkg-query', '-W', 'lcs')).toBe(`lcs\t${nextVersion}`);
    await until('readings go on', async () => {
      const now = await readingTimes().catch(() => []);
      return now.length > before.length + 3 ? true : undefined;
    });
    const after = await readingTimes();
    expect(after.slice(0, before.length)).toEqual(before);
    expect([await property('lcs-unit', 'NRestarts'), await property('lcs-leader', 'NRestarts')]).toEqual(['0', '0']);
  });

  it('switch every output off when all processes of the unit are killed', async () => {
    // A kernel with one PWM channel, at half of its period: the services see it instead of that of this computer.
    const channel = '/run/test-class/pwm/pwmchip0/pwm1';
    await machine.run('mkdir', '-p', channel);
    machine.runWith('1000000\n', 'tee', `${channel}/period`);
    machine.runWith('500000\n', 'tee', `${channel}/duty_cycle`);
    await machine.run('chown', '-R', 'lcs', '/run/test-class');
    await machine.run('mount', '--bind', '/run/test-class', '/sys/class');
    const restarts = Number(await property('lcs-unit', 'NRestarts'));
    await machine.run('sh', '-c', `kill -9 ${(await processesOf('lcs-unit')).join(' ')}`);
    await until('the output is off', async () =>
      (await machine.run('cat', `${channel}/duty_cycle`)) === '0' ? true : undefined,
    );
    await machine.run('umount', '/sys/class');
    await until('the unit runs again', async () =>
      Number(await property('lcs-unit', 'NRestarts')) > restarts ? isActive('lcs-unit') : undefined,
    );
  });

  it('restart a unit that hangs', async () => {
    const frozen = await property('lcs-unit', 'MainPID');
    await machine.run('sh', '-c', `kill -STOP ${frozen}`);
    await until('another process runs', async () => {
      const now = await property('lcs-unit', 'MainPID');
      return now !== frozen && now !== '0' ? isActive('lcs-unit') : undefined;
    });
    expect(await machine.run('journalctl', '-u', 'lcs-unit', '--no-pager')).toContain("result 'watchdog'");
  });

  it('downgrade, and are removed without the data', async () => {
    const before = await readingTimes();
    await machine.run('dpkg', '-i', '--force-downgrade', ...debs(version));
    expect((await readingTimes()).slice(0, before.length)).toEqual(before);
    await machine.run('dpkg', '--remove', 'lcs-unit', 'lcs-leader', 'lcs');
    expect(await property('lcs-leader', 'ActiveState')).not.toBe('active');
    expect(await machine.run('ls', '/var/lib/lcs/storage')).toContain('leader.sqlite');
    expect(existsSync(path.join(machine.root, 'usr/lib/lcs'))).toBe(false);
  });

  it('leave nothing when they are purged', async () => {
    await machine.run('dpkg', '--purge', 'lcs-unit', 'lcs-leader', 'lcs');
    const names = ['-name', 'lcs', '-o', '-name', 'lcs-*', '-o', '-name', 'lcs.*'];
    const left = await machine.run('find', '/etc', '/usr', '/var', '/run', '-xdev', '(', ...names, ')');
    expect(left).toBe('');
    expect(readFileSync(path.join(machine.root, 'etc/passwd'), 'utf8')).not.toMatch(/^lcs:/m);
  });
});
