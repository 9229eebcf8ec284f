/**
 * Run by the watchdog when its node has ended without a stop: switches every output off, whether the guard runs or not.
 * Argument: `GuardProcessOptions` as JSON.
 */
import { realClock } from '@lcs/platform/clock';
import { guardBuses } from './guard-buses.ts';
import type { GuardProcessOptions } from './guard-message.ts';
import { makeSafeWithin } from './make-safe.ts';

/** Outputs that fail are retried for this long. A simulated board whose process has ended drives nothing. */
const tryForMs = { linux: 60_000, simulated: 2_000 } as const;

// The reader of this output may have been killed with the node.
process.stderr.on('error', () => {});

const options: GuardProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const clock = realClock();
const { buses } = await guardBuses(options, clock);
const left = await makeSafeWithin(tryForMs[options.board.kind], clock, buses, options.layout);
const failures = left.map(({ output, reason }) => `${output} (${reason})`).join(', ');
const outcome =
  left.length === 0 ? 'All outputs are switched off.' : `These outputs could not be switched off: ${failures}.`;
process.stderr.write(`The node of this unit ended without stopping. ${outcome}\n`);
process.exit(left.length === 0 ? 0 : 1);
