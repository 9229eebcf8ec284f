import {
  type AcceptedTask,
  type FinishedTask,
  taskResult,
  type UnitOutcomeOf,
  unitOutcomes,
  waitForTask,
} from '@lcs/contract';
import { realClock } from '@lcs/platform';
import type { Static, TSchema } from 'typebox';
import type { Connected } from './connect.ts';
import { printable, printJson, printTable } from './output.ts';
import { CommandFailure, type ProgramIo } from './program-io.ts';

export type Outcomes<Value = unknown> = Readonly<Record<string, UnitOutcomeOf<Value>>>;

function ended({ baseUrl, headers, send }: Connected, accepted: AcceptedTask): Promise<FinishedTask> {
  const clock = realClock();
  return waitForTask(baseUrl, accepted, { sleep: (ms) => clock.sleep(ms), headers, fetch: send });
}

/** Waits for a task of the leader; returns its result. @throws ProblemError when the task failed */
export const resultOf = async <const Schema extends TSchema>(
  leader: Connected,
  accepted: AcceptedTask,
  result: Schema,
): Promise<Static<Schema>> => taskResult(await ended(leader, accepted), result);

/** Waits for a task that addresses units; returns their answers. @throws ProblemError when the task itself failed */
export const outcomesOf = async <const Schema extends TSchema>(
  leader: Connected,
  accepted: AcceptedTask,
  answer: Schema,
): Promise<Outcomes<Static<Schema>>> => Object.fromEntries(unitOutcomes(await ended(leader, accepted), answer));

/** The same program without output: with `--json` the outcomes are already printed. */
const withoutOutput = (io: ProgramIo): ProgramIo => ({ ...io, stdout: { write: () => true } });

interface ReportOptions {
  readonly json?: true | undefined;
}

/** The outcomes as JSON, or one line per unit. @throws CommandFailure when a unit failed */
export function reportOutcomes<Value>(
  io: ProgramIo,
  { json }: ReportOptions,
  outcomes: Outcomes<Value>,
  succeeded: (value: Value, unit: string) => string,
): void {
  if (json) printJson(io, outcomes);
  printLines(json ? withoutOutput(io) : io, outcomes, succeeded);
}

/** The outcomes as JSON, or the rows of all answers as a table, then a line per failed unit. @throws CommandFailure */
export function reportTable<Value>(
  io: ProgramIo,
  { json }: ReportOptions,
  outcomes: Outcomes<Value>,
  heads: readonly string[],
  rowsOf: (value: Value, unit: string) => readonly (readonly string[])[],
  whenEmpty: string,
): void {
  const answers = Object.entries(outcomes);
  if (json) printJson(io, outcomes);
  else
    printTable(
      io,
      heads,
      answers.flatMap(([unit, outcome]) => (outcome.ok ? rowsOf(outcome.value, unit) : [])),
      // Units that did not answer are listed below: nothing is known of them.
      answers.every(([, outcome]) => outcome.ok) ? whenEmpty : undefined,
    );
  const failed = answers.filter(([, outcome]) => !outcome.ok);
  if (failed.length > 0) printLines(json ? withoutOutput(io) : io, Object.fromEntries(failed), () => '');
}

/** One line per unit; a unit that failed makes the command fail after all lines. */
function printLines<Value>(
  io: ProgramIo,
  outcomes: Outcomes<Value>,
  succeeded: (value: Value, unit: string) => string,
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
  if (Object.keys(outcomes).length === 0)
    throw new CommandFailure({
      error: 'No unit was addressed.',
      cause: 'No active unit is meant by this command.',
      remediation: 'List the units with their experiments: lcs units',
    });
  if (failures.length === 0) return;
  throw new CommandFailure({
    error: `The command failed on ${failures.length === 1 ? failures[0] : `${failures.length} units`}.`,
    cause: 'The lines above name the reason for each unit.',
    remediation: 'Check the units: lcs units. Read the event log: lcs logs',
  });
}
