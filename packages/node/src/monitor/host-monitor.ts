import { hourMs, type Json } from '@lcs/contract';
import { monitorSettings, readSetting } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { JobContext, JobLogLevel, JobReading } from '../jobs/job-definition.ts';
import { whileRunning } from '../jobs/job-scope.ts';
import { LastingFault } from '../jobs/lasting-fault.ts';
import type { HostNumbers, HostStatistics } from './host-statistics.ts';

/** The interval of the checks. */
export const monitorEveryMs = 60_000;

/** Statistics are published at every n-th check. */
const statisticsEvery = 5;

/** Addresses change rarely. */
const networkEvery = 60;

/** With less free space, a long experiment may not fit. */
const lowDiskBytes = 3 * 2 ** 30;
/** Small computers throttle near this temperature. */
const hotCpuCelsius = 80;

export interface HostMonitorOptions {
  readonly host: HostStatistics;
  /** Versions of parts of this node only, such as a board. Default: none. */
  readonly furtherVersions?: () => Promise<Readonly<Record<string, Json>>>;
  /** Receives the readings of the computer. Default: they are only published. */
  readonly record?: (reading: JobReading) => void;
  /** Called at each check while the computer needs attention. */
  readonly onNeed?: (need: 'disk' | 'heat') => void;
}

/** The part of the job `monitor` that every node has: versions, addresses and health of its computer. */
export class HostMonitor {
  readonly #context: JobContext;
  readonly #options: HostMonitorOptions;
  readonly #fault: LastingFault;
  readonly #warnings: RepeatedWarnings;
  #checks = 0;
  /** Null: unknown. */
  #versions: Readonly<Record<string, Json>> = {};

  constructor(context: JobContext, warnings: RepeatedWarnings, options: HostMonitorOptions) {
    this.#context = context;
    this.#warnings = warnings;
    this.#options = options;
    this.#fault = new LastingFault(context, {
      what: 'The statistics of the computer cannot be read.',
      check: 'The node continues without them.',
    });
  }

  async check(): Promise<void> {
    if (this.#checks === 0) await this.#readVersions();
    if (this.#checks % networkEvery === 0) this.#publishNetwork();
    if (this.#checks % statisticsEvery === 0) await this.#readStatistics();
    this.#checks += 1;
  }

  /** Adds versions that other programs publish; unknown names are rejected. */
  addVersions(added: Json): void {
    const given = typeof added === 'object' && added !== null ? Object.entries(added) : [];
    const taken = given.filter(([name, version]) => Object.hasOwn(this.#versions, name) && typeof version === 'string');
    this.#publishVersions(Object.fromEntries(taken));
  }

  #publishVersions(added: Readonly<Record<string, Json>>): void {
    this.#versions = { ...this.#versions, ...added };
    this.#context.publish('versions', { ...this.#versions, timestamp: toTimestamp(this.#context.clock.now()) });
  }

  async #readVersions(): Promise<void> {
    const { clock, signal } = this.#context;
    const { host, furtherVersions = async () => ({}) } = this.#options;
    const release = clock.hold('versions of the node');
    try {
      const [own, further] = await whileRunning(signal, Promise.all([host.versions(), furtherVersions()]));
      this.#publishVersions({ ...own, ...further });
    } finally {
      release();
    }
  }

  async #readStatistics(): Promise<void> {
    const { clock, signal } = this.#context;
    // Virtual time waits for these readings, which take real time.
    const release = clock.hold('host statistics');
    try {
      const numbers = await whileRunning(signal, this.#options.host.numbers());
      this.#fault.clear();
      this.#warnOf(numbers);
      this.#publishStatistics(numbers);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      // Missing statistics do not affect the node.
      this.#fault.set(error);
    } finally {
      release();
    }
  }

  #warnOf({ diskFreeBytes, cpuCelsius }: HostNumbers): void {
    const { onNeed = () => {} } = this.#options;
    if (diskFreeBytes < lowDiskBytes) {
      onNeed('disk');
      const free = (diskFreeBytes / 2 ** 30).toFixed(1);
      this.#warnings.log('disk', 'WARNING', `Only ${free} GiB of the disk are free. Remove files that are not needed.`);
    }
    if (cpuCelsius !== undefined && cpuCelsius > hotCpuCelsius) {
      onNeed('heat');
      this.#warnings.log(
        'cpu',
        'WARNING',
        `The processor is at ${cpuCelsius.toFixed(0)} °C. Check the cooling of the computer.`,
      );
    }
  }

  #publishStatistics({ cpuCelsius, diskFreeBytes, diskUsedPercent, memoryUsedPercent, loadPercent }: HostNumbers) {
    const { record = () => {} } = this.#options;
    if (cpuCelsius !== undefined) record({ source: 'cpu_temperature', value: cpuCelsius });
    record({ source: 'disk_free', value: diskFreeBytes });
    this.#context.publish('computer_statistics', {
      available_disk_space: Math.round((10 * diskFreeBytes) / 2 ** 30) / 10,
      disk_usage_percent: diskUsedPercent,
      // The load average may exceed the number of processors.
      cpu_usage_percent: Math.min(100, loadPercent),
      memory_usage_percent: memoryUsedPercent,
      // This spelling is expected by existing clients.
      cpu_temperature_celcius: cpuCelsius ?? null,
      timestamp: toTimestamp(this.#context.clock.now()),
    });
  }

  #publishNetwork(): void {
    const { ipv4, wlanMac, ethMac } = this.#options.host.network();
    this.#publishNew('ipv4', ipv4.join(','));
    this.#publishNew('wlan_mac_address', wlanMac ?? '');
    this.#publishNew('eth_mac_address', ethMac ?? '');
  }

  #publishNew(name: string, value: string): void {
    const published = value === '' ? null : value;
    if (this.#context.setting(name) !== published) this.#context.publish(name, published);
  }
}

/** Warnings of the job `monitor`: one that lasts is logged again every few hours, as the configuration says. */
export class RepeatedWarnings {
  readonly #context: JobContext;
  readonly #againMs: number;
  readonly #loggedAtMs = new Map<string, number>();

  /** @throws ConfigValueError */
  constructor(context: JobContext) {
    this.#context = context;
    const hours = readSetting(context.config, monitorSettings.selfCheckInterval);
    this.#againMs = hours > 0 ? hours * hourMs : Number.POSITIVE_INFINITY;
  }

  log(what: string, level: JobLogLevel, message: string): void {
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - (this.#loggedAtMs.get(what) ?? Number.NEGATIVE_INFINITY) < this.#againMs) return;
    this.#loggedAtMs.set(what, nowMs);
    this.#context.log(level, message);
  }
}
