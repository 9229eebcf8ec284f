import type { Json } from '@lcs/contract';
import { HostMonitor, type JobContext, monitorEveryMs, RepeatedWarnings, whileRunning } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { faultCodes } from '../shared/fault-codes.ts';
import { HardwareFault, isHardwareFault } from '../shared/hardware-fault.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { HeaterWatch } from './heater-watch.ts';

/** The supply voltage is recorded at every n-th check; a low voltage at each. */
const recordedEvery = 5;

/** Below this, pumps and stirrer lose force. */
const lowSupplyVolts = 4.8;

type Devices = Pick<
  UnitDevices,
  'supply' | 'host' | 'boardFacts' | 'boardTemperature' | 'showFault' | 'modelOf' | 'powerOff' | 'brokerReached'
>;

/** Volts in steps of 0.05, the resolution of the divider. */
const roundedVolts = (volts: number): number => Math.round(20 * volts) / 20;

/** Monitors the computer and the power supply of a unit. */
export class Monitor {
  readonly #context: JobContext;
  readonly #devices: Devices;
  readonly #supplyFault: HardwareFault;
  readonly #heater: HeaterWatch;
  readonly #warnings: RepeatedWarnings;
  readonly #computer: HostMonitor;
  #cycles = 0;

  /** @throws ConfigValueError */
  constructor(context: JobContext, devices: Devices) {
    this.#context = context;
    this.#devices = devices;
    this.#warnings = new RepeatedWarnings(context);
    this.#computer = new HostMonitor(context, this.#warnings, {
      host: devices.host,
      furtherVersions: async () => ({ ...(await devices.boardFacts()) }),
      record: (reading) => context.reading(reading),
      onNeed: (need) => devices.showFault(faultCodes[need]),
    });
    const power = 'Check the board and its supply.';
    this.#supplyFault = new HardwareFault(context, 'The supply of pumps and heater cannot be measured.', power);
    this.#heater = new HeaterWatch(context, devices, (...warning) => this.#warnings.log(...warning));
  }

  begin(): void {
    this.#context.clock.after(0, () => this.#checkAll());
    this.#context.repeat(monitorEveryMs, () => this.#checkAll());
  }

  addVersions(added: Json): void {
    this.#computer.addVersions(added);
  }

  async #checkAll(): Promise<void> {
    this.#checkLinks();
    await this.#checkSupply(this.#cycles % recordedEvery === 0);
    await this.#heater.check();
    await this.#computer.check();
    this.#cycles += 1;
  }

  async #checkSupply(isRecorded: boolean): Promise<void> {
    const { supply } = this.#devices;
    if (supply === undefined) return;
    const { signal, clock } = this.#context;
    try {
      const volts = roundedVolts(await whileRunning(signal, supply.readVolts()));
      this.#supplyFault.clear();
      // The computer also detects short dips and has its own limit; one without such a sensor is ignored.
      const isLow = volts <= lowSupplyVolts && (await this.#devices.host.isUnderVoltage()) !== false;
      if (isLow) {
        this.#devices.showFault(faultCodes.supply);
        const advice = `The supply of pumps and heater is at ${volts} V: use a stronger power supply.`;
        this.#warnings.log('supply', 'WARNING', advice);
      }
      if (!isRecorded && !isLow) return;
      this.#context.reading({ source: 'supply_voltage', value: volts });
      this.#context.publish('voltage_on_pwm_rail', { voltage: volts, timestamp: toTimestamp(clock.now()) });
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareFault(error)) throw error;
      this.#supplyFault.set(error);
    }
  }

  /** A unit works without them; the fault codes show why it is not reachable. */
  #checkLinks(): void {
    const { host, showFault, brokerReached } = this.#devices;
    if (host.network().ipv4.length === 0) {
      showFault(faultCodes.network);
      const advice = 'The computer has no address: check its network. The unit works on and keeps all.';
      this.#warnings.log('network', 'WARNING', advice);
    } else if (brokerReached() === false) {
      showFault(faultCodes.broker);
      const advice = 'The broker is not reached: live values wait. The unit works on and keeps all.';
      this.#warnings.log('broker', 'WARNING', advice);
    }
  }
}
