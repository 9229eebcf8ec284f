import { type AcceptedTask, type FailedTask, UnitOutcome, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Connected } from './connect.ts';
import { printable } from './output.ts';
import { CommandFailure, type ProgramIo } from './program-io.ts';

type Outcomes = Readonly<Record<string, UnitOutcome>>;

const isOutcome = (value: unknown): value is UnitOutcome => Value.Check(UnitOutcome, value);

/** Waits for a task that addresses units. @throws CommandFailure when the task itself failed */
export async function outcomesOf(leader: Connected, accepted: Static<typeof AcceptedTask>): Promise<Outcomes> {
  const clock = realClock();
  const ended = await waitForTask(leader.baseUrl, accepted, { sleep: (ms) => clock.sleep(ms) });
  if (ended.status === 'failed') {
    const { error, cause, remediation }: Static<typeof FailedTask> = ended;
    throw new CommandFailure({ error, cause, remediation });
  }
  const { result } = ended;
  if (typeof result !== 'object' || result === null) return {};
  return Object.fromEntries(
    Object.entries(result).filter((entry): entry is [string, UnitOutcome] => isOutcome(entry[1])),
  );
}

/** One line per unit; a unit that failed makes the command fail after all lines. */
export function reportOutcomes(
  io: ProgramIo,
  outcomes: Outcomes,
  succeeded: (value: unknown, unit: string) => string,
): void {
  const failures: string[] = [];
  for (const [unit, outcome] of Object.entries(outcomes)) {
    if (outcome.ok) io.stdout.write(`${printable(succeeded(outcome.value, unit))}\n`);
    else {
      failures.push(unit);
      const { message, cause, remediation } = outcome.error;
      const parts = [message, cause, remediation].filter((part) => part !== undefined);
      io.stdout.write(`${printable(`${unit}: failed. ${parts.join(' ')}`)}\n`);
    }
  }
  if (Object.keys(outcomes).length === 0) io.stdout.write('No unit was addressed.\n');
  if (failures.length === 0) return;
  throw new CommandFailure({
    error: `The command failed on ${failures.length === 1 ? failures[0] : `${failures.length} units`}.`,
    cause: 'The lines above name the reason for each unit.',
    remediation: 'Check the units: lcs units. Read the event log: lcs logs',
  });
}
