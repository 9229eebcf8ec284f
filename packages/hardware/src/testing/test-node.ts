/**
 * A node for tests, as a process of its own: it starts a guard, switches heater, stirrer, a pump and an LED on, prints a line,
 * and renews its leases until it is killed. Arguments: options of its guard process, as JSON; where its watchdog keeps its
 * process id, without which (or empty) it has none; for how long its pump runs, ms.
 */
import { realClock } from '@lcs/platform/clock';
import { Actuators } from '../guard/actuators.ts';
import { GuardChild } from '../guard/guard-child.ts';
import type { GuardLimits } from '../guard/guard-types.ts';
import { Watchdog } from '../guard/watchdog.ts';

const clock = realClock();
const options = JSON.parse(process.argv[2] ?? '{}');
const pidPath = process.argv[3] || undefined;
const pumpMs = Number(process.argv[4] ?? 60_000);
const guard = new GuardChild({
  process: options,
  wire: clock,
  onGuardEvent: (event) => void actuators.take(event),
});
const actuators = new Actuators({ guard, wire: clock });
const pump = { maxRunMs: 60_000, maxRunMl: 10, maxHourMs: 60_000, maxHourMl: 10, mlPerSecondAtFull: 0.1 };
const limits: GuardLimits = {
  heat: { reduceCelsius: 78, disableCelsius: 80, shutdownCelsius: 85 },
  pumps: { 2: pump },
};

if (pidPath !== undefined) {
  const onLost = (reason: string) => void process.stderr.write(`The watchdog is lost: ${reason}\n`);
  const watchdog = new Watchdog({ process: options, pidPath, wire: clock, isSafe: () => guard.endedSafely, onLost });
  await watchdog.start();
}
await guard.start();
await actuators.start();
await actuators.setLimits(limits);
const lease = await actuators.acquire(1, ['pwm1', 'pwm2', 'pwm5', 'ledA']);
await lease.set('pwm1', 40);
await lease.set('pwm2', 60, pumpMs);
await lease.set('pwm5', 30);
await lease.set('ledA', 80);
process.stdout.write(`${JSON.stringify({ guard: guard.pid })}\n`);
