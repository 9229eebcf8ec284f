import type { OutputDrive } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { describeChange } from './apply-changes.ts';
import { checks } from './checks.ts';
import {
  leaderAddress,
  normalisedCode,
  refusalOf,
  type SetupChoices,
  unreadRefusal,
  usualUnitName,
} from './choices.ts';
import { boardLines } from './config-txt.ts';
import { type DiskFacts, type MachineFacts, type MachineRole, roleOf, type ServiceFacts } from './machine-facts.ts';
import { announcementFile, announcementText } from './mdns.ts';
import { accessPointName, accessPointText, i2cModuleText, ownPaths, watchdogText, wifiPowerText } from './own-files.ts';
import { plan, setupNotes } from './plan.ts';
import { enrolmentIn } from './read-facts.ts';
import { reportText, withoutSecretsIn } from './report.ts';

const running = (words: readonly string[]): ServiceFacts => ({
  isInstalled: true,
  isEnabled: true,
  state: 'active',
  restarts: 0,
  processArguments: ['node', 'lcs.js', ...words],
});
const absentService: ServiceFacts = {
  isInstalled: false,
  isEnabled: false,
  state: 'inactive',
  restarts: 0,
  processArguments: undefined,
};
const leaderWords = ['--host', '0.0.0.0', '--port', '4999'];
const unitWords = ['--leader', 'https://lab.local:4999', '--name', 'rx1', '--board', 'linux', '--host', '0.0.0.0'];

const healthyDisk: DiskFacts = {
  availableBytes: 20e9,
  totalBytes: 31e9,
  isReadOnly: false,
  recordedErrors: 0,
  usedLifePercent: undefined,
};

const drives = (all: OutputDrive) => ({ 1: all, 2: all, 3: all, 4: all, 5: all });

/** A unit on a real board, with which everything is in order. */
const healthy: MachineFacts = {
  unread: [],
  isRoot: true,
  programVersion: '26.12.0',
  computer: 'Raspberry Pi 4 Model B Rev 1.5',
  system: 'Debian GNU/Linux 13 (trixie)',
  kernel: '6.12.34+rpt-rpi-v8',
  hostName: 'rx1',
  board: { version: '1.2', serial: '' },
  parts: [{ name: 'the driver of the LEDs (0x2c)', silence: undefined }],
  configTxt: { path: '/boot/firmware/config.txt', text: boardLines.join('\n'), isNewerThanStart: false },
  overlayFiles: ['pwm-2chan', 'pwm-gpio'],
  outputsOverlay: { packaged: 'dtbo', installed: 'dtbo', missingModules: [], ownPins: undefined },
  isI2cLoadedAtStart: true,
  hasI2cDevice: true,
  hasI2cAdapter: true,
  gpioTools: 'gpiodetect (libgpiod) v2.2.1',
  outputDrives: drives('led_with_end'),
  forbiddenDevices: [],
  groups: ['gpio', 'i2c'],
  hasServiceUser: true,
  hasWatchdogDevice: true,
  throttling: { now: [], before: [] },
  socCelsius: 51,
  services: { 'lcs-leader': absentService, 'lcs-unit': running(unitWords), 'lcs-firmware': running([]) },
  otherServices: [],
  leaderOptions: undefined,
  unitOptions: { text: '', words: unitWords },
  unreadableOptions: [],
  authorityFingerprint: undefined,
  announcement: undefined,
  boundLeader: 'leader',
  boundLeaderKey: 'key of the leader',
  enrolment: { kind: 'enrolled', leader: 'leader' },
  listeners: new Map(),
  isClockSynchronised: true,
  hasMdnsDaemon: true,
  resolvesMdns: true,
  leaders: [{ host: 'lab.local', port: 4999, addresses: ['192.168.1.5'], version: '26.12.0' }],
  leaderAnswer: { kind: 'answered', name: 'leader', key: 'key of the leader' },
  hasNetworkManager: true,
  wirelessInterfaces: ['wlan0'],
  powerSaving: [],
  hasLoadedWifiPower: true,
  accessPoint: undefined,
  activeConnections: ['lab'],
  disk: healthyDisk,
  memoryBytes: 4e9,
  availableMemoryBytes: 3e9,
  journalBytes: 5e7,
  runtimeWatchdogS: 15,
  ownFiles: { [ownPaths.watchdog]: watchdogText, [ownPaths.wifiPower]: wifiPowerText },
};

/** The leader on its own machine. */
const leaderFacts: MachineFacts = {
  ...healthy,
  services: { ...healthy.services, 'lcs-leader': running(leaderWords), 'lcs-unit': absentService },
  unitOptions: undefined,
  leaderOptions: { text: 'LCS_LEADER_OPTIONS="--host 0.0.0.0 --port 4999"\n', words: leaderWords },
  authorityFingerprint: '7a86 a852',
  announcement: announcementText({ port: 4999, version: '26.12.0', fingerprint: '7a86 a852' }),
};

const found = (facts: MachineFacts, role: MachineRole | undefined = roleOf(facts)) =>
  checks(facts, role)
    .filter(({ level }) => level !== 'ok')
    .map(({ code, level }) => `${level} ${code}`);

describe('checks of a machine', () => {
  it('find nothing on a unit and a leader that are in order', () => {
    expect(found(healthy)).toEqual([]);
    expect(found(leaderFacts)).toEqual([]);
    expect(checks(healthy, 'unit').length).toBeGreaterThan(18);
  });

  it('name what could not be read, and claim nothing about it', () => {
    const silent = { kind: 'program', name: 'systemctl', reason: 'it did not end within 10 s' } as const;
    const unknown = { 'lcs-leader': absentService, 'lcs-unit': absentService, 'lcs-firmware': absentService };
    const facts = { ...healthy, unread: [silent], services: unknown, runtimeWatchdogS: undefined };
    expect(roleOf(facts)).toBe('unit');
    expect(found(facts)).toEqual(['problem program_silent']);
    expect(unreadRefusal(facts)).toMatchObject({ code: 'machine_unread' });
    const disk = { ...healthy, unread: [{ kind: 'file', name: '/etc/group', reason: 'EIO' }] } as const;
    expect(found(disk)).toEqual(['problem file_unread']);
    const tool = { ...healthy, unread: [{ ...silent, name: 'vcgencmd' }] };
    expect([found(tool), unreadRefusal(tool)]).toEqual([['problem program_silent'], undefined]);
  });

  const service = (change: Partial<ServiceFacts>) => ({
    services: { ...healthy.services, 'lcs-unit': { ...running(unitWords), ...change } },
  });
  const disk = (change: Partial<DiskFacts>) => ({ disk: { ...healthyDisk, ...change } });
  const file = (change: object) => ({
    configTxt: { path: '/boot/config.txt', text: '', isNewerThanStart: false, ...change },
  });

  it.each<[string, Partial<MachineFacts>, readonly string[]]>([
    ['kernel that is too old', { kernel: '6.6.51+rpt-rpi-v8' }, ['problem kernel']],
    ['oldest kernel that will do', { kernel: '6.6.62' }, []],
    ['kernel of another kind', { kernel: 'unknown' }, ['problem kernel']],
    ['no config.txt', { configTxt: undefined }, ['problem config_txt']],
    ['config.txt without the lines', file({}), ['problem config_txt']],
    [
      'config.txt after the start',
      file({ text: boardLines.join('\r\n'), isNewerThanStart: true }),
      ['advice restart_needed'],
    ],
    ['missing overlay', { overlayFiles: ['pwm-2chan'] }, ['problem overlays']],
    [
      'overlays that exclude each other',
      file({ text: `dtoverlay=lcs-outputs\n${boardLines.join('\n')}` }),
      ['problem config_txt', 'problem overlays'],
    ],
    [
      'outputs under a filter',
      {
        ...file({ text: `${boardLines.slice(0, 3).join('\n')}\n[pi5]\ndtoverlay=lcs-outputs` }),
        overlayFiles: ['lcs-outputs'],
      },
      ['advice config_txt'],
    ],
    [
      'firmware without an EEPROM',
      {
        board: undefined,
        unitOptions: { text: '', words: [...unitWords, '--board-version', '1.2'] },
        services: { ...healthy.services, 'lcs-unit': running([...unitWords, '--board-version', '1.2']) },
      },
      ['problem firmware'],
    ],
    ['no board', { board: undefined, parts: undefined }, ['problem board']],
    ['no bus', { hasI2cDevice: false, hasI2cAdapter: false }, ['problem i2c']],
    ['bus until the next start', { isI2cLoadedAtStart: false }, ['advice i2c']],
    ['silent part', { parts: [{ name: 'PWM output 1', silence: 'no channel' }] }, ['problem board_part_silent']],
    ['no GPIO tools', { gpioTools: undefined }, ['problem gpio_tools']],
    ['missing group', { groups: ['i2c'] }, ['problem groups']],
    ['files that the service may not write', { forbiddenDevices: ['/dev/i2c-1'] }, ['problem board_rights']],
    ['outputs without an end', { outputDrives: drives('pwm') }, ['advice output_drives']],
    [
      'one output without its trigger',
      { outputDrives: { ...drives('led_with_end'), 5: 'led' } },
      ['problem output_drives'],
    ],
    [
      'chosen overlay that is not loaded',
      {
        ...file({ text: `${boardLines.slice(0, 3).join('\n')}\ndtoverlay=lcs-outputs` }),
        overlayFiles: ['lcs-outputs'],
        outputDrives: drives('pwm'),
      },
      ['problem output_drives'],
    ],
    [
      'overlay that was chosen after the start',
      {
        ...file({
          text: `${boardLines.slice(0, 3).join('\n')}\ndtoverlay=lcs-outputs`,
          isNewerThanStart: true,
        }),
        overlayFiles: ['lcs-outputs'],
        outputDrives: drives('pwm'),
      },
      ['advice restart_needed', 'advice output_drives'],
    ],
    [
      'overlay of another version',
      {
        ...file({ text: `${boardLines.slice(0, 3).join('\n')}\ndtoverlay=lcs-outputs` }),
        overlayFiles: ['lcs-outputs'],
        outputsOverlay: { ...healthy.outputsOverlay, installed: 'older' },
      },
      ['advice overlays'],
    ],
    ['missing user', { hasServiceUser: false }, ['problem groups']],
    [
      'firmware that no service loads',
      { services: { ...healthy.services, 'lcs-firmware': absentService } },
      ['problem firmware'],
    ],
    [
      'firmware without need',
      { board: { version: '1.0', serial: '' }, services: { ...healthy.services, 'lcs-firmware': absentService } },
      [],
    ],
    ['service that failed', service({ state: 'failed' }), ['problem service']],
    [
      'port that is taken',
      { ...service({ state: 'activating' }), listeners: new Map([[4999, 'python3']]) },
      ['problem port_taken', 'problem service'],
    ],
    ['service that is not enabled', service({ isEnabled: false }), ['problem service_enabled']],
    ['service that restarts', service({ restarts: 7 }), ['advice service_restarts']],
    ['other options than the file', service({ processArguments: ['--name', 'rx2'] }), ['advice service_options']],
    ['another program on the board', { otherServices: ['other.service'] }, ['problem other_services']],
    ['no mDNS', { hasMdnsDaemon: false }, ['advice mdns']],
    ['names of mDNS', { resolvesMdns: false }, ['advice mdns']],
    ['silent leader', { leaderAnswer: { kind: 'silent', reason: 'nothing listens there' } }, ['problem leader']],
    ['leader of another version', { programVersion: '26.13.0' }, ['advice leader_version']],
    [
      'refused unit',
      { enrolment: { kind: 'refused', code: 'enrol_code_wrong', reason: 'No.' } },
      ['problem enrolment'],
    ],
    [
      'unit without a leader',
      { enrolment: { kind: 'failed', reason: 'x' }, boundLeader: undefined },
      ['problem enrolment'],
    ],
    [
      'leader that was made anew at the same address',
      { leaderAnswer: { kind: 'answered', name: 'leader', key: 'another key' } },
      ['problem enrolment'],
    ],
    ['leader on this machine', { leaderAnswer: { kind: 'answered', name: 'leader', key: undefined } }, []],
    ['leader of an older program', { boundLeaderKey: undefined }, []],
    ['leader that is away for a while', { enrolment: { kind: 'failed', reason: 'x' } }, []],
    ['pausing radio', { powerSaving: ['wlan0'] }, ['advice wifi_power']],
    ['pauses of the radio that are unknown', { powerSaving: undefined }, ['unknown wifi_power']],
    ['access point that failed', { accessPoint: 'lab' }, ['problem access_point']],
    ['access point', { accessPoint: 'lab', activeConnections: ['lcs-access-point'] }, []],
    ['access point without nmcli', { accessPoint: 'lab', activeConnections: undefined }, ['unknown access_point']],
    ['clock', { isClockSynchronised: false }, ['advice clock']],
    ['full disk', disk({ availableBytes: 1e9 }), ['problem disk_space']],
    ['read-only disk', disk({ isReadOnly: true }), ['problem disk_read_only']],
    ['faulty disk', disk({ recordedErrors: 2 }), ['problem disk_errors']],
    ['worn disk', disk({ usedLifePercent: 90 }), ['advice disk_wear']],
    ['little memory', { memoryBytes: 4e8 }, ['advice memory']],
    ['memory in use', { availableMemoryBytes: 5e7 }, ['advice memory']],
    ['voltage now', { throttling: { now: ['under-voltage'], before: [] } }, ['problem power']],
    ['voltage before', { throttling: { now: [], before: ['under-voltage'] } }, ['advice power']],
    ['hot processor', { socCelsius: 84 }, ['problem soc_temperature']],
    ['large journal', { journalBytes: 3e9 }, ['advice journal_size']],
    ['watchdog that is off', { runtimeWatchdogS: 0 }, ['advice hardware_watchdog']],
    ['account that is not root', { isRoot: false }, ['advice not_root']],
  ])('%s', (_, change, expected) => {
    expect(found({ ...healthy, ...change })).toEqual(expected);
  });

  it('ask a simulated board nothing', () => {
    const words = ['--leader', 'https://lab.local:4999', '--board', 'simulated'];
    const facts = {
      ...healthy,
      unitOptions: { text: '', words },
      services: { ...healthy.services, 'lcs-unit': running(words) },
    };
    expect(found({ ...facts, board: undefined, configTxt: undefined, hasI2cDevice: false, kernel: '5' })).toEqual([]);
  });

  it('name the failed unit beside a leader, whose options only root may read', () => {
    const services = { ...leaderFacts.services, 'lcs-unit': { ...running([]), state: 'failed' } };
    const facts: MachineFacts = {
      ...leaderFacts,
      services,
      isRoot: false,
      leaderAnswer: undefined,
      unreadableOptions: [ownPaths.unitOptions],
    };
    expect(found(facts)).toEqual(['problem not_root', 'problem service']);
  });

  it('name what is missing when the machine is nothing yet', () => {
    const facts = { ...healthy, services: { ...healthy.services, 'lcs-unit': absentService }, unitOptions: undefined };
    expect(found(facts)).toEqual(['problem no_role']);
    expect(found({ ...leaderFacts, announcement: undefined })).toEqual(['advice announced']);
    expect(found({ ...leaderFacts, programVersion: '26.13.0' })).toEqual(['advice announced']);
  });
});

describe('the plan of a machine', () => {
  const unit: SetupChoices = { role: 'unit', leaderUrl: 'https://lab.local:4999', isSimulated: false };
  const done = (facts: MachineFacts, choices: SetupChoices) => plan(facts, choices).map(describeChange);
  const textOf = (facts: MachineFacts, choices: SetupChoices, path: string) =>
    plan(facts, choices).flatMap((change) => (change.kind === 'write' && change.path === path ? [change.text] : []))[0];

  it('is empty when the machine serves as chosen', () => {
    expect(done(healthy, unit)).toEqual([]);
    expect(done(leaderFacts, { role: 'leader', isSimulated: false })).toEqual([]);
  });

  it('sets up a unit on a fresh computer', () => {
    const fresh: MachineFacts = {
      ...healthy,
      configTxt: { path: '/boot/firmware/config.txt', text: 'dtparam=audio=on\n', isNewerThanStart: false },
      isI2cLoadedAtStart: false,
      hasI2cDevice: false,
      groups: ['i2c'],
      outputsOverlay: { ...healthy.outputsOverlay, installed: undefined },
      ownFiles: {},
      unitOptions: undefined,
      boundLeader: undefined,
      enrolment: { kind: 'unknown' },
      services: {
        ...healthy.services,
        'lcs-unit': { ...absentService, isInstalled: true, isEnabled: true },
        'lcs-firmware': { ...absentService, isInstalled: true },
      },
    };
    expect(done(fresh, { ...unit, code: 'ABCD2345' })).toEqual([
      'write /boot/firmware/overlays/lcs-outputs.dtbo',
      'write /boot/firmware/config.txt',
      `write ${ownPaths.i2cModule}`,
      'run modprobe i2c-dev',
      'run groupadd --system gpio',
      `write ${ownPaths.watchdog}`,
      'run systemctl daemon-reexec',
      'run systemctl enable lcs-firmware.service',
      'run systemctl restart lcs-firmware.service',
      `write ${ownPaths.wifiPower}`,
      'run systemctl reload NetworkManager.service',
      `write ${ownPaths.unitOptions}`,
      'run systemctl restart lcs-unit.service',
    ]);
    expect(textOf(fresh, unit, ownPaths.i2cModule)).toBe(i2cModuleText);
    expect(textOf(fresh, { ...unit, code: 'ABCD2345' }, ownPaths.unitOptions)).toContain(
      'LCS_UNIT_OPTIONS="--leader https://lab.local:4999 --name rx1 --board linux --host 0.0.0.0 --code ABCD2345"',
    );
    // Without a board nothing of the computer is touched.
    expect(done({ ...fresh, wirelessInterfaces: [] }, { ...unit, isSimulated: true })).toEqual([
      `write ${ownPaths.unitOptions}`,
      'run systemctl restart lcs-unit.service',
    ]);
  });

  const noOutputs: MachineFacts = {
    ...healthy,
    configTxt: { path: '/boot/config.txt', text: boardLines.slice(0, 3).join('\n'), isNewerThanStart: false },
    outputsOverlay: { ...healthy.outputsOverlay, installed: undefined },
  };
  const overlayOf = (change: Partial<MachineFacts['outputsOverlay']>) => ({
    outputsOverlay: { ...noOutputs.outputsOverlay, ...change },
  });

  it.each<[string, Partial<MachineFacts>]>([
    ['the package does not have it', overlayOf({ packaged: undefined })],
    ['the kernel is too old', { kernel: '6.6.51+rpt-rpi-v8' }],
    ['the kernel has no such module', overlayOf({ missingModules: ['ledtrig-pattern'] })],
    ['the unit has pins of its own', overlayOf({ ownPins: '/var/lib/lcs-unit/hardware/hats/1.2/pwm.yaml' })],
  ])('leaves the overlay lcs-outputs out when %s, and says so', (_, change) => {
    const facts = { ...noOutputs, ...change };
    expect(done(facts, unit)).toEqual(['write /boot/config.txt']);
    expect(textOf(facts, unit, '/boot/config.txt')).toContain('dtoverlay=pwm-gpio,gpio=17');
    expect(setupNotes(facts, unit)).toMatchObject([{ code: 'outputs_overlay', level: 'advice' }]);
    expect(refusalOf(facts, { ...unit, outputs: 'lcs-outputs' })).toMatchObject({ code: 'outputs_overlay_unfit' });
    expect(refusalOf(facts, { ...unit, outputs: 'pwm' })).toBeUndefined();
  });

  it('installs the overlay lcs-outputs where nothing drives the outputs, and an overlay of another version anew', () => {
    const written = ['write /boot/overlays/lcs-outputs.dtbo', 'write /boot/config.txt'];
    expect([done(noOutputs, unit), setupNotes(noOutputs, unit)]).toEqual([written, []]);
    const text = textOf(noOutputs, unit, '/boot/config.txt') ?? '';
    const after = { ...noOutputs, configTxt: { path: '/boot/config.txt', text, isNewerThanStart: true } };
    expect(done({ ...after, ...overlayOf({ installed: 'older' }) }, unit)).toEqual(written.slice(0, 1));
    expect(done({ ...after, ...overlayOf({ installed: 'dtbo' }) }, unit)).toEqual([]);
    // What a person has stays, also where it excludes each other, until they ask.
    const both = { ...healthy, configTxt: { ...after.configTxt, text: `${text}\n${boardLines.join('\n')}` } };
    expect(done(both, unit)).toEqual([]);
    expect(done(both, { ...unit, outputs: 'lcs-outputs' })).toEqual(['write /boot/config.txt']);
    const foreign = { ...healthy, configTxt: { ...after.configTxt, text: 'dtoverlay=pwm-gpio,gpio=22' } };
    expect(refusalOf(foreign, { ...unit, outputs: 'lcs-outputs' })).toMatchObject({
      code: 'outputs_overlay_clash',
      cause: expect.stringContaining('dtoverlay=pwm-gpio,gpio=22'),
    });
    // Without a board nothing of it matters.
    const simulated: SetupChoices = { ...unit, isSimulated: true, outputs: 'lcs-outputs' };
    expect([setupNotes({ ...noOutputs, kernel: '5' }, simulated), refusalOf(foreign, simulated)]).toEqual([
      [],
      undefined,
    ]);
  });

  it('forgets a code that was used, without a restart, and keeps other options of the person', () => {
    const words = [...unitWords, '--verbose', '--code', 'ABCD2345'];
    const facts = {
      ...healthy,
      unitOptions: { text: `# mine\nLCS_UNIT_OPTIONS="${words.join(' ')}"\n`, words },
      services: { ...healthy.services, 'lcs-unit': running(words) },
    };
    expect(done(facts, unit)).toEqual([`write ${ownPaths.unitOptions}`]);
    expect(textOf(facts, unit, ownPaths.unitOptions)).toBe(
      `# mine\nLCS_UNIT_OPTIONS="${[...unitWords, '--verbose'].join(' ')}"\n`,
    );
    // Another leader does not know it yet.
    const other = { ...unit, leaderUrl: 'https://other.local:4999', code: 'WXYZ6789' };
    expect(textOf(facts, other, ownPaths.unitOptions)).toContain('--code WXYZ6789');
  });

  it('releases a unit that has a leader, on request', () => {
    const left = ['run systemctl stop lcs-unit.service', 'remove /var/lib/lcs-unit/storage/credentials.json'];
    const moved: SetupChoices = { ...unit, isReleased: true };
    expect([done(healthy, moved), done(healthy, unit)]).toEqual([left, []]);
    // The other leader, at the same address, does not know it yet.
    expect(textOf(healthy, { ...moved, code: 'ABCD2345' }, ownPaths.unitOptions)).toContain('--code ABCD2345');
    expect(done({ ...healthy, boundLeader: undefined }, moved)).toEqual([]);
  });

  it('restarts a service that runs with former options: a run that was interrupted before goes on', () => {
    const facts = { ...healthy, services: { ...healthy.services, 'lcs-unit': running(['--name', 'old']) } };
    expect(done(facts, unit)).toEqual(['run systemctl restart lcs-unit.service']);
  });

  it('makes files effective that an interrupted run has written', () => {
    expect(done({ ...healthy, runtimeWatchdogS: 0 }, unit)).toEqual(['run systemctl daemon-reexec']);
    expect(done({ ...healthy, hasLoadedWifiPower: false }, unit)).toEqual([
      'run systemctl reload NetworkManager.service',
    ]);
  });

  it('lets leader and unit of one machine speak over loopback', () => {
    const both: SetupChoices = { role: 'both', isSimulated: true };
    const services = { ...leaderFacts.services, 'lcs-unit': { ...absentService, isInstalled: true } };
    const facts: MachineFacts = { ...leaderFacts, services, hostName: 'leader', boundLeader: undefined };
    const text = textOf({ ...facts, announcement: undefined }, both, ownPaths.unitOptions);
    expect(text).toContain(
      'LCS_UNIT_OPTIONS="--leader https://127.0.0.1:4999 --name leader-unit --board simulated --port 5000"',
    );
    expect(done({ ...facts, announcement: undefined }, both)).toContain(`write ${announcementFile}`);
    expect(done(facts, both)).toContain('run systemctl enable lcs-unit.service');
    // The same leader, found by its name; and another one, beside which the usual port is taken.
    const found = (leaderUrl: string) =>
      textOf(facts, { role: 'unit', leaderUrl, isSimulated: true }, ownPaths.unitOptions);
    expect(found('https://leader.local:4999')).toBe(text);
    expect(found('https://lab.local:4999')).toContain(
      '--leader https://lab.local:4999 --name leader-unit --board simulated --host 0.0.0.0 --port 5000"',
    );
  });

  it('makes an access point once, and keeps its passphrase', () => {
    const accessPoint = { name: 'lab \\ 1', passphrase: 'correct horse' };
    const text = accessPointText('wlan0', accessPoint);
    expect(accessPointName(text)).toBe('lab \\ 1');
    const changes = done(healthy, { ...unit, accessPoint });
    expect(changes.slice(0, 2)).toEqual([`write ${ownPaths.accessPoint}`, 'write /boot/firmware/local_access_point']);
    expect(changes.at(-1)).toBe('run nmcli connection up lcs-access-point');
    const ownFiles = { ...healthy.ownFiles, [ownPaths.accessPoint]: text, [ownPaths.accessPointMarker]: '' };
    const facts = { ...healthy, ownFiles, activeConnections: ['lcs-access-point'] };
    expect(done(facts, { ...unit, accessPoint: { name: 'lab \\ 1' } })).toEqual([]);
    // One that has failed, or was interrupted.
    expect(done({ ...facts, activeConnections: [] }, { ...unit, accessPoint })).toEqual([
      'run nmcli connection reload',
      'run nmcli connection up lcs-access-point',
    ]);
    expect(done(facts, { ...unit, accessPoint: { ...accessPoint, passphrase: 'another one' } })).toContain(
      `write ${ownPaths.accessPoint}`,
    );
  });

  type Choices = Partial<Omit<SetupChoices, 'leaderUrl'>> & { readonly leaderUrl?: string | undefined };
  it.each<[string, Partial<MachineFacts>, Choices, string]>([
    ['a package is missing', {}, { role: 'both' }, 'package_missing'],
    ['the leader is unknown', {}, { leaderUrl: undefined }, 'leader_unknown'],
    ['the leader is not encrypted', {}, { leaderUrl: 'http://lab.local:4999' }, 'leader_unencrypted'],
    ['the code is too short', {}, { code: 'ABC' }, 'code_invalid'],
    ['the code has a letter that codes never have', {}, { code: 'ABCD234O' }, 'code_invalid'],
    ['the name is an address', {}, { unitName: '192.168.1.2' }, 'name_invalid'],
    ['there is no board', { board: undefined }, {}, 'board_missing'],
    ['another program uses the board', { otherServices: ['other.service'] }, {}, 'other_services'],
    [
      'a word of the options cannot be kept',
      { unitOptions: { text: '', words: [...unitWords, "'x"] } },
      {},
      'options_invalid',
    ],
    ['the version of the board is unknown', {}, { boardVersion: '7' }, 'board_version_unknown'],
    ['the passphrase is short', {}, { accessPoint: { name: 'x', passphrase: 'short' } }, 'access_point_passphrase'],
    [
      'the network’s name is long',
      {},
      { accessPoint: { name: 'ü'.repeat(17), passphrase: 'long enough' } },
      'access_point_name',
    ],
    [
      'there is no radio',
      { wirelessInterfaces: [] },
      { accessPoint: { name: 'x', passphrase: 'long enough' } },
      'access_point_interface',
    ],
  ])('is refused when %s', (_, facts, choices, code) => {
    const { leaderUrl, ...others } = { ...unit, ...choices };
    expect(
      refusalOf({ ...healthy, ...facts }, { ...others, ...(leaderUrl !== undefined && { leaderUrl }) }),
    ).toMatchObject({
      code,
    });
  });

  it('is not refused otherwise', () => {
    expect(refusalOf(healthy, { ...unit, code: 'ABCD2345', unitName: 'rx7', boardVersion: '1.0' })).toBeUndefined();
  });
});

it.each([
  ['leader.local', 'https://leader.local:4999'],
  [' 192.168.1.5 ', 'https://192.168.1.5:4999'],
  ['leader:5999', 'https://leader:5999'],
  ['https://leader.local', 'https://leader.local:4999'],
  ['https://leader.local:443/', 'https://leader.local:443'],
  ['http://127.0.0.1:4999', 'http://127.0.0.1:4999'],
  ['[fe80::1]', 'https://[fe80::1]:4999'],
  ['ftp://leader', undefined],
  ['https://leader/api', undefined],
  ['https://ada@leader', undefined],
  ['a b', undefined],
  ['a"b', undefined],
  ['a$b', undefined],
  ['a;b', undefined],
  ['leader?x', undefined],
  ['', undefined],
])('the address %j is %j', (text, url) => {
  expect(leaderAddress(text)).toBe(url);
});

it('reads codes and names as people write them', () => {
  expect(normalisedCode(' abcd-2345 ')).toBe('ABCD2345');
  expect(['rx1', 'lab-pc.example.org', 'leader', 'localhost', 'ü'].map(usualUnitName)).toEqual([
    'rx1',
    'lab-pc',
    'leader-unit',
    'unit1',
    'unit1',
  ]);
});

it('finds the newest result of the enrolment in the log of a unit', () => {
  const enrolled = '{"level":"info","message":"Enrolled","leader":"lead","leaderId":"x","isWorker":true}';
  const refused = '{"level":"warn","message":"no","code":"enrol_code_wrong","reason":"Wrong.","retryMs":10000}';
  const failed = '{"level":"warn","message":"no","reason":"connect ECONNREFUSED","retryMs":500}';
  expect(enrolmentIn(`${refused}\n${enrolled}\n{"message":"other"}\nStarted it.\n`)).toEqual({
    kind: 'enrolled',
    leader: 'lead',
  });
  expect(enrolmentIn(`${enrolled}\n${refused}`)).toEqual({
    kind: 'refused',
    code: 'enrol_code_wrong',
    reason: 'Wrong.',
  });
  expect(enrolmentIn(failed)).toEqual({ kind: 'failed', reason: 'connect ECONNREFUSED' });
  expect(enrolmentIn('')).toEqual({ kind: 'unknown' });
});

describe('the report of a machine', () => {
  it.each([
    ['lcs unit --name rx1 --code ABCD2345 --host x', 'lcs unit --name rx1 --code (hidden) --host x'],
    ['{"token":"u_1","code":"enrol_code_wrong"}', '{"token":"(hidden)","code":"enrol_code_wrong"}'],
    ['psk=correct', 'psk=(hidden)'],
    ['smtp_password: x y', 'smtp_password: (hidden)'],
    ['smtp_password = blue_whale', 'smtp_password = (hidden)'],
    ['Authorization: Bearer eyJhbGciOi', 'Authorization: (hidden)'],
    ['sent Bearer eyJhbGciOi there', 'sent Bearer (hidden) there'],
    ['psk="my pass phrase"', 'psk="(hidden)"'],
    ["password='abc def' x", "password='(hidden)' x"],
    ['{"password":"a b c","x":1}', '{"password":"(hidden)","x":1}'],
    [String.raw`{"password": "x\"y z","x":1}`, '{"password": "(hidden)","x":1}'],
    [String.raw`"{\"password\":\"x y\"}"`, String.raw`"{\"password\":(hidden)`],
    ['{"statusCode":401,"x":1}', '{"statusCode":(hidden),"x":1}'],
    ['{"code":"ABCD2345"}', '{"code":"(hidden)"}'],
    ['--mqtt mqtts://lab:S3c/r@et@broker:8883', '--mqtt mqtts://lab:(hidden)@broker:8883'],
    ['at http://u_1@lab:4999/x', 'at http://(hidden)@lab:4999/x'],
    ['to https://hooks.slack.com/services/T0/B0/X now', 'to https://hooks.slack.com/(hidden) now'],
    ['to https://x.org/api/webhooks/1/abc', 'to https://x.org/(hidden)'],
    ['apiKey=123', 'apiKey=(hidden)'],
    ['api-key: 123', 'api-key: (hidden)'],
    ['cookie: session=abc', 'cookie: (hidden)'],
    ['--passphrase wrong', '--passphrase (hidden)'],
    ['--token blue_whale', '--token (hidden)'],
    ['token is on', 'token is on'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nx', '(hidden)\nx'],
    ['Open /setup with the code U64X-Q2DX, or', 'Open /setup with the code (hidden), or'],
    ['the code is wrong', 'the code is wrong'],
    ['Main process exited, code=exited, status=1', 'Main process exited, code=exited, status=1'],
  ])('hides %j', (text, shown) => {
    expect(withoutSecretsIn(text)).toBe(shown);
  });

  it('has the facts, the checks and all steps of the protocol', () => {
    const text = 'LCS_UNIT_OPTIONS="--code ABCD2345"';
    const facts = { ...healthy, unitOptions: { text, words: unitWords } };
    const report = reportText(
      facts,
      'unit',
      checks(facts, 'unit'),
      { journal: [{ title: 'lcs-unit', text: '~~~' }] },
      0,
    );
    for (const part of ['1970-01-01T00:00:00.000Z', healthy.kernel, boardLines[3], '0x2c', '### 17. '])
      expect(report).toContain(part);
    expect(report).not.toContain('ABCD2345');
    // What a person has written stays in the next one.
    const written = report.replaceAll(/^(- Measured, addresses:) $/gm, '$1 2c, 4f');
    const next = reportText(facts, 'unit', [], { journal: [] }, 1, written);
    expect([written === report, next.includes('- Measured, addresses: 2c, 4f\n')]).toEqual([false, true]);
  });
});
