import { dosingAutomation, forgetful, inMl, period, skipFirstRun, volume } from './dosing-automation.ts';

/** Less than this between what was asked for and what moved is the resolution of a pump, mL. */
const resolutionMl = 1e-6;

/** Feeds at intervals until the vial is full. */
export const fedBatch = dosingAutomation({
  name: 'fed_batch',
  displayName: 'Fed Batch',
  help: 'Adds medium at fixed intervals and removes nothing.',
  parameters: {
    duration: period('Time between additions', 720),
    dosing_volume_ml: volume('Volume per dose', 1),
  },
  options: skipFirstRun,
  pumps: ['media'],
  reads: [],
  trigger: 'period',
  warning: 'Nothing is removed: the vial fills with each dose, until the last one that it can take.',
  ...forgetful,
  step: (state, { setting, volumeMl, stopLimitMl }) => {
    const doseMl = setting('dosing_volume_ml');
    const duration = setting('duration');
    if (volumeMl + doseMl >= stopLimitMl) {
      const full = `${inMl(volumeMl)} are in the vial, and ${inMl(doseMl)} more would reach its limit of ${inMl(stopLimitMl)}`;
      return { state, decision: { act: 'sleep', why: `${full}: nothing is added.` } };
    }
    return {
      state,
      decision: {
        act: 'dose',
        order: { mediaMl: doseMl, altMediaMl: 0, wasteMl: 0 },
        reason: {
          rule: `Every ${duration} min, ${inMl(doseMl)} are added.`,
          settings: { duration, dosing_volume_ml: doseMl },
        },
        told: ({ mediaMl }) => ({
          news: {
            name: 'AddMediaEvent',
            message: `${inMl(mediaMl)} of medium were added.`,
            data: { dosing_volume_ml: doseMl, volume_actually_added_ml: mediaMl },
          },
          ...(Math.abs(mediaMl - doseMl) > resolutionMl && {
            warning: `${inMl(mediaMl)} were added instead of ${inMl(doseMl)}: the culture is under-dosed.`,
          }),
        }),
      },
    };
  },
});
