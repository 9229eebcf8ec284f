import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ProgramsInSmallProcess, runProgram, startProgramsInSmallProcess } from '../testing/index.ts';

/** Service manager of the machine: it keeps what was enabled and started in files, and knows three services. */
const systemctl = `
case "$1" in
  is-active) [ "$2" = avahi-daemon.service ] || [ -e "$state/$2.active" ] ;;
  show)
    [ "$3" = InvocationID ] && echo 0123456789abcdef0123456789abcdef && exit 0
    [ "$2" = -p ] && echo 15s && exit 0
    for unit in "$2" "$3" "$4"; do
      echo "Id=$unit"
      echo "LoadState=$(cat "$state/$unit.loaded" 2>/dev/null || echo not-found)"
      echo "UnitFileState=$(cat "$state/$unit.enabled" 2>/dev/null || echo disabled)"
      echo "ActiveState=$(cat "$state/$unit.active" 2>/dev/null || echo inactive)"
      echo "NRestarts=0"
      echo "MainPID=0"
      echo
    done ;;
  enable) echo enabled >"$state/$2.enabled" ;;
  restart) echo active >"$state/$2.active" ;;
  stop) rm -f "$state/$2.active" ;;
esac
`;
const tools: Readonly<Record<string, string>> = {
  systemctl,
  // The leader accepts the unit as soon as it runs.
  journalctl: `[ -e "$state/lcs-unit.service.active" ] && echo '{"leader":"lab","leaderId":"x","message":"Enrolled"}'; exit 0`,
  'avahi-browse': 'cat "$state/leaders"',
  gpiodetect: 'echo "gpiodetect (libgpiod) v2.2.1"',
  timedatectl: 'echo yes',
  nmcli: '',
  ss: '',
  df: 'echo "Size Avail"; echo "31000000000 20000000000"',
};

/** Not UTF-8, as a compiled overlay. */
const overlay = '\u00d0\r\u00fe\u00ed compiled';
const overlayFile = 'boot/firmware/overlays/lcs-outputs.dtbo';

/** The first text is in latin1, which is not UTF-8. */
const config = '# mine, by Zo\u00eb\r\ndtparam=audio=on\r\n[pi5]\r\nx=1\r\n';

describe('lcs setup and lcs doctor on a machine', () => {
  let folder: string;
  let leader: Server;
  let port = 0;
  let programs: ProgramsInSmallProcess;
  const at = (path: string) => join(folder, 'root', path);
  const put = async (path: string, text: string) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  const state = (name: string, text: string) => writeFile(join(folder, 'state', name), text);
  const log = async () =>
    (await readFile(join(folder, 'state/log'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const lcs = (args: readonly string[], { ask, environment }: Parameters<typeof runProgram>[1] = {}) => {
    const all = {
      LCS_ROOT: join(folder, 'root'),
      PATH: `${join(folder, 'tools')}:/usr/bin:/bin`,
      ...environment,
    };
    return ask === undefined ? programs.run(args, all) : runProgram(args, { ask, environment: all });
  };
  const files = async () => {
    const entries = await readdir(at(''), { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')])));
  };
  const unitSetUp = () => ['setup', '--role', 'unit', '--leader', `http://127.0.0.1:${port}`, '--name', 'rx1', '--yes'];

  beforeAll(() => {
    programs = startProgramsInSmallProcess();
  });
  afterAll(() => programs[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lcs-setup-'));
    await mkdir(join(folder, 'tools'));
    await mkdir(join(folder, 'state'));
    for (const [name, body] of Object.entries(tools)) {
      const text = `#!/bin/sh\nstate="\${0%/*}/../state"\necho "${name} $*" >>"$state/log"\n${body}\n`;
      await writeFile(join(folder, 'tools', name), text);
      await chmod(join(folder, 'tools', name), 0o755);
    }
    await state('leaders', '');
    await state('lcs-unit.service.loaded', 'loaded');
    await state('lcs-firmware.service.loaded', 'loaded');
    await state('lcs-firmware.service.enabled', 'static');
    await put('proc/device-tree/model', 'Raspberry Pi 4 Model B\0');
    await put('proc/device-tree/hat/vendor', 'Pioreactor Inc.\0');
    await put('proc/device-tree/hat/product_id', '0x0001\0');
    await put('proc/device-tree/hat/product_ver', '0x0012\0');
    await put('proc/sys/kernel/osrelease', '6.12.34+rpt-rpi-v8\n');
    await put('boot/firmware/config.txt', '');
    await writeFile(at('boot/firmware/config.txt'), config, 'latin1');
    await put('boot/firmware/overlays/pwm-gpio.dtbo', '');
    await put('boot/firmware/overlays/pwm-2chan.dtbo', '');
    await put('usr/lib/lcs/overlays/lcs-outputs.dtbo', '');
    await writeFile(at('usr/lib/lcs/overlays/lcs-outputs.dtbo'), overlay, 'latin1');
    await put(
      'lib/modules/6.12.34+rpt-rpi-v8/modules.dep',
      'kernel/drivers/pwm/pwm-gpio.ko.xz:\nkernel/drivers/leds/leds-pwm.ko.xz:\n',
    );
    await put('lib/modules/6.12.34+rpt-rpi-v8/modules.builtin', 'kernel/drivers/leds/trigger/ledtrig-pattern.ko\n');
    await put('proc/stat', 'btime 1\n');
    await put('etc/group', 'gpio:x:1:\ni2c:x:2:\n');
    // As the kernel makes it, before udev gives it to a group.
    await put('sys/class/pwm/pwmchip0/export', '');
    await put('etc/passwd', 'lcs:x:1:1::/:/bin/false\n');
    await put('etc/nsswitch.conf', 'hosts: files mdns4_minimal dns\n');
    const health = { status: 'ok', reactor_unit: 'lab', utc_time: '2026-11-27T00:00:00.000Z' };
    leader = createServer((_, response) => response.end(JSON.stringify(health)));
    await new Promise<void>((resolve) => leader.listen(0, '127.0.0.1', resolve));
    const address = leader.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(async () => {
    await new Promise((resolve) => leader.close(resolve));
    await rm(folder, { recursive: true });
  });

  it('makes a unit, once: the second run changes nothing', async () => {
    const before = await files();
    const dry = await lcs([...unitSetUp().filter((word) => word !== '--yes'), '--dry-run', '--code', 'abcd-2345']);
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out).toContain('write /etc/lcs/unit.env');
    expect(dry.out).toContain('write /boot/firmware/overlays/lcs-outputs.dtbo');
    expect(await files()).toEqual(before);
    expect((await log()).filter((line) => /systemctl (enable|restart)/.test(line))).toEqual([]);

    const made = await lcs([...unitSetUp(), '--code', 'abcd-2345', '--json']);
    const { changes, findings } = JSON.parse(made.out);
    expect(changes.map(({ what }: { what: string }) => what)).toEqual([
      'write /boot/firmware/overlays/lcs-outputs.dtbo',
      'write /boot/firmware/config.txt',
      'write /etc/modules-load.d/lcs-i2c.conf',
      'write /etc/systemd/system.conf.d/lcs-watchdog.conf',
      'run systemctl daemon-reexec',
      'run systemctl restart lcs-firmware.service',
      'write /etc/lcs/unit.env',
      'run systemctl enable lcs-unit.service',
      'run systemctl restart lcs-unit.service',
      // The code that was used.
      'write /etc/lcs/unit.env',
    ]);
    const after = await files();
    const changed = await readFile(at('boot/firmware/config.txt'), 'latin1');
    expect([changed.startsWith(config), changed]).toEqual([
      true,
      expect.stringMatching(/\r\n\[all\]\r\n.*watchdog=on\r\ndtoverlay=lcs-outputs\r\n$/s),
    ]);
    expect(await readFile(at('boot/firmware/config.txt.before-lcs'), 'latin1')).toBe(config);
    expect(await readFile(at(overlayFile), 'latin1')).toBe(overlay);
    expect(after[at('etc/lcs/unit.env')]).toContain(
      `LCS_UNIT_OPTIONS="--leader http://127.0.0.1:${port} --name rx1 --board linux --port 5000"`,
    );
    // This machine has no bus: the board's chips are silent, and what setup has done is in order.
    const levels = new Map(findings.map(({ code, level }: { code: string; level: string }) => [code, level]));
    for (const code of ['service', 'leader', 'enrolment', 'firmware', 'kernel', 'overlays', 'groups'])
      expect([code, levels.get(code)]).toEqual([code, 'ok']);
    for (const code of ['board_part_silent', 'board_rights'])
      expect([code, levels.get(code)]).toEqual([code, 'problem']);
    for (const code of ['restart_needed', 'output_drives']) expect([code, levels.get(code)]).toEqual([code, 'advice']);
    expect(made).toMatchObject({ code: 1 });
    expect(JSON.parse(made.err.trim().split('\n').at(-1) ?? '')).toMatchObject({ remediation: expect.any(String) });

    const again = await lcs([...unitSetUp(), '--code', 'abcd-2345', '--json']);
    expect(JSON.parse(again.out).changes).toEqual([]);
    expect(await files()).toEqual(after);

    const report = join(folder, 'report.md');
    expect((await lcs(['doctor', '--report', report, '--json'])).code).toBe(1);
    expect(await readFile(report, 'utf8')).toContain('dtoverlay=lcs-outputs');
  });

  it('takes the overlays of each output where lcs-outputs does not fit, with the reason, and on request', async () => {
    const text = () => readFile(at('boot/firmware/config.txt'), 'latin1');
    const active = async () => (await text()).split('\r\n').filter((line) => line.startsWith('dtoverlay='));
    await put('proc/sys/kernel/osrelease', '6.6.51+rpt-rpi-v8\n');
    const dry = await lcs([...unitSetUp(), '--dry-run', '--json']);
    expect(JSON.parse(dry.out)).toMatchObject({
      findings: [{ code: 'outputs_overlay', level: 'advice', message: expect.stringContaining('6.6.51') }],
    });
    const asked = await lcs([...unitSetUp(), '--outputs', 'lcs-outputs', '--json']);
    expect([asked.code, JSON.parse(asked.err)]).toEqual([
      1,
      expect.objectContaining({ cause: expect.stringContaining('6.6.51') }),
    ]);
    expect(await text()).toBe(config);
    const old = await lcs([...unitSetUp(), '--json']);
    const what = ({ out }: { out: string }) => JSON.parse(out).changes.map((change: { what: string }) => change.what);
    expect(what(old)).toContain('write /boot/firmware/config.txt');
    expect(what(old)).not.toContain(`write /${overlayFile}`);
    const each = [
      'dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4',
      ...[17, 16, 18].map((pin) => `dtoverlay=pwm-gpio,gpio=${pin}`),
    ];
    expect(await active()).toEqual(each);

    // With a newer kernel the file stays as it is, until a person asks for the other one, and back.
    await put('proc/sys/kernel/osrelease', '6.12.34+rpt-rpi-v8\n');
    expect(what(await lcs([...unitSetUp(), '--json']))).toEqual([]);
    const moved = await lcs([...unitSetUp(), '--outputs', 'lcs-outputs', '--json']);
    expect(what(moved)).toEqual([`write /${overlayFile}`, 'write /boot/firmware/config.txt']);
    expect([await active(), (await text()).startsWith(config)]).toEqual([['dtoverlay=lcs-outputs'], true]);
    expect(what(await lcs([...unitSetUp(), '--outputs', 'pwm', '--json']))).toEqual([
      'write /boot/firmware/config.txt',
    ]);
    expect(await active()).toEqual(each);
  });

  it('moves a unit to another leader when it is asked to', async () => {
    const link = 'var/lib/lcs-unit/storage/credentials.json';
    const bound = (name: string) => put(link, JSON.stringify({ leader: name, standing: 'member' }));
    const what = ({ out }: { out: string }) => JSON.parse(out).changes.map((change: { what: string }) => change.what);
    await lcs([...unitSetUp(), '--simulated', '--json']);
    await bound('old');
    const to = ['--leader', `http://localhost:${port}`, '--simulated', '--json'];
    const dry = await lcs([...unitSetUp(), ...to, '--release', '--dry-run']);
    expect(what(dry)).toContain(`remove /${link}`);
    expect(Object.keys(await files())).toContain(at(link));
    const moved = await lcs([...unitSetUp(), ...to, '--release', '--code', 'abcd-2345']);
    expect(what(moved).slice(0, 4)).toEqual([
      'run systemctl stop lcs-unit.service',
      `remove /${link}`,
      'write /etc/lcs/unit.env',
      'run systemctl restart lcs-unit.service',
    ]);
    expect(Object.keys(await files())).not.toContain(at(link));
    await bound('lab');
    expect(what(await lcs([...unitSetUp(), ...to]))).toEqual([]);
    expect(Object.keys(await files())).toContain(at(link));
  });

  it('continues after a fault of the disk where it ended', async () => {
    await put('etc/lcs', 'a file where a folder must be');
    const failed = await lcs([...unitSetUp(), '--json']);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.err.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: expect.stringContaining('/etc/lcs/unit.env'),
    });
    expect((await log()).filter((line) => line.includes('restart lcs-unit'))).toEqual([]);
    await rm(at('etc/lcs'));
    const { changes } = JSON.parse((await lcs([...unitSetUp(), '--json'])).out);
    expect(changes.map(({ what }: { what: string }) => what)).toEqual([
      'write /etc/lcs/unit.env',
      'run systemctl enable lcs-unit.service',
      'run systemctl restart lcs-unit.service',
    ]);
  });

  it('makes the access point after everything else: it may end the session', async () => {
    await state('NetworkManager.service.active', 'active');
    await state('lcs-leader.service.loaded', 'loaded');
    await put('sys/class/net/wlan0/wireless', '');
    const args = ['setup', '--role', 'both', '--access-point', 'lab', '--simulated', '--yes', '--json'];
    const made = await lcs(args, { environment: { LCS_ACCESS_POINT_PASSPHRASE: 'correct horse' } });
    const changes = JSON.parse(made.out).changes.map(({ what }: { what: string }) => what);
    expect(changes).toContain('run systemctl restart lcs-unit.service');
    expect(changes.slice(-4)).toEqual([
      'write /etc/NetworkManager/system-connections/lcs-access-point.nmconnection',
      'write /boot/firmware/local_access_point',
      'run nmcli connection reload',
      'run nmcli connection up lcs-access-point',
    ]);
  });

  it('asks a person at a terminal', async () => {
    const host = 'lab.local';
    await state('leaders', `=;eth0;IPv4;x;_lcs._tcp;local;${host};192.0.2.1;4999;"version=26.12.0"\n`);
    const answers = ['router', 'unit', '', 'ABCD2345', '', 'no'];
    const asked: string[] = [];
    const ask = async (prompt: string) => {
      asked.push(prompt);
      return answers.shift() ?? '';
    };
    const before = await files();
    const refused = await lcs(['setup'], { ask });
    expect([refused.code, answers, asked.length]).toEqual([0, [], 6]);
    expect(refused.out).toContain('/etc/lcs/unit.env');
    expect(await files()).toEqual(before);
  });

  it.each<[string, readonly string[], number, string]>([
    ['an unknown role', ['--role', 'router'], 2, 'role'],
    ['no leader in the network', ['--role', 'unit', '--yes'], 1, '--leader'],
    ['nobody who confirms', ['--role', 'unit', '--leader', 'lab'], 1, '--yes'],
  ])('refuses %s, and changes nothing', async (_, args, code, text) => {
    const before = await files();
    const result = await lcs(['setup', ...args]);
    expect(result.code).toBe(code);
    expect(result.err).toContain(text);
    expect(await files()).toEqual(before);
  });

  it('names several leaders, of which the person chooses', async () => {
    const line = (host: string) => `=;eth0;IPv4;x;_lcs._tcp;local;${host};192.0.2.1;4999;\n`;
    await state('leaders', line('a.local') + line('b.local'));
    const several = await lcs(['setup', '--role', 'unit', '--yes']);
    expect([several.code, several.err.includes('a.local'), several.err.includes('b.local')]).toEqual([1, true, true]);
  });
});

it('needs root', async () => {
  const refused = await runProgram(['setup', '--json']);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(refused.err)).toMatchObject({ remediation: expect.stringContaining('sudo') });
});
