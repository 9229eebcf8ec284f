/**
 * The actuator guard as a process of its own: a child of the node, over the IPC channel of `fork`. Argument:
 * `GuardProcessOptions` as JSON. It ends when the channel is closed, with everything off.
 */
import { realClock } from '@lcs/platform/clock';
import { Guard } from './guard.ts';
import { guardBuses } from './guard-buses.ts';
import { type GuardProcessOptions, type GuardReply, isGuardCall, leaseMs, stallMs } from './guard-message.ts';

// Ctrl-C and service managers signal the whole process group; the node stops its jobs in order and then lets the guard go.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const options: GuardProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const clock = realClock();
const buses = await guardBuses(options, clock);

// A message to a node that is gone cannot be delivered; 'disconnect' says so.
const send = (reply: GuardReply) => process.send?.(reply, undefined, undefined, () => {});

const guard = new Guard({
  buses,
  layout: options.layout,
  wiring: options.wiring,
  clock,
  watch: { leaseMs, stallMs },
  notify: (notice) => send({ notice }),
});

/** Outputs whose chip has never answered are tried for this long at the end; nobody has switched them on since the start. */
const absentForMs = 1000;

/** Stays until every output is off: there is nobody else who could do it. */
async function end(): Promise<void> {
  await guard.parentLost();
  const sinceMs = clock.monotonic();
  while (!guard.isSafe && !(guard.onlyAbsentLeft && clock.monotonic() - sinceMs >= absentForMs)) await clock.sleep(100);
  process.exit(0);
}

process.on('disconnect', () => void end());

await guard.start();
process.on('message', (message: unknown) => {
  if (!isGuardCall(message)) return;
  void guard.request(message.request).then((answer) => send({ id: message.id, answer }));
});
send({ ready: true });
if (process.connected === false) await end();
