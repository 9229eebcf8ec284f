import { biomassSignalSetting } from './biomass.ts';
import { dosingAutomation, formatMl, stateless, volumeParameter } from './dosing-automation.ts';

const fourDigits = (value: number): string => String(Number(value.toPrecision(4)));

/** Maintains a constant density: it dilutes at each fresh reading at or above the target. */
export const turbidostat = dosingAutomation({
  name: 'turbidostat',
  displayName: 'Turbidostat',
  help: 'Dilutes the culture when its density reaches the target.',
  parameters: {
    target_biomass: { label: 'Target biomass', unit: 'AU', default: null, min: 0.0001, max: 1_000_000 },
    exchange_volume_ml: volumeParameter('Exchange volume', 1),
  },
  texts: { [biomassSignalSetting]: { label: 'Biomass signal', default: 'auto' } },
  pumps: ['media', 'waste'],
  reads: ['biomass'],
  trigger: 'biomass',
  density: { setting: 'target_biomass', signal: 'biomass', dilutionThreshold: (target) => target },
  dose: { setting: 'exchange_volume_ml', isExchange: true },
  // An exchange needs this time to show in the readings; the value of a similar system.
  settleS: 30,
  ...stateless,
  step: (state, { setting, reading }) => {
    const target = setting('target_biomass');
    const exchangeMl = setting('exchange_volume_ml');
    const biomass = reading('biomass');
    if (biomass.value < target) return { state, decision: { action: 'nothing' } };
    const reached = `${fourDigits(biomass.value)} (${biomass.source}) reached the target of ${fourDigits(target)}`;
    return {
      state,
      decision: {
        action: 'dose',
        command: { mediaMl: exchangeMl, altMediaMl: 0, wasteMl: exchangeMl },
        reason: {
          rule: `The biomass ${reached}, so ${formatMl(exchangeMl)} are exchanged.`,
          reading: biomass,
          settings: { target_biomass: target, exchange_volume_ml: exchangeMl },
        },
        outcome: ({ mediaMl }) => ({
          event: {
            name: 'DilutionEvent',
            message: `The biomass ${reached}: ${formatMl(mediaMl)} were exchanged.`,
            data: {
              latest_biomass: biomass.value,
              target_biomass: target,
              exchange_volume_ml: exchangeMl,
              volume_actually_cycled_ml: mediaMl,
            },
          },
        }),
      },
    };
  },
});
