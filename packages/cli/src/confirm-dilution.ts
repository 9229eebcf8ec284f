import type { FailedUnitOutcome, UnitOutcome } from '@lcs/contract';
import { printable } from './output.ts';
import type { ProgramIo } from './program-io.ts';
import { TypedLines } from './typed-lines.ts';

type Outcomes = Readonly<Record<string, UnitOutcome>>;

/** The option of commands that may make pumps dilute a culture at once. */
export const confirmDilution = [
  '--confirm-dilution',
  'go on although the culture is at or above the target, so that the pumps dilute it at once; otherwise a terminal asks',
] as const;

const isUnconfirmed = (outcome: UnitOutcome): outcome is FailedUnitOutcome =>
  !outcome.ok && outcome.error.code === 'dilution_not_confirmed';

/** The unit's remediation names the field of the API; a command has an option. */
const withFlag = (outcome: FailedUnitOutcome): FailedUnitOutcome => ({
  ...outcome,
  error: {
    ...outcome.error,
    remediation: 'Check the target and the scale of the biomass signal. To go on, repeat it with --confirm-dilution.',
  },
});

/**
 * Asks about the units that want a confirmation first, and goes on with those. Where nobody can answer, their refusals stay.
 * @param goOn does it on one unit, confirmed
 */
export async function askToConfirm(
  io: ProgramIo,
  outcomes: Outcomes,
  goOn: (unit: string) => Promise<Outcomes>,
): Promise<Outcomes> {
  const asked = Object.entries(outcomes).flatMap(([unit, outcome]) => {
    return isUnconfirmed(outcome) ? [{ unit, outcome, cause: outcome.error.cause ?? outcome.error.message }] : [];
  });
  if (asked.length === 0) return outcomes;
  const refused = { ...outcomes, ...Object.fromEntries(asked.map(({ unit, outcome }) => [unit, withFlag(outcome)])) };
  if (io.typed === undefined || io.stderr.isTTY !== true) return refused;
  for (const { unit, cause } of asked) io.stderr.write(`${printable(`${unit}: ${cause}`)}\n`);
  io.stderr.write('Go on? Type yes to let the pumps run: ');
  const lines = new TypedLines(io.typed());
  const answer = await lines.take();
  await lines.close();
  if (answer?.trim().toLowerCase() !== 'yes') return refused;
  const confirmed = await Promise.all(asked.map(({ unit }) => goOn(unit)));
  return Object.assign({}, outcomes, ...confirmed);
}
