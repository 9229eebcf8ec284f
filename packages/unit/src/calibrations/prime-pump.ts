import type { ProtocolAction, PumpDevice } from '@lcs/domain';
import { actuationEvent, planRun } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { DoseRun } from '../jobs/pumps/dose-run.ts';
import { pumpSettings } from '../jobs/pumps/pump-settings.ts';
import type { DoseResult } from '../jobs/pumps/pumping.ts';
import { asRefused } from '../jobs/pumps/refusals.ts';
import { pumpLabels } from './pump-limits.ts';
import type { PumpRecords } from './run-pump.ts';

/** Its entry in the ledger: priming a medium adds nothing to the vial; the waste pump draws from the vial. */
const eventOf: Readonly<Record<PumpDevice, string>> = {
  media_pump: 'prime_media',
  alt_media_pump: 'prime_alt_media',
  waste_pump: 'remove_waste',
};

/**
 * Runs a pump until its time is over or a person stops it, and records the moved volume. Resolves when the pump is off and
 * the ledger complete, also after a stop.
 * @throws PumpRefused when it cannot run, GuardLost, StoreError
 */
export async function primePump(
  context: JobContext,
  { ledger, calibrationOf, event }: PumpRecords,
  { device, seconds }: Pick<Extract<ProtocolAction, { kind: 'prime' }>, 'device' | 'seconds'>,
  {
    source,
    signal,
    begun,
  }: {
    readonly source: string;
    readonly signal: AbortSignal;
    /** Called once when the pump runs. */
    readonly begun?: () => void;
  },
): Promise<DoseResult> {
  const amount = { durationS: seconds };
  const settings = pumpSettings(context, calibrationOf, { pump: pumpLabels[device], amount });
  const run = planRun(amount, settings.flow);
  if (run === undefined || run.totalMs === 0) return { volumeMl: 0, ranMs: 0 };
  const { output, duty, calibration } = settings;
  const because = { origin: source, rule: 'Fills its tube until a person sees liquid.' };
  try {
    const lease = await context.lease([output]);
    const known = calibration === null ? because : { ...because, calibration };
    const isOutsideVial = device !== 'waste_pump';
    event(context, actuationEvent({ output: device, to: seconds, unit: 's', isOutsideVial, reason: known }));
    const account = ledger.open(context, { event: eventOf[device], sourceOfEvent: source, output, percent: duty });
    // A tube that is filled goes into no vial.
    const limit = () => undefined;
    return await new DoseRun({
      run,
      settings,
      lease,
      account,
      limit,
      signal,
      clock: context.clock,
      ...(begun && { begun }),
    }).do();
  } catch (error) {
    throw asRefused(error);
  }
}
