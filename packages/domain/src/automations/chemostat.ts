import { dosingAutomation, forgetful, inMl, period, skipFirstRun, volume } from './dosing-automation.ts';

/** A constant dilution rate: exchange volume / liquid volume × 60 / duration, per hour. */
export const chemostat = dosingAutomation({
  name: 'chemostat',
  displayName: 'Chemostat',
  help: 'Exchanges a fixed volume at fixed intervals, which sets the growth rate.',
  parameters: {
    duration: period('Time between dosing', 20),
    exchange_volume_ml: volume('Exchange volume', 0.5),
  },
  options: skipFirstRun,
  pumps: ['media', 'waste'],
  reads: [],
  trigger: 'period',
  ...forgetful,
  step: (state, { setting }) => {
    const exchangeMl = setting('exchange_volume_ml');
    const duration = setting('duration');
    return {
      state,
      decision: {
        act: 'dose',
        order: { mediaMl: exchangeMl, altMediaMl: 0, wasteMl: exchangeMl },
        reason: {
          rule: `Every ${duration} min, ${inMl(exchangeMl)} are exchanged.`,
          settings: { duration, exchange_volume_ml: exchangeMl },
        },
        told: ({ mediaMl }) => ({
          news: {
            name: 'DilutionEvent',
            message: `${inMl(mediaMl)} were exchanged.`,
            data: { exchange_volume_ml: exchangeMl, volume_actually_cycled_ml: mediaMl },
          },
        }),
      },
    };
  },
});
