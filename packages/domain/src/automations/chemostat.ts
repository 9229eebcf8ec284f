import {
  dosingAutomation,
  formatMl,
  periodParameter,
  skipFirstRun,
  stateless,
  volumeParameter,
} from './dosing-automation.ts';

/** A constant dilution rate: exchange volume / liquid volume × 60 / duration, per hour. */
export const chemostat = dosingAutomation({
  name: 'chemostat',
  displayName: 'Chemostat',
  help: 'Exchanges a fixed volume at fixed intervals, which sets the growth rate.',
  parameters: {
    duration: periodParameter('Time between dosing', 20),
    exchange_volume_ml: volumeParameter('Exchange volume', 0.5),
  },
  options: skipFirstRun,
  pumps: ['media', 'waste'],
  reads: [],
  trigger: 'period',
  ...stateless,
  step: (state, { setting }) => {
    const exchangeMl = setting('exchange_volume_ml');
    const duration = setting('duration');
    return {
      state,
      decision: {
        action: 'dose',
        command: { mediaMl: exchangeMl, altMediaMl: 0, wasteMl: exchangeMl },
        reason: {
          rule: `Every ${duration} min, ${formatMl(exchangeMl)} are exchanged.`,
          settings: { duration, exchange_volume_ml: exchangeMl },
        },
        outcome: ({ mediaMl }) => ({
          event: {
            name: 'DilutionEvent',
            message: `${formatMl(mediaMl)} were exchanged.`,
            data: { exchange_volume_ml: exchangeMl, volume_actually_cycled_ml: mediaMl },
          },
        }),
      },
    };
  },
});
