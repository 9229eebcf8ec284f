import type { Clock } from '@lcs/platform';
import type { BoardLayout } from '../board-layout.ts';
import { BusError } from '../buses/bus-error.ts';
import type { Buses } from '../buses/buses.ts';
import { defaultWiring, type OutputId } from './guard-types.ts';
import { ledDrivers, type OutputDriver, pwmDrivers } from './output-drivers.ts';

/** An output that could not be switched off, and why. */
export interface UnsafeOutput {
  readonly output: OutputId;
  readonly reason: string;
}

/**
 * Switches off every output of a board without a guard: for the case that node and guard have ended. Each is tried, also when
 * others fail; pumps, stirrer and heater do not wait for the light, whose bus may hang.
 */
export async function makeSafe(
  buses: Pick<Buses, 'i2c' | 'pwm' | 'gpio'>,
  layout: BoardLayout,
): Promise<readonly UnsafeOutput[]> {
  const lanes = [pwmDrivers(buses, defaultWiring), ledDrivers(buses, layout)];
  return (await Promise.all(lanes.map(switchOff))).flat();
}

/** Outputs that fail are retried this often. Chosen. */
const retryMs = 200;

/** The same, again until every output is off or this time is over; returns those that are left. */
export async function makeSafeWithin(
  forMs: number,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  buses: Parameters<typeof makeSafe>[0],
  layout: BoardLayout,
): Promise<readonly UnsafeOutput[]> {
  const giveUpMs = clock.monotonic() + forMs;
  let left = await makeSafe(buses, layout);
  while (left.length > 0 && clock.monotonic() < giveUpMs) {
    await clock.sleep(retryMs);
    left = await makeSafe(buses, layout);
  }
  return left;
}

async function switchOff(drivers: ReadonlyMap<OutputId, OutputDriver>): Promise<readonly UnsafeOutput[]> {
  const unsafe: UnsafeOutput[] = [];
  for (const [output, driver] of drivers) {
    try {
      await driver.open();
    } catch (error) {
      unsafe.push({ output, reason: error instanceof BusError ? error.message : String(error) });
    }
  }
  return unsafe;
}
