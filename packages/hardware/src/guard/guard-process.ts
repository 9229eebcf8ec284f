/**
 * The actuator guard as a process of its own: a child of the node, over the IPC channel of `fork`. Argument:
 * `GuardProcessOptions` as JSON. It ends when the channel is closed, with everything off, or when its board no longer exists:
 * `guardExitCodes`.
 */
import { realClock } from '@lcs/platform/clock';
import { takeMemoryRank } from '@lcs/platform/memory-rank';
import { Guard } from './guard.ts';
import { guardBuses } from './guard-buses.ts';
import {
  type GuardProcessOptions,
  type GuardReply,
  guardExitCodes,
  isGuardCall,
  leaseMs,
  stallMs,
} from './guard-message.ts';
import { makeSafeWithin } from './make-safe.ts';

// Ctrl-C and service managers signal the whole process group; the node stops its jobs in order and then ends the guard.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// The reader of this output may have been killed with the node.
process.stderr.on('error', () => {});
takeMemoryRank('guard');

const options: GuardProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const clock = realClock();
const { buses, boardExists } = await guardBuses(options, clock);

// A message to a node that has ended cannot be delivered; 'disconnect' follows.
const send = (reply: GuardReply) => process.send?.(reply, undefined, undefined, () => {});

const guard = new Guard({
  buses,
  layout: options.layout,
  wiring: options.wiring,
  clock,
  watch: { leaseMs, stallMs },
  notify: (notice) => send({ notice }),
  onUnexpected: (error) => void endUnexpectedly(error),
});

let isEnding = false;
/** An output that fails then is retried for this long; the next guard tries it again. */
const unexpectedForMs = 2000;

/** After a mistake of the program nothing it decides can be relied upon: all outputs go off, and the node starts another guard. */
async function endUnexpectedly(error: unknown): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  process.stderr.write(`The actuator guard ends: ${error instanceof Error ? error.stack : String(error)}\n`);
  // Nothing is to be switched on meanwhile; if that fails too, the next line does not depend on it.
  guard.parentLost().catch(() => {});
  await makeSafeWithin(unexpectedForMs, clock, buses, options.layout);
  process.exit(guardExitCodes.unexpected);
}
process.on('uncaughtException', (error) => void endUnexpectedly(error));

/** Outputs whose chip has never responded are retried for this time at the end; they have not been switched on since the start. */
const absentForMs = 1000;
/** Only a node starts a simulated board, and a node starts by switching everything off. */
const { boardLostLimitMs: boardGoneForMs = 10_000 } = options;
const pollMs = 100;

/** Runs until every output is off, as long as the board exists: no other process could do it. */
async function end(): Promise<void> {
  await guard.parentLost();
  const sinceMs = clock.monotonic();
  let existedMs = sinceMs;
  while (!guard.isSafe && !(guard.onlyAbsentLeft && clock.monotonic() - sinceMs >= absentForMs)) {
    await clock.sleep(pollMs);
    if (await boardExists()) existedMs = clock.monotonic();
    else if (clock.monotonic() - existedMs >= boardGoneForMs) return endWithoutBoard();
  }
  process.exit(guardExitCodes.safe);
}

function endWithoutBoard(): never {
  const lostText = `The node of this unit has ended, and its simulated board is missing for ${boardGoneForMs / 1000} s`;
  process.stderr.write(`${lostText}: there are no outputs. The guard ends.\n`);
  process.exit(guardExitCodes.boardLost);
}

process.on('disconnect', () => void end().catch(endUnexpectedly));

await guard.start();
process.on('message', (message: unknown) => {
  if (!isGuardCall(message) || isEnding) return;
  void guard.request(message.request).then((response) => send({ id: message.id, response }), endUnexpectedly);
});
send({ ready: true });
if (process.connected === false) await end();
