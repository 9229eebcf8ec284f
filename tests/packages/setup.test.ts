import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDebian, Machine, until } from './machine.ts';
import { buildPackages, cache, debs, prepareLimitMs, suite } from './packages.ts';

/** `lcs setup` and `lcs doctor` on a fresh Debian with its real service manager and mDNS, on simulated boards. */
const version = '26.11.0';
const configTxt = '[pi4]\narm_boost=1\n';

let folder: TemporaryFolder;
let machine: Machine;

/** What it prints, whatever its exit code: a container has findings of its own, such as its clock. */
const lcs = (...words: readonly string[]): Promise<string> =>
  machine.run('sh', '-c', 'lcs "$@" || true', 'sh', ...words);

interface SetUp {
  readonly changes: readonly { readonly what: string }[];
  readonly findings: readonly { readonly code: string; readonly level: string; readonly message: string }[];
}

const setUp = async (...words: readonly string[]): Promise<SetUp> =>
  JSON.parse(await lcs('setup', '--yes', '--json', ...words));

const problems = ({ findings }: SetUp) => findings.filter(({ level }) => level === 'problem');
const levelOf = ({ findings }: SetUp, code: string) => findings.find((finding) => finding.code === code)?.level;
const inMachine = (file: string) => readFileSync(path.join(machine.root, file), 'utf8');

/** Folders, files and groups that a package or `lcs setup` could leave; `.updated` belongs to the service manager. */
const traces = async () => ({
  paths: (await machine.run('find', '/boot', '/etc', '/usr', '-xdev', '!', '-name', '.updated')).split('\n').toSorted(),
  groups: inMachine('etc/group')
    .match(/^[^:]+/gm)
    ?.toSorted(),
});
let before: Awaited<ReturnType<typeof traces>>;

beforeAll(async () => {
  folder = await temporaryFolder('setup');
  const root = path.join(folder.path, suite);
  freshDebian(suite, cache, root);
  buildPackages(path.join(root, 'debs'), 'amd64', version);
  // What people get with the packages by default, and a network of one machine.
  const apt = ['-q', 'install', '-y', '--no-install-recommends', 'avahi-utils', 'iproute2'];
  execFileSync('chroot', [root, 'apt-get', '-q', 'update'], { stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('chroot', [root, 'apt-get', ...apt], { stdio: ['ignore', 'ignore', 'inherit'] });
  machine = new Machine(root);
  await machine.boot();
  const network = 'ip link add lab0 type veth peer name lab1 && ip addr add 192.0.2.7/24 dev lab0';
  await machine.run('sh', '-c', `${network} && ip link set lab1 up && ip link set lab0 up multicast on`);
  // As on a Raspberry Pi whose board does not respond: the container has a boot partition, and no hardware.
  machine.runWith(configTxt, 'sh', '-c', 'mkdir -p /boot/firmware/overlays && cat > /boot/firmware/config.txt');
  // The container has the kernel of its host, and no modules of its own: these are those of Raspberry Pi OS that the overlay needs.
  const modules = ['pwm/pwm-gpio', 'leds/leds-pwm', 'leds/trigger/ledtrig-pattern'];
  const listed = modules.map((name) => `kernel/drivers/${name}.ko.xz:\n`).join('');
  machine.runWith(listed, 'sh', '-c', 'd=/lib/modules/$(uname -r) && mkdir -p "$d" && cat > "$d/modules.dep"');
  before = await traces();
}, prepareLimitMs);

afterAll(async () => {
  await machine?.stop();
  await folder?.[Symbol.asyncDispose]();
});

describe('lcs setup on a fresh Debian', () => {
  it('makes a leader that is announced in the network', async () => {
    await machine.run('dpkg', '-i', ...debs(version).slice(0, 2));
    const made = await setUp('--role', 'leader');
    expect(problems(made)).toEqual([]);
    expect(levelOf(made, 'announced')).toBe('ok');
    const found = await until('it is announced', async () => {
      const text = await machine.run('avahi-browse', '-rpt', '_lcs._tcp');
      return text.includes(`"version=${version}"`) ? text : undefined;
    });
    expect(found).toContain(';4999;');
    expect((await setUp('--role', 'leader')).changes).toEqual([]);
  });

  it('makes a unit beside it, which joins by itself, and whose readings flow', async () => {
    machine.runWith('a long password 7\n', 'lcs', 'people', 'add', 'ada', '--password-stdin');
    await machine.run('dpkg', '-i', ...debs(version).slice(2));
    const made = await setUp('--role', 'both', '--simulated', '--name', 'rx1');
    expect(problems(made)).toEqual([]);
    expect(levelOf(made, 'enrolment')).toBe('ok');
    // The code was used, and is nowhere any more.
    expect(inMachine('etc/lcs/unit.env')).not.toContain('--code');
    await machine.run('lcs', 'units', 'add', 'rx1', '--model', 'reactor_40ml:1.5');
    await machine.run('lcs', 'experiments', 'create', 'trial');
    await machine.run('lcs', 'units', 'assign', 'rx1', 'trial');
    await until('it is online', async () => /rx1 +online/.test(await machine.run('lcs', 'units')) || undefined);
    await machine.run('lcs', 'run', 'od_reading', '--unit', 'rx1');
    const series = ['series', 'raw-od', '--experiment', 'trial', '--hours', '1', '--json'];
    await until(
      'readings arrive',
      async () => /\d{4}-\d\d-\d\dT/.test(await machine.run('lcs', ...series)) || undefined,
    );
    expect((await setUp('--role', 'both', '--simulated', '--name', 'rx1')).changes).toEqual([]);
  });

  it('finds the leader for a unit, and reports a wrong code', async () => {
    await machine.run('sh', '-c', 'systemctl stop lcs-unit && rm -r /etc/lcs/unit.env /var/lib/lcs-unit');
    // The leader that it finds in the network is on this machine: both speak over loopback.
    const wrong = await setUp('--role', 'unit', '--simulated', '--name', 'rx2', '--code', 'ABCD2345');
    expect(inMachine('etc/lcs/unit.env')).toContain('--leader https://127.0.0.1:4999 --name rx2');
    expect(problems(wrong).map(({ code }) => code)).toEqual(['enrolment']);
    const { code }: { code: string } = JSON.parse(await machine.run('lcs', 'units', 'code', '--json'));
    const right = await setUp('--role', 'unit', '--simulated', '--code', code);
    expect([problems(right), levelOf(right, 'enrolment')]).toEqual([[], 'ok']);
  });

  it('moves a unit to another leader that answers at the same address', async () => {
    await machine.run('sh', '-c', 'systemctl stop lcs-leader && rm -r /var/lib/lcs/* && systemctl start lcs-leader');
    machine.runWith('a long password 7\n', 'lcs', 'people', 'add', 'ada', '--password-stdin');
    const { code }: { code: string } = JSON.parse(await machine.run('lcs', 'units', 'code', '--json'));
    const checked: Pick<SetUp, 'findings'> = JSON.parse(await lcs('doctor', '--json'));
    expect(checked.findings.find((finding) => finding.code === 'enrolment')).toMatchObject({
      level: 'problem',
      remediation: expect.stringContaining('--release'),
    });
    const args = ['--role', 'unit', '--simulated', '--code', code];
    const moved = await setUp(...args, '--release');
    expect(moved.changes.map(({ what }) => what)).toContain('remove /var/lib/lcs-unit/storage/credentials.json');
    expect([problems(moved), levelOf(moved, 'enrolment')]).toEqual([[], 'ok']);
    expect(await machine.run('lcs', 'units')).toContain('rx2');
    expect((await setUp('--role', 'unit', '--simulated')).changes).toEqual([]);
  });

  it('writes what a real board needs, once, and names what is missing', async () => {
    const board = ['--role', 'unit', '--name', 'rx2', '--board-version', '1.2'];
    const made = await setUp(...board);
    expect(made.changes.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['write /boot/firmware/config.txt', 'write /etc/systemd/system.conf.d/lcs-watchdog.conf']),
    );
    expect(inMachine('boot/firmware/config.txt')).toContain('dtparam=i2c_arm=on');
    expect(inMachine('boot/firmware/config.txt.before-lcs')).toBe(configTxt);
    // The hardware watchdog: a computer that hangs restarts after it.
    expect(await machine.run('systemctl', 'show', '-p', 'RuntimeWatchdogUSec', '--value')).toBe('15s');
    expect(problems(made).map(({ code }) => code)).toContain('i2c');
    expect(inMachine('etc/lcs/unit.env')).toContain('--board linux');
    expect((await setUp(...board)).changes).toEqual([]);
    // The overlay of the package, byte by byte, and a line that names it; no other overlay takes its pins.
    const overlays = () => inMachine('boot/firmware/config.txt').match(/^dtoverlay=.*$/gm);
    const [packaged, installed] = ['usr/lib/lcs', 'boot/firmware'].map((folder) =>
      readFileSync(path.join(machine.root, folder, 'overlays/lcs-outputs.dtbo')),
    );
    expect([overlays(), levelOf(made, 'overlays')]).toEqual([['dtoverlay=lcs-outputs'], 'ok']);
    expect([packaged?.length, installed]).toEqual([expect.any(Number), packaged]);
    expect(packaged?.readUInt32BE(0)).toBe(0xd00dfeed);
    const changed = await setUp(...board, '--outputs', 'pwm');
    expect([changed.changes.length, overlays()?.length, levelOf(changed, 'overlays')]).toEqual([1, 4, 'problem']);
  });

  it('writes a report without secrets', async () => {
    await lcs('doctor', '--report', '/root/report.md');
    const report = inMachine('root/report.md');
    expect(report).toContain('### lcs-unit');
    expect(report).not.toMatch(/--code [A-Z2-9]{8}|code [A-Z2-9]{4}-[A-Z2-9]{4}/);
  });

  it('leaves nothing when the packages are purged, and what others have written stays', async () => {
    // As `lcs setup --access-point` writes them: the container has no radio.
    const accessPoint = '/etc/NetworkManager/system-connections/lcs-access-point.nmconnection';
    const marker = '/boot/firmware/local_access_point';
    await machine.run('install', '-D', '/dev/null', accessPoint);
    await machine.run('install', '-D', '/dev/null', marker);
    machine.runWith('dtparam=spi=on\n', 'tee', '-a', '/boot/firmware/config.txt');
    await machine.run('dpkg', '--purge', 'lcs-unit', 'lcs-leader', 'lcs');
    await machine.run('rmdir', '--parents', '--ignore-fail-on-non-empty', path.dirname(accessPoint));
    expect(await traces()).toEqual(before);
    // Without the filter before it, that of somebody else would hold for their line.
    expect(inMachine('boot/firmware/config.txt')).toBe(`${configTxt}[all]\ndtparam=spi=on\n`);
    expect(await machine.run('systemctl', 'show', '-p', 'RuntimeWatchdogUSec', '--value')).toMatch(/^(0|infinity)$/);
    const names = ['-name', 'lcs', '-o', '-name', 'lcs-*', '-o', '-name', 'lcs.*'];
    expect(await machine.run('find', '/var', '/run', '-xdev', '(', ...names, ')')).toBe('');
  });
});
