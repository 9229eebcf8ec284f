import {
  dosingAutomation,
  formatMl,
  periodParameter,
  skipFirstRun,
  stateless,
  volumeParameter,
} from './dosing-automation.ts';

/** A smaller difference between the commanded and the moved volume is due to the resolution of the pump, mL. */
const resolutionMl = 1e-6;

/** Adds medium at intervals until the vial is full. */
export const fedBatch = dosingAutomation({
  name: 'fed_batch',
  displayName: 'Fed-batch',
  help: 'Adds medium at fixed intervals and removes nothing.',
  parameters: {
    duration: periodParameter('Time between additions', 720),
    dosing_volume_ml: volumeParameter('Volume per dose', 1),
  },
  options: skipFirstRun,
  pumps: ['media'],
  reads: [],
  trigger: 'period',
  dose: { setting: 'dosing_volume_ml', isExchange: false },
  warning: 'This automation removes no liquid: the vial fills with each dose, up to its limit.',
  ...stateless,
  step: (state, { setting, volumeMl, stopLimitMl }) => {
    const doseMl = setting('dosing_volume_ml');
    const duration = setting('duration');
    if (volumeMl + doseMl >= stopLimitMl) {
      const full = `The vial contains ${formatMl(volumeMl)}, and ${formatMl(doseMl)} more would reach its limit of ${formatMl(stopLimitMl)}`;
      return { state, decision: { action: 'sleep', reason: `${full}: the automation adds nothing.` } };
    }
    return {
      state,
      decision: {
        action: 'dose',
        command: { mediaMl: doseMl, altMediaMl: 0, wasteMl: 0 },
        reason: {
          rule: `Every ${duration} min, ${formatMl(doseMl)} are added.`,
          settings: { duration, dosing_volume_ml: doseMl },
        },
        outcome: ({ mediaMl }) => ({
          event: {
            name: 'AddMediaEvent',
            message: `${formatMl(mediaMl)} of medium were added.`,
            data: { dosing_volume_ml: doseMl, volume_actually_added_ml: mediaMl },
          },
          ...(Math.abs(mediaMl - doseMl) > resolutionMl && {
            warning: `${formatMl(mediaMl)} were added instead of ${formatMl(doseMl)}: the culture is under-dosed.`,
          }),
        }),
      },
    };
  },
});
