import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDebian, Machine, until } from './machine.ts';
import {
  buildPackages,
  cache,
  debs,
  joinUnit,
  openMissingBus,
  prepareLimitMs,
  processesOf,
  property,
  suite,
} from './packages.ts';

/**
 * The Debian packages on a fresh Debian with its real service manager: `npm run test:packages`, as root, with the packages
 * debootstrap, systemd-container and the compilers of `npm run package`.
 */
const [version, nextVersion] = ['26.11.0', '26.11.1'];
const unitPort = 5000;

let folder: TemporaryFolder;
let machine: Machine;

const lcs = (...words: readonly string[]): Promise<string> => machine.run('lcs', ...words);
const propertyOf = (service: string, name: string): Promise<string> => property(machine, service, name);
const isActive = async (service: string): Promise<true | undefined> =>
  (await propertyOf(service, 'ActiveState')) === 'active' ? true : undefined;

/** Times of the stored readings of the unit, in milliseconds. */
async function readingTimes(): Promise<readonly number[]> {
  const text = await lcs('series', 'raw-od', '--experiment', 'trial', '--hours', '1', '--points', '5000', '--json');
  const times = [...text.matchAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g)].map(([, time = '']) => Date.parse(time));
  return [...new Set(times)].toSorted((a, b) => a - b);
}

/** How many ranges of the unit's records the leader knows to be lost. */
function countedGaps(): number {
  using leader = new DatabaseSync(path.join(machine.root, 'var/lib/lcs/storage/leader.sqlite'), { readOnly: true });
  return Number(leader.prepare('select count(*) as n from gaps').get()?.n);
}

/** A process of the unit by a part of its command line. */
async function unitProcess(part: string): Promise<number> {
  const found = (await processesOf(machine, 'lcs-unit')).find((pid) =>
    machine.read(`/proc/${pid}/cmdline`).includes(part),
  );
  if (found === undefined) throw new Error(`The unit has no process ${part}.`);
  return found;
}

/** A kernel with one PWM channel, at half of its period: the services see it instead of that of this computer. */
async function outputOn() {
  const channel = '/run/test-class/pwm/pwmchip0/pwm1';
  await machine.run('mkdir', '-p', channel);
  machine.runWith('1000000\n', 'tee', `${channel}/period`);
  machine.runWith('500000\n', 'tee', `${channel}/duty_cycle`);
  await machine.run('chown', '-R', 'lcs', '/run/test-class');
  await machine.run('mount', '--bind', '/run/test-class', '/sys/class');
  return {
    isOff: () => machine.read(`${channel}/duty_cycle`) === '0',
    end: () => machine.run('umount', '/sys/class'),
  };
}

/**
 * As a process that waits for a disk or a hung bus: SIGKILL does not end it. By the freezer of cgroup version 1; that of version 2 lets it end.
 * Call the result when it may end.
 */
function holdInKernel(pid: number): () => void {
  const freezer = '/sys/fs/cgroup/freezer';
  if (!existsSync(freezer)) return () => {};
  const group = path.join(freezer, `lcs-hangs-${process.pid}`);
  mkdirSync(group, { recursive: true });
  writeFileSync(path.join(group, 'cgroup.procs'), String(pid));
  writeFileSync(path.join(group, 'freezer.state'), 'FROZEN');
  return () => writeFileSync(path.join(group, 'freezer.state'), 'THAWED');
}

/** Highest exposure that `systemd-analyze security` may find, from 0 to 10. */
const mostExposure = {
  'lcs-leader': 1.9,
  'lcs-control': 1.9,
  'lcs-api': 1.9,
  'lcs-ingest': 1.9,
  'lcs-unit': 2.5,
} as const;
const databaseServices = ['lcs-control', 'lcs-api', 'lcs-ingest'] as const;

beforeAll(async () => {
  folder = await temporaryFolder('packages');
  const root = path.join(folder.path, suite);
  freshDebian(suite, cache, root);
  buildPackages(path.join(root, 'debs'), 'amd64', version, nextVersion);
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
    expect(await propertyOf('lcs-unit', 'ConditionResult')).toBe('no');
    await machine.run('dpkg', '-i', `${leader}`);
    expect(await isActive('lcs-leader')).toBe(true);
    expect(await machine.run('lcs', '--version')).toBe(version);
    expect(await machine.run('stat', '-c', '%U %a', '/var/lib/lcs')).toBe('lcs 700');
    expect(await machine.run('node', '--version').catch(() => 'none')).toBe('none');
    expect(await machine.run(...openMissingBus)).toBe('ENOENT');
    await machine.run('ls', '/usr/share/man/man1/lcs.1.gz', '/usr/share/bash-completion/completions/lcs');
    for (const name of ['lcs-leader.service', 'lcs-unit.service', 'system.slice'])
      expect([name, Number(await propertyOf(name, 'MemoryMin'))]).toEqual([name, 128 * 2 ** 20]);
  });

  it('are the same bytes when they are made again', () => {
    const again = path.join(folder.path, 'again');
    buildPackages(again, 'amd64', version);
    const bytesIn = (place: string) => debs(version).map((file) => readFileSync(path.join(place, path.basename(file))));
    const [first, second] = [bytesIn(path.join(machine.root, 'debs')), bytesIn(again)];
    expect(second.map((bytes, index) => bytes.equals(first[index] ?? Buffer.alloc(0)))).toEqual([true, true, true]);
  });

  it.each(Object.entries(mostExposure))('expose %s no more than by %d of 10', async (service, most) => {
    const text = await machine.run('systemd-analyze', 'security', '--no-pager', `${service}.service`);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1]);
    expect(exposure).toBeGreaterThan(0);
    expect(exposure).toBeLessThanOrEqual(most);
  });

  it.each(databaseServices)('have %s, which is disabled, and stops the leader when it is started', async (service) => {
    expect(await propertyOf(service, 'UnitFileState')).toBe('disabled');
    expect(await machine.run('sh', '-c', `systemd-analyze verify --man=no ${service}.service 2>&1`)).toBe('');
    expect(await machine.run('stat', '-c', '%U %G %a', '/etc/lcs/database.env')).toBe('root lcs 640');
    // Without a database it is started again and again.
    await machine.run('systemctl', 'start', '--no-block', service);
    await until('it is tried again', async () =>
      Number(await propertyOf(service, 'NRestarts')) > 0 ? true : undefined,
    );
    expect(await propertyOf('lcs-leader', 'ActiveState')).toBe('inactive');
    await machine.run('systemctl', 'start', 'lcs-leader');
    expect(await propertyOf(service, 'ActiveState')).toBe('inactive');
    expect(await isActive('lcs-leader')).toBe(true);
  });

  it('make a cluster: a unit joins with a code, and its readings arrive', async () => {
    await joinUnit(machine, unitPort);
    await lcs('run', 'stirring', '--unit', 'rx1');
    await lcs('run', 'od_reading', '--unit', 'rx1');
    const thermostat = ['automation_name=thermostat', 'target_temperature=32'].flatMap((each) => ['--option', each]);
    await lcs('run', 'temperature_automation', '--unit', 'rx1', ...thermostat);
    await lcs('run', 'growth_rate_calculating', '--unit', 'rx1');
    await until('readings arrive', async () => ((await readingTimes()).length > 3 ? true : undefined));
  });

  it('upgrade while four jobs run: no reading is lost, all jobs go on', async () => {
    const before = await readingTimes();
    await machine.run('dpkg', '-i', ...debs(nextVersion));
    expect(await machine.run('dpkg-query', '-W', 'lcs')).toBe(`lcs\t${nextVersion}`);
    await until('readings go on', async () => {
      const now = await readingTimes().catch(() => []);
      return now.length > before.length + 3 ? true : undefined;
    });
    const after = await readingTimes();
    expect(after.slice(0, before.length)).toEqual(before);
    // A unit reports records that it had to drop, and the leader those that it misses.
    expect(countedGaps()).toBe(0);
    const jobs = await lcs('jobs', '--unit', 'rx1', '--json');
    for (const job of ['stirring', 'od_reading', 'temperature_automation', 'growth_rate_calculating'])
      expect(jobs).toContain(job);
    const pauses = after.slice(1).map((at, index) => at - (after[index] ?? at));
    console.info(`The longest time without a reading during an upgrade: ${Math.max(...pauses) / 1000} s.`);
    expect([await propertyOf('lcs-unit', 'NRestarts'), await propertyOf('lcs-leader', 'NRestarts')]).toEqual([
      '0',
      '0',
    ]);
  });

  it.each([
    ['at one moment', false],
    ['and one of them hangs in the kernel', true],
  ])('switch every output off within a second when all processes of the unit are killed, %s', async (how, hangs) => {
    const output = await outputOn();
    const restarts = Number(await propertyOf('lcs-unit', 'NRestarts'));
    const processes = await processesOf(machine, 'lcs-unit');
    const continues = hangs ? holdInKernel(machine.outerPid(await unitProcess('board-process'))) : () => {};
    await machine.run('sh', '-c', `kill -9 ${processes.join(' ')}`);
    const killedMs = Date.now();
    await until('the output is off', () => (output.isOff() ? true : undefined), 5);
    const offMs = Date.now() - killedMs;
    continues();
    console.info(`All processes of the unit killed, ${how}: output off after ${offMs} ms.`);
    expect(offMs).toBeLessThan(1000);
    await output.end();
    await until('the unit runs again', async () =>
      Number(await propertyOf('lcs-unit', 'NRestarts')) > restarts ? isActive('lcs-unit') : undefined,
    );
  });

  it('end a unit whose node and guard hang, with its outputs off, and start another one', async () => {
    const output = await outputOn();
    const frozen = await propertyOf('lcs-unit', 'MainPID');
    const stoppedMs = Date.now();
    await machine.run('sh', '-c', `kill -STOP ${frozen} ${await unitProcess('guard-process')}`);
    await until('the output is off', () => (output.isOff() ? true : undefined), 20);
    const offMs = Date.now() - stoppedMs;
    await output.end();
    await until('another process runs', async () => {
      const now = await propertyOf('lcs-unit', 'MainPID');
      return now !== frozen && now !== '0' ? isActive('lcs-unit') : undefined;
    });
    const readyMs = Date.now() - stoppedMs;
    console.info(`Node and guard hang: output off after ${offMs} ms, another unit is ready after ${readyMs} ms.`);
    // WatchdogSec after the last sign of life, and a second for the end.
    expect(offMs).toBeLessThan(31_000);
    expect(await machine.run('journalctl', '-u', 'lcs-unit', '--no-pager')).toContain("result 'watchdog'");
  });

  it('downgrade, and are removed without the data', async () => {
    const before = await readingTimes();
    await machine.run('dpkg', '-i', '--force-downgrade', ...debs(version));
    expect((await readingTimes()).slice(0, before.length)).toEqual(before);
    await machine.run('dpkg', '--remove', 'lcs-unit', 'lcs-leader', 'lcs');
    expect(await propertyOf('lcs-leader', 'ActiveState')).not.toBe('active');
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
