import type { FailedUnitOutcome } from '@lcs/contract';
import { InputLines } from './input-lines.ts';
import type { Outcomes } from './outcomes.ts';
import { printable } from './output.ts';
import type { ProgramIo } from './program-io.ts';

/** The option of commands that may make pumps dilute a culture at once. */
export const confirmDilution = [
  '--confirm-dilution',
  'continue although the pumps dilute the culture at once or wash it out; without it, lcs prompts on a terminal',
] as const;

/** The unit's remediation names the field of the API; here it names the option of the command. */
const withFlag = (outcome: FailedUnitOutcome): FailedUnitOutcome => ({
  ...outcome,
  error: {
    ...outcome.error,
    remediation:
      'Check the target, the scale of the biomass signal, the exchange volume and the interval. To continue, repeat the command with --confirm-dilution.',
  },
});

/**
 * Prompts for the units that require a confirmation, and repeats the request for them. Without a terminal their errors stay.
 * @param repeat sends the confirmed request for one unit
 */
export async function askToConfirm<Value>(
  io: ProgramIo,
  outcomes: Outcomes<Value>,
  repeat: (unit: string) => Promise<Outcomes<Value>>,
): Promise<Outcomes<Value>> {
  const unconfirmed = Object.entries(outcomes).flatMap(([unit, outcome]) =>
    !outcome.ok && outcome.error.code === 'dilution_not_confirmed'
      ? [{ unit, outcome, cause: outcome.error.cause ?? outcome.error.message }]
      : [],
  );
  if (unconfirmed.length === 0) return outcomes;
  const refused = {
    ...outcomes,
    ...Object.fromEntries(unconfirmed.map(({ unit, outcome }) => [unit, withFlag(outcome)])),
  };
  if (io.input === undefined || io.stderr.isTTY !== true) return refused;
  for (const { unit, cause } of unconfirmed) io.stderr.write(`${printable(`${unit}: ${cause}`)}\n`);
  io.stderr.write('Go on? Type yes to let the pumps run: ');
  const lines = new InputLines(io.input());
  const answer = await lines.take();
  await lines.close();
  if (answer?.trim().toLowerCase() !== 'yes') return refused;
  const confirmed = await Promise.all(unconfirmed.map(({ unit }) => repeat(unit)));
  return Object.assign({}, outcomes, ...confirmed);
}
