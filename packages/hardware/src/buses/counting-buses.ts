import type { Buses } from './buses.ts';
import { i2cDevice } from './i2c-bus.ts';

/** Buses that count what drivers ask of them. */
export interface CountingBuses extends Buses {
  /** Reads, writes, pins and PWM attributes together, whether they succeeded or not. */
  readonly transactions: number;
  /** The same by device, as errors call it: `i2c 0x48`, `pwm 5`, `gpio 21`. */
  readonly transactionsBy: ReadonlyMap<string, number>;
}

export function countingBuses(buses: Buses): CountingBuses {
  const by = new Map<string, number>();
  let all = 0;
  const counted = <T>(device: string, work: Promise<T>): Promise<T> => {
    all += 1;
    by.set(device, (by.get(device) ?? 0) + 1);
    return work;
  };
  const { i2c, pwm, gpio } = buses;
  return {
    i2c: {
      ...(i2c.hasVendorRegisters && { hasVendorRegisters: true }),
      readRegister: (address, register, length) =>
        counted(i2cDevice(address), i2c.readRegister(address, register, length)),
      writeRegister: (address, register, bytes) =>
        counted(i2cDevice(address), i2c.writeRegister(address, register, bytes)),
    },
    pwm: {
      exportChannel: (channel) => counted(`pwm ${channel}`, pwm.exportChannel(channel)),
      setPeriod: (channel, periodNs) => counted(`pwm ${channel}`, pwm.setPeriod(channel, periodNs)),
      setDuty: (channel, dutyNs) => counted(`pwm ${channel}`, pwm.setDuty(channel, dutyNs)),
      setEnabled: (channel, enabled) => counted(`pwm ${channel}`, pwm.setEnabled(channel, enabled)),
    },
    gpio: {
      watch: (line, edge, bias) => counted(`gpio ${line}`, gpio.watch(line, edge, bias)),
      takeEdges: (line) => counted(`gpio ${line}`, gpio.takeEdges(line)),
      unwatch: (line) => counted(`gpio ${line}`, gpio.unwatch(line)),
      check: async (line) => gpio.check?.(line),
      setOutput: (line, isHigh) => counted(`gpio ${line}`, gpio.setOutput(line, isHigh)),
    },
    get transactions() {
      return all;
    },
    transactionsBy: by,
  };
}
