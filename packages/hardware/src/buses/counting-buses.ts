import type { Buses } from './buses.ts';
import { i2cDevice } from './i2c-bus.ts';

/** Buses that count the transactions of drivers. */
export interface CountingBuses extends Buses {
  /** Reads, writes, pins and PWM attributes together, whether they succeeded or not. */
  readonly transactions: number;
  /** The same by device, as errors call it: `i2c 0x48`, `pwm 5`, `gpio 21`. */
  readonly transactionsBy: ReadonlyMap<string, number>;
}

export function countingBuses(buses: Buses): CountingBuses {
  const byDevice = new Map<string, number>();
  let total = 0;
  const count = <T>(device: string, work: Promise<T>): Promise<T> => {
    total += 1;
    byDevice.set(device, (byDevice.get(device) ?? 0) + 1);
    return work;
  };
  const { i2c, pwm, gpio } = buses;
  return {
    i2c: {
      ...(i2c.hasVendorRegisters && { hasVendorRegisters: true }),
      readRegister: (address, register, length) =>
        count(i2cDevice(address), i2c.readRegister(address, register, length)),
      writeRegister: (address, register, bytes) =>
        count(i2cDevice(address), i2c.writeRegister(address, register, bytes)),
    },
    pwm: {
      exportChannel: (channel) => count(`pwm ${channel}`, pwm.exportChannel(channel)),
      setPeriod: (channel, periodNs) => count(`pwm ${channel}`, pwm.setPeriod(channel, periodNs)),
      setDuty: (channel, dutyNs) => count(`pwm ${channel}`, pwm.setDuty(channel, dutyNs)),
      setEnabled: (channel, enabled) => count(`pwm ${channel}`, pwm.setEnabled(channel, enabled)),
    },
    gpio: {
      watch: (line, edge, bias) => count(`gpio ${line}`, gpio.watch(line, edge, bias)),
      takeEdges: (line) => count(`gpio ${line}`, gpio.takeEdges(line)),
      unwatch: (line) => count(`gpio ${line}`, gpio.unwatch(line)),
      check: async (line) => gpio.check?.(line),
      setOutput: (line, isHigh) => count(`gpio ${line}`, gpio.setOutput(line, isHigh)),
    },
    get transactions() {
      return total;
    },
    transactionsBy: byDevice,
  };
}
