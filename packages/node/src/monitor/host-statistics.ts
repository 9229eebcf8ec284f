import { readdir, readFile, statfs } from 'node:fs/promises';
import { freemem, loadavg, networkInterfaces, totalmem } from 'node:os';
import { join } from 'node:path';
import { errnoOf } from '@lcs/platform';

export interface HostNumbers {
  /** Undefined if unknown. */
  readonly cpuCelsius: number | undefined;
  readonly diskFreeBytes: number;
  readonly diskUsedPercent: number;
  readonly memoryUsedPercent: number;
  /** Of one minute, per cent of one core. */
  readonly loadPercent: number;
}

interface HostNetwork {
  readonly ipv4: readonly string[];
  readonly wlanMac: string | undefined;
  readonly ethMac: string | undefined;
}

/** Statistics of the computer. */
export interface HostStatistics {
  numbers(): Promise<HostNumbers>;
  network(): HostNetwork;
  /** Version of the program, and model of the computer; null if unknown. */
  versions(): Promise<Readonly<Record<string, string | null>>>;
  /** Whether the computer reports under-voltage; undefined if unknown. */
  isUnderVoltage(): Promise<boolean | undefined>;
}

const thermalZone = '/sys/class/thermal/thermal_zone0/temp';

/** A thermometer of the processor; searched only once. */
function cpuThermometer(): () => Promise<number | undefined> {
  let isThere = true;
  return async () => {
    if (!isThere) return undefined;
    try {
      const milli = Number(await readFile(thermalZone, 'utf8'));
      return Number.isFinite(milli) ? milli / 1000 : undefined;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      // A computer without that sensor or its driver.
      isThere = false;
      return undefined;
    }
  };
}

const monitors = '/sys/class/hwmon';

/** The alarm of a Raspberry Pi's own supply (Linux driver raspberrypi-hwmon). */
async function isUnderVoltage(): Promise<boolean | undefined> {
  try {
    for (const monitor of await readdir(monitors)) {
      const name = await readFile(join(monitors, monitor, 'name'), 'utf8');
      if (name.trim() !== 'rpi_volt') continue;
      return (await readFile(join(monitors, monitor, 'in0_lcrit_alarm'), 'utf8')).trim() === '1';
    }
    return undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** For instance `Raspberry Pi 4 Model B Rev 1.4`; null on computers without a device tree. */
async function computerModel(): Promise<string | null> {
  try {
    return (await readFile('/proc/device-tree/model', 'utf8')).replace(/\0+$/, '');
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}

const percent = (part: number, whole: number): number => (whole > 0 ? Math.round((1000 * part) / whole) / 10 : 0);

function network(): HostNetwork {
  const all = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.filter(({ internal }) => !internal).map((address) => ({ name, ...address })),
  );
  const macOf = (prefixes: readonly string[]) =>
    all.find(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)))?.mac;
  return {
    ipv4: all.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
    wlanMac: macOf(['wl']),
    ethMac: macOf(['eth', 'en']),
  };
}

/** The statistics of this computer; the disk is that of `dataFolder`. */
export function hostStatistics(dataFolder: string, appVersion: string): HostStatistics {
  const cpuCelsius = cpuThermometer();
  const memoryBytes = totalmem();
  return {
    numbers: async () => {
      const [celsius, disk] = await Promise.all([cpuCelsius(), statfs(dataFolder)]);
      return {
        cpuCelsius: celsius,
        diskFreeBytes: disk.bavail * disk.bsize,
        diskUsedPercent: percent(disk.blocks - disk.bavail, disk.blocks),
        memoryUsedPercent: percent(memoryBytes - freemem(), memoryBytes),
        loadPercent: Math.round(1000 * (loadavg()[0] ?? 0)) / 10,
      };
    },
    network,
    isUnderVoltage,
    versions: async () => ({ app: appVersion, node: process.versions.node, rpi_machine: await computerModel() }),
  };
}
