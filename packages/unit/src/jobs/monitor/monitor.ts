import type { Json } from '@lcs/contract';
import { type JobContext, type JobLogLevel, toTimestamp } from '@lcs/platform';
import { whileAlive } from '../shared/job-hands.ts';
import { isHardwareTrouble, Trouble } from '../shared/trouble.ts';
import { troubleCodes } from '../shared/trouble-codes.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { HeaterWatch } from './heater-watch.ts';
import type { HostNumbers } from './host-statistics.ts';

/** Every so many looks the numbers are recorded; low power is recorded with each. */
const recordedEvery = 5;

/** Addresses change rarely. */
const networkEvery = 60;

/** From here down pumps and stirrer lose force. */
const lowSupplyVolts = 4.8;
/** With less than this free a long experiment may not fit. */
const lowDiskBytes = 3 * 2 ** 30;
/** Near this computers of the size of a unit's slow themselves down. */
const hotCpuCelsius = 80;

type Devices = Pick<
  UnitDevices,
  'supply' | 'host' | 'boardFacts' | 'boardTemperature' | 'showTrouble' | 'modelOf' | 'powerOff' | 'brokerReached'
>;

export interface MonitorTimes {
  readonly lookEveryMs: number;
  /** A warning that lasts is said again this often; infinity: once. */
  readonly sayAgainMs: number;
}

/** Volts in steps of 0.05: what the divider can tell. */
const roundedVolts = (volts: number): number => Math.round(20 * volts) / 20;

/** Watches the computer and the power of a unit. */
export class Monitor {
  readonly #context: JobContext;
  readonly #devices: Devices;
  readonly #supplyTrouble: Trouble;
  readonly #hostTrouble: Trouble;
  readonly #heater: HeaterWatch;
  readonly #saidAtMs = new Map<string, number>();
  readonly #times: MonitorTimes;
  #looks = 0;
  /** Null: nobody has told it. */
  #versions: Readonly<Record<string, Json>> = {};

  constructor(context: JobContext, devices: Devices, times: MonitorTimes) {
    this.#context = context;
    this.#devices = devices;
    this.#times = times;
    const power = 'Check the board and its supply.';
    this.#supplyTrouble = new Trouble(context, 'The supply of pumps and heater cannot be measured.', power);
    const computer = 'Measuring goes on without it.';
    this.#hostTrouble = new Trouble(context, 'The computer does not tell about itself.', computer);
    this.#heater = new HeaterWatch(context, devices, (...said) => this.#say(...said));
  }

  begin(): void {
    this.#context.clock.after(0, () => this.#look());
    this.#context.repeat(this.#times.lookEveryMs, () => this.#look());
  }

  /** Other programs may tell their versions; what this unit has no place for is not taken. */
  takeVersions(added: Json): void {
    const told = typeof added === 'object' && added !== null ? Object.entries(added) : [];
    const taken = told.filter(([name, version]) => Object.hasOwn(this.#versions, name) && typeof version === 'string');
    this.#tellVersions(Object.fromEntries(taken));
  }

  #tellVersions(told: Readonly<Record<string, Json>>): void {
    this.#versions = { ...this.#versions, ...told };
    this.#context.publish('versions', { ...this.#versions, timestamp: toTimestamp(this.#context.clock.now()) });
  }

  /** Of programs, board and computer. */
  async #readVersions(): Promise<void> {
    const { clock, signal } = this.#context;
    const release = clock.hold('board facts');
    try {
      const facts = await whileAlive(signal, this.#devices.boardFacts());
      this.#tellVersions({ ...this.#devices.host.versions(), ...facts });
    } finally {
      release();
    }
  }

  async #look(): Promise<void> {
    if (this.#looks === 0) await this.#readVersions();
    const isRecorded = this.#looks % recordedEvery === 0;
    if (this.#looks % networkEvery === 0) this.#tellNetwork();
    this.#lookAtLinks();
    await this.#lookAtSupply(isRecorded);
    await this.#heater.look();
    if (isRecorded) await this.#lookAtHost();
    this.#looks += 1;
  }

  async #lookAtSupply(isRecorded: boolean): Promise<void> {
    const { supply } = this.#devices;
    if (supply === undefined) return;
    const { signal, clock } = this.#context;
    try {
      const volts = roundedVolts(await whileAlive(signal, supply.readVolts()));
      this.#supplyTrouble.over();
      // The computer sees short dips too, and knows what it bears; one that cannot tell is not believed.
      const isLow = volts <= lowSupplyVolts && (await this.#devices.host.isUnderVoltage()) !== false;
      if (isLow) this.#devices.showTrouble(troubleCodes.supply);
      if (isLow)
        this.#say('supply', 'WARNING', `The supply of pumps and heater is at ${volts} V: use a stronger power supply.`);
      if (!isRecorded && !isLow) return;
      this.#context.reading({ source: 'supply_voltage', value: volts });
      this.#context.publish('voltage_on_pwm_rail', { voltage: volts, timestamp: toTimestamp(clock.now()) });
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareTrouble(error)) throw error;
      this.#supplyTrouble.is(error);
    }
  }

  async #lookAtHost(): Promise<void> {
    const { clock, signal } = this.#context;
    // Virtual time waits for the computer, which knows nothing of it.
    const release = clock.hold('host statistics');
    try {
      const numbers = await whileAlive(signal, this.#devices.host.numbers());
      this.#hostTrouble.over();
      this.#warnOf(numbers);
      this.#tellHost(numbers);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
      // Whatever the computer does not tell, the unit goes on measuring.
      this.#hostTrouble.is(error);
    } finally {
      release();
    }
  }

  #warnOf({ diskFreeBytes, cpuCelsius }: HostNumbers): void {
    const isFull = diskFreeBytes < lowDiskBytes;
    const isHot = cpuCelsius !== undefined && cpuCelsius > hotCpuCelsius;
    const free = (diskFreeBytes / 2 ** 30).toFixed(1);
    if (isFull) this.#devices.showTrouble(troubleCodes.disk);
    if (isHot) this.#devices.showTrouble(troubleCodes.heat);
    if (isFull) this.#say('disk', 'WARNING', `Only ${free} GiB of the disk are free: remove what is not needed.`);
    if (isHot) this.#say('cpu', 'WARNING', `The computer is at ${cpuCelsius.toFixed(0)} ℃: check its cooling.`);
  }

  #tellHost({ cpuCelsius, diskFreeBytes, diskUsedPercent, memoryUsedPercent, loadPercent }: HostNumbers): void {
    if (cpuCelsius !== undefined) this.#context.reading({ source: 'cpu_temperature', value: cpuCelsius });
    this.#context.reading({ source: 'disk_free', value: diskFreeBytes });
    this.#context.publish('computer_statistics', {
      available_disk_space: Math.round((10 * diskFreeBytes) / 2 ** 30) / 10,
      disk_usage_percent: diskUsedPercent,
      // More may wait for the processors than they can do.
      cpu_usage_percent: Math.min(100, loadPercent),
      memory_usage_percent: memoryUsedPercent,
      // Spelt as existing clients expect it.
      cpu_temperature_celcius: cpuCelsius ?? null,
      timestamp: toTimestamp(this.#context.clock.now()),
    });
  }

  /** A unit works without them; people who wonder where it is see why. */
  #lookAtLinks(): void {
    const { host, showTrouble, brokerReached } = this.#devices;
    if (host.network().ipv4.length === 0) {
      showTrouble(troubleCodes.network);
      this.#say(
        'network',
        'WARNING',
        'The computer has no address: check its network. The unit works on and keeps all.',
      );
    } else if (brokerReached() === false) {
      showTrouble(troubleCodes.broker);
      this.#say('broker', 'WARNING', 'The broker is not reached: live values wait. The unit works on and keeps all.');
    }
  }

  #tellNetwork(): void {
    const { ipv4, wlanMac, ethMac } = this.#devices.host.network();
    this.#publishNew('ipv4', ipv4.join(','));
    this.#publishNew('wlan_mac_address', wlanMac ?? '');
    this.#publishNew('eth_mac_address', ethMac ?? '');
  }

  #publishNew(name: string, value: string): void {
    const told = value === '' ? null : value;
    if (this.#context.setting(name) !== told) this.#context.publish(name, told);
  }

  #say(what: string, level: JobLogLevel, message: string): void {
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - (this.#saidAtMs.get(what) ?? Number.NEGATIVE_INFINITY) < this.#times.sayAgainMs) return;
    this.#saidAtMs.set(what, nowMs);
    this.#context.log(level, message);
  }
}
