import type { DilutingPump, Disturbance, DisturbanceFound } from '@lcs/domain';
import type { JobEvent } from '@lcs/node';
import { pumpDeviceOf } from '../pumps/pump-settings.ts';

type Reported = JobEvent & { readonly message: string };

const names: Readonly<Record<DilutingPump, string>> = { media: 'medium', alt_media: 'alternative medium' };

const count = (doses: number): string => (doses === 1 ? 'the last dose' : `the last ${doses} doses`);

const causes: Readonly<Record<Disturbance, (found: DisturbanceFound) => string>> = {
  missing: ({ pump = 'media', doses }) =>
    `The optical density shows that ${count(doses)} of ${names[pump]} did not arrive. Check that there is ${names[pump]} in the bottle, the tube, its clamp and the pump.`,
  irregular: ({ pump = 'media', doses, factor }) =>
    `The optical density shows that only about ${Math.round(100 * factor)} % of ${count(doses)} of ${names[pump]} arrived. Check the tube for air and bends, the bottle and the pump.`,
  waste_blocked: ({ doses, volumeMl = 0 }) =>
    `The optical density shows that nothing left the vial with ${count(doses)}: about ${volumeMl.toFixed(1)} mL are in it. Check the waste tube, its clamp and its end in the vial, and the waste pump.`,
};

/** Doses did not do what the ledger has; the leader makes an alarm of it. */
export const disturbanceEvent = (found: DisturbanceFound): Reported => {
  const { disturbance, pump, doses, factor, logOdds, volumeMl } = found;
  return {
    name: 'dose_implausible',
    message: causes[disturbance](found),
    data: {
      disturbance,
      pump: pumpDeviceOf[disturbance === 'waste_blocked' ? 'waste' : (pump ?? 'media')],
      doses,
      factor,
      odds: Math.round(Math.exp(Math.min(20, logOdds))),
      ...(volumeMl !== undefined && { volume_ml: volumeMl }),
    },
  };
};

/** Above this no pump of the make has merely another flow. Chosen: units differ by 8 %, worn tubes by more. */
const mostUsualFactor = 1.4;

const exchangedTubes =
  ' Check that the tubes of medium and waste are not exchanged: doses would look too large as well, and the vial would overflow.';

/** A pump moves another volume than its calibration has. */
export const pumpDeviatesEvent = (pump: DilutingPump, factor: number): Reported => ({
  name: 'pump_deviates',
  message: `The optical density shows that the doses of ${names[pump]} are about ${factor.toFixed(2)} times their calibrated volume. Calibrate the pump again; an uncalibrated OD that is not proportional to the density looks the same.${factor > mostUsualFactor ? exchangedTubes : ''}`,
  data: { pump: pumpDeviceOf[pump], factor },
});

export const cannotVerifyWaste =
  'The optical density cannot tell whether waste leaves the vial: the noise is too large for these exchanges. If the waste tube were blocked, the vial would be full now. Look at its level.';

export const cannotVerify =
  'The effect of the doses is smaller than the noise of the optical density: a missing medium or a blocked tube would be noticed late or not at all. Larger doses or more frequent readings help.';
