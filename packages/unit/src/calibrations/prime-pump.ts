import type { ProtocolAction, PumpDevice } from '@lcs/domain';
import { actuationEvent, planRun } from '@lcs/domain';
import type { JobContext, JobEvent, JobOrigin } from '@lcs/node';
import type { VialLedger } from '../bioreactor/vial-ledger.ts';
import { DoseRun } from '../jobs/pumps/dose-run.ts';
import { type PumpCalibrationOf, pumpSettings } from '../jobs/pumps/pump-settings.ts';
import type { DoseResult } from '../jobs/pumps/pumping.ts';
import { asRefused } from '../jobs/pumps/refusals.ts';
import { pumpLabels } from './pump-limits.ts';

/** What priming works with. */
export interface PrimingOptions {
  readonly ledger: Pick<VialLedger, 'open'>;
  readonly calibrationOf: PumpCalibrationOf;
  /** Records an event in the name of a job, even while the job is ending. */
  readonly event: (job: JobOrigin, event: JobEvent) => void;
}

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
  { ledger, calibrationOf, event }: PrimingOptions,
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
    event(context, actuationEvent({ output: device, to: seconds, unit: 's', reason: known }));
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
