import { constants } from 'node:fs';
import { hostname } from 'node:os';
import { isObject } from '@lcs/contract';
import { isBoardVersion } from '@lcs/hardware';
import { certificateFingerprint, programVersion } from '@lcs/platform';
import {
  type DiskFacts,
  type EnrolmentFacts,
  type MachineFacts,
  type OptionsFile,
  type OwnService,
  ownServices,
  type ServiceFacts,
} from './machine-facts.ts';
import type { BoardPart, LeaderAnswer, MachinePorts } from './machine-ports.ts';
import { announcementFile, leaderServiceType, leadersIn } from './mdns.ts';
import { overlayModules, overlayPathBeside, packagedOverlay } from './output-overlay.ts';
import { accessPointName, ownPaths } from './own-files.ts';
import { optionsIn, optionValue } from './service-options.ts';
import { throttlingIn } from './throttling.ts';
import {
  journalBytesIn,
  listedUnits,
  listenersIn,
  memoryIn,
  rootMount,
  secondsIn,
  shownUnits,
  spaceIn,
  usedLifeIn,
} from './tool-output.ts';
import { unitLog } from './unit-log.ts';
import { notingFaults } from './unread.ts';

/** The parts of the network that take seconds are read on request. */
export interface FactsToRead {
  /** Search the network for leaders. */
  readonly searchesLeaders?: boolean;
  /** Version of the board, instead of that in its EEPROM. */
  readonly boardVersion?: string;
  /** The board is not used: it is not asked. */
  readonly isSimulated?: boolean;
}

/** The service's own data (StateDirectory of its unit file). */
export const dataFolders = { leader: '/var/lib/lcs', unit: '/var/lib/lcs-unit' } as const;

/** Of the unit: its leader and its credentials (LeaderLink). A unit without it has no leader. */
export const leaderLinkFile = `${dataFolders.unit}/storage/credentials.json`;

/** Units of the system whose boards this program drives: both would write to the same outputs. */
const otherUnits = ['pioreactor*', 'load_rp2040*'];

/** `config.txt` of Raspberry Pi OS bookworm and newer, then the place of older ones. */
export const configTxtPaths = ['/boot/firmware/config.txt', '/boot/config.txt'];
const overlayFolders = ['/boot/firmware/overlays', '/boot/overlays'];
const moduleFolders = ['/etc/modules-load.d', '/usr/lib/modules-load.d', '/run/modules-load.d'];

/** Lines of the log that are enough to find the newest result of the enrolment. */
const logLines = '500';

/** Reads everything about the machine, and changes nothing. */
export async function readFacts(machine: MachinePorts, wanted: FactsToRead = {}): Promise<MachineFacts> {
  const { ports, unread, noted } = notingFaults(machine);
  const { files, run, isRoot } = ports;
  const text = async (path: string) => (await files.read(path))?.replace(/[\0\n]+$/, '');
  const output = async (program: string, ...args: readonly string[]): Promise<string | undefined> => {
    const { exitCode, stdout } = await run(program, args);
    return exitCode === 0 ? stdout : undefined;
  };
  const isActive = async (unit: string) => (await run('systemctl', ['is-active', unit])).exitCode === 0;

  const [board, osRelease, meminfo, groups, passwd, devices] = await Promise.all([
    noted('/proc/device-tree', ports.findBoard(), undefined),
    text('/etc/os-release'),
    text('/proc/meminfo'),
    text('/etc/group'),
    text('/etc/passwd'),
    files.list('/dev'),
  ]);
  const [leaderOptions, unitOptions] = await Promise.all([
    optionsFile(ports, ownPaths.leaderOptions, 'LCS_LEADER_OPTIONS'),
    optionsFile(ports, ownPaths.unitOptions, 'LCS_UNIT_OPTIONS'),
  ]);
  const isSimulated = wanted.isSimulated ?? optionValue(unitOptions?.words ?? [], '--board') === 'simulated';
  const version = wanted.boardVersion ?? optionValue(unitOptions?.words ?? [], '--board-version') ?? board?.version;
  const temperature = Number((await text('/sys/class/thermal/thermal_zone0/temp')) ?? Number.NaN);
  const wirelessInterfaces = await wireless(ports);
  const kernel = (await text('/proc/sys/kernel/osrelease')) ?? 'unknown';
  const boot = await configTxt(ports);
  const link = leaderLink(await files.read(leaderLinkFile));
  return {
    unread,
    isRoot,
    programVersion,
    computer: await text('/proc/device-tree/model'),
    system: /^PRETTY_NAME="?([^"\n]*)/m.exec(osRelease ?? '')?.[1] ?? 'unknown',
    kernel,
    hostName: (await text('/etc/hostname')) ?? hostname(),

    board,
    parts: isSimulated ? undefined : await boardParts(ports, version),
    configTxt: boot,
    overlayFiles: await overlayFiles(ports),
    outputsOverlay: {
      packaged: await files.read(packagedOverlay, 'latin1'),
      installed: boot === undefined ? undefined : await files.read(overlayPathBeside(boot.path), 'latin1'),
      missingModules: await missingModules(ports, kernel),
      ownPins: await ownPins(ports, version),
    },
    isI2cLoadedAtStart: await isI2cLoadedAtStart(ports),
    hasI2cDevice: devices.includes('i2c-1'),
    hasI2cAdapter: (await files.list('/sys/bus/i2c/devices')).includes('i2c-1'),
    gpioTools: (await output('gpiodetect', '--version'))?.split('\n')[0]?.trim(),
    outputDrives: isSimulated ? undefined : await noted('/sys/class', ports.findOutputDrives(), undefined),
    forbiddenDevices: isSimulated ? [] : await forbiddenDevices(ports, groups),
    groups: namesIn(groups),
    hasServiceUser: namesIn(passwd).includes('lcs'),
    hasWatchdogDevice: devices.some((name) => name.startsWith('watchdog')),
    throttling: throttlingIn((await output('vcgencmd', 'get_throttled')) ?? ''),
    socCelsius: Number.isFinite(temperature) ? temperature / 1000 : undefined,

    services: await services(ports),
    otherServices: await otherServices(ports),
    leaderOptions,
    unitOptions,
    unreadableOptions: await unreadableOptions(ports, { leaderOptions, unitOptions }),
    authorityFingerprint: fingerprintOf(await files.read(`${dataFolders.leader}/storage/ca.pem`)),
    announcement: await files.read(announcementFile),
    boundLeader: link?.leader,
    boundLeaderKey: link?.key,
    enrolment: enrolmentIn(await unitLog(run, '-n', logLines)),
    listeners: listenersIn((await output('ss', '-Hltnp')) ?? ''),

    isClockSynchronised:
      (await files.changedMs('/run/systemd/timesync/synchronized')) !== undefined ||
      (await output('timedatectl', 'show', '-p', 'NTPSynchronized', '--value'))?.trim() === 'yes',
    hasMdnsDaemon: await isActive('avahi-daemon.service'),
    resolvesMdns: /^hosts:.*\bmdns/m.test((await text('/etc/nsswitch.conf')) ?? ''),
    leaders: wanted.searchesLeaders ? await searchLeaders(ports) : undefined,
    leaderAnswer: await leaderAnswer(ports, unitOptions),
    hasNetworkManager: await isActive('NetworkManager.service'),
    wirelessInterfaces,
    powerSaving: await powerSaving(ports, wirelessInterfaces),
    hasLoadedWifiPower: await hasLoadedWifiPower(ports),
    activeConnections: (await output('nmcli', '-t', '-f', 'NAME', 'connection', 'show', '--active'))?.split('\n'),
    accessPoint: accessPointName((await files.read(ownPaths.accessPoint)) ?? ''),

    disk: await diskFacts(ports),
    memoryBytes: memoryIn(meminfo ?? '', 'MemTotal'),
    availableMemoryBytes: memoryIn(meminfo ?? '', 'MemAvailable'),
    journalBytes: journalBytesIn((await output('journalctl', '--disk-usage')) ?? ''),
    runtimeWatchdogS: secondsIn((await output('systemctl', 'show', '-p', 'RuntimeWatchdogUSec', '--value')) ?? ''),
    ownFiles: Object.fromEntries(
      await Promise.all(Object.values(ownPaths).map(async (path) => [path, await files.read(path)] as const)),
    ),
  };
}

/** First fields of `/etc/passwd` and `/etc/group`. */
const namesIn = (text = ''): readonly string[] => text.split('\n').map((line) => line.split(':')[0] ?? '');

async function optionsFile({ files }: MachinePorts, path: string, variable: string): Promise<OptionsFile | undefined> {
  const text = await files.read(path);
  return text === undefined ? undefined : { text, words: optionsIn(text, variable) };
}

/** Undefined: the version of the board is unknown. A unit may run meanwhile. */
async function boardParts(ports: MachinePorts, version: string | undefined): Promise<readonly BoardPart[] | undefined> {
  if (version === undefined || !isBoardVersion(version)) return undefined;
  return ports.surveyBoard(version, dataFolders.unit);
}

async function unreadableOptions(
  { files }: MachinePorts,
  { leaderOptions, unitOptions }: Pick<MachineFacts, 'leaderOptions' | 'unitOptions'>,
): Promise<readonly string[]> {
  const isThere = async (path: string) => (await files.changedMs(path)) !== undefined;
  return [
    ...(leaderOptions === undefined && (await isThere(ownPaths.leaderOptions)) ? [ownPaths.leaderOptions] : []),
    ...(unitOptions === undefined && (await isThere(ownPaths.unitOptions)) ? [ownPaths.unitOptions] : []),
  ];
}

/** Those that run, and those that start at the next start of the computer. */
async function otherServices({ run }: MachinePorts): Promise<readonly string[]> {
  const questions = [
    ['list-units', '--state=active,activating'],
    ['list-unit-files', '--state=enabled'],
  ];
  const outputs = await Promise.all(
    questions.map((question) => run('systemctl', [...question, '--plain', '--no-legend', ...otherUnits])),
  );
  return [...new Set(outputs.flatMap(({ stdout }) => listedUnits(stdout)))];
}

/** Its state changes at a start and at each reload; whole seconds, as systemctl shows them. */
async function hasLoadedWifiPower({ files, run }: MachinePorts): Promise<boolean | undefined> {
  const writtenMs = await files.changedMs(ownPaths.wifiPower);
  const args = ['show', '-p', 'StateChangeTimestamp', '--value', '--timestamp=unix', 'NetworkManager.service'];
  const changedS = /^@(\d+)$/.exec((await run('systemctl', args)).stdout.trim())?.[1];
  if (writtenMs === undefined || changedS === undefined) return undefined;
  return Number(changedS) >= Math.floor(writtenMs / 1000);
}

/** Groups of the service that have the files of the board (`SupplementaryGroups` of its unit file). */
const serviceGroups: ReadonlySet<string> = new Set(['gpio', 'i2c']);

/** The survey of root reaches all files: whether the service does is in their groups and modes, which udev sets. */
async function forbiddenDevices({ files }: MachinePorts, groupFile = ''): Promise<readonly string[]> {
  const ids = groupFile
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name = '', , id]) => (serviceGroups.has(name) ? [Number(id)] : []));
  const below = async (folder: string, isMeant: (name: string) => boolean, file: string) =>
    (await files.list(folder)).filter(isMeant).map((name) => `${folder}/${name}/${file}`);
  const paths = [
    '/dev/i2c-1',
    ...(await below('/sys/class/pwm', (name) => name.startsWith('pwmchip'), 'export')),
    ...(await below('/sys/class/leds', (name) => name.startsWith('lcs:pwm'), 'brightness')),
  ];
  const rights = await Promise.all(paths.map((path) => files.rights(path)));
  return paths.filter((_, index) => {
    const found = rights[index];
    return found !== undefined && !(ids.includes(found.groupId) && (found.mode & constants.S_IWGRP) !== 0);
  });
}

async function configTxt({ files }: MachinePorts): Promise<MachineFacts['configTxt']> {
  const startS = Number(/^btime (\d+)$/m.exec((await files.read('/proc/stat')) ?? '')?.[1] ?? Number.NaN);
  for (const path of configTxtPaths) {
    const text = await files.read(path, 'latin1');
    const changedMs = await files.changedMs(path);
    if (text !== undefined) return { path, text, isNewerThanStart: (changedMs ?? 0) > startS * 1000 };
  }
  return undefined;
}

async function overlayFiles({ files }: MachinePorts): Promise<readonly string[]> {
  const names = (await Promise.all(overlayFolders.map((folder) => files.list(folder)))).flat();
  return names.filter((name) => name.endsWith('.dtbo')).map((name) => name.slice(0, -'.dtbo'.length));
}

/** Modules of this kernel, or built into it (modules.dep(5)); their names have `-` or `_`. */
async function missingModules({ files }: MachinePorts, kernel: string): Promise<readonly string[]> {
  const lists = ['modules.dep', 'modules.builtin'].map((name) => files.read(`/lib/modules/${kernel}/${name}`));
  const paths = (await Promise.all(lists)).flatMap((text) => (text ?? '').split('\n'));
  const found = new Set(paths.map((path) => /([^/:]+)\.ko/.exec(path)?.[1]?.replaceAll('_', '-')));
  return overlayModules.filter((name) => !found.has(name));
}

/** The override file of the unit for the outputs of its board (docs/hardware.md). */
async function ownPins({ files }: MachinePorts, version: string | undefined): Promise<string | undefined> {
  if (version === undefined) return undefined;
  const path = `${dataFolders.unit}/hardware/hats/${version}/pwm.yaml`;
  return (await files.changedMs(path)) === undefined ? undefined : path;
}

async function isI2cLoadedAtStart({ files }: MachinePorts): Promise<boolean> {
  const names = await Promise.all(
    moduleFolders.map(async (folder) => (await files.list(folder)).map((name) => `${folder}/${name}`)),
  );
  const texts = await Promise.all(['/etc/modules', ...names.flat()].map((path) => files.read(path)));
  return texts.some((text) => /^\s*i2c[-_]dev\s*$/m.test(text ?? ''));
}

async function services({ files, run }: MachinePorts): Promise<MachineFacts['services']> {
  const fields = 'Id,LoadState,UnitFileState,ActiveState,NRestarts,MainPID';
  const units = ownServices.map((service) => `${service}.service`);
  const shown = shownUnits((await run('systemctl', ['show', ...units, '-p', fields])).stdout);
  const read = async (service: OwnService): Promise<readonly [OwnService, ServiceFacts]> => {
    const values = shown.get(`${service}.service`) ?? {};
    const pid = Number(values.MainPID ?? 0);
    const commandLine = pid > 0 ? await files.read(`/proc/${pid}/cmdline`) : undefined;
    return [
      service,
      {
        isInstalled: values.LoadState === 'loaded',
        // One without an installation section (`static`) is started by another one.
        isEnabled: values.UnitFileState === 'enabled' || values.UnitFileState === 'static',
        state: values.ActiveState ?? 'unknown',
        restarts: Number(values.NRestarts ?? 0),
        processArguments: commandLine?.split('\0').filter((word) => word !== ''),
      },
    ];
  };
  const [leader, unit, firmware] = await Promise.all([read('lcs-leader'), read('lcs-unit'), read('lcs-firmware')]);
  return { 'lcs-leader': leader[1], 'lcs-unit': unit[1], 'lcs-firmware': firmware[1] };
}

function fingerprintOf(certificate: string | undefined): string | undefined {
  return certificate === undefined ? undefined : certificateFingerprint(certificate);
}

/** Name and public key of the leader in the unit's file; its credentials stay there. */
function leaderLink(text = ''): { readonly leader: string; readonly key: string | undefined } | undefined {
  const { standing, leader, leader_key: key } = jsonObject(text) ?? {};
  if (standing !== 'member' || typeof leader !== 'string') return undefined;
  return { leader, key: typeof key === 'string' ? key : undefined };
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The newest result of the unit's enrolment: lines of its log with the fields of `Enrolment`. */
export function enrolmentIn(log: string): EnrolmentFacts {
  for (const line of log.split('\n').toReversed()) {
    const { leader, leaderId, code, reason, retryMs } = jsonObject(line) ?? {};
    if (typeof leaderId === 'string' && typeof leader === 'string') return { kind: 'enrolled', leader };
    if (typeof reason !== 'string' || typeof retryMs !== 'number') continue;
    return typeof code === 'string' ? { kind: 'refused', code, reason } : { kind: 'failed', reason };
  }
  return { kind: 'unknown' };
}

async function searchLeaders({ run }: MachinePorts): Promise<MachineFacts['leaders']> {
  const { exitCode, stdout } = await run('avahi-browse', ['-rpt', leaderServiceType]);
  return exitCode === 0 ? leadersIn(stdout) : undefined;
}

async function leaderAnswer(ports: MachinePorts, unit: OptionsFile | undefined): Promise<LeaderAnswer | undefined> {
  const url = optionValue(unit?.words ?? [], '--leader');
  return url === undefined ? undefined : ports.askLeader(url);
}

async function wireless({ files }: MachinePorts): Promise<readonly string[]> {
  const names = await files.list('/sys/class/net');
  const facts = await Promise.all(names.map((name) => files.list(`/sys/class/net/${name}`)));
  return names.filter((_, index) => facts[index]?.some((fact) => fact === 'wireless' || fact === 'phy80211')).sort();
}

async function powerSaving({ run }: MachinePorts, interfaces: readonly string[]): Promise<MachineFacts['powerSaving']> {
  const outputs = await Promise.all(interfaces.map((name) => run('iw', ['dev', name, 'get', 'power_save'])));
  if (outputs.some(({ exitCode }) => exitCode !== 0)) return undefined;
  return interfaces.filter((_, index) => /power save:\s*on/i.test(outputs[index]?.stdout ?? ''));
}

async function diskFacts({ files, run }: MachinePorts): Promise<DiskFacts | undefined> {
  const space = spaceIn((await run('df', ['-B1', '--output=size,avail', '/'])).stdout);
  if (space === undefined) return undefined;
  const mount = rootMount((await files.read('/proc/mounts')) ?? '');
  const device = mount?.device ?? '';
  const drive = device.replace(/p\d+$/, '');
  const errors = await files.read(`/sys/fs/ext4/${device}/errors_count`);
  return {
    ...space,
    isReadOnly: mount?.isReadOnly ?? false,
    recordedErrors: errors === undefined ? undefined : Number(errors),
    usedLifePercent: usedLifeIn((await files.read(`/sys/block/${drive}/device/life_time`)) ?? ''),
  };
}
