import { biomassSignalSetting } from './biomass.ts';
import { dosingAutomation, forgetful, inMl, volume } from './dosing-automation.ts';

const shown = (value: number): string => String(Number(value.toPrecision(4)));

/** A constant density: each fresh reading at or above the target dilutes. */
export const turbidostat = dosingAutomation({
  name: 'turbidostat',
  displayName: 'Turbidostat',
  help: 'Dilutes the culture whenever its density reaches the target.',
  parameters: {
    target_biomass: { label: 'Target biomass', unit: 'OD/AU', default: null, min: 0.0001, max: 1_000_000 },
    exchange_volume_ml: volume('Exchange volume', 1),
  },
  texts: { [biomassSignalSetting]: { label: 'Biomass signal', default: 'auto' } },
  pumps: ['media', 'waste'],
  reads: ['biomass'],
  trigger: 'biomass',
  density: { setting: 'target_biomass', signal: 'biomass', dilutesFrom: (target) => target },
  // So long an exchange takes to show, as a similar system has it.
  settleS: 30,
  ...forgetful,
  step: (state, { setting, reading }) => {
    const target = setting('target_biomass');
    const exchangeMl = setting('exchange_volume_ml');
    const biomass = reading('biomass');
    if (biomass.value < target) return { state, decision: { act: 'nothing' } };
    const reached = `${shown(biomass.value)} (${biomass.source}) reached the target of ${shown(target)}`;
    return {
      state,
      decision: {
        act: 'dose',
        order: { mediaMl: exchangeMl, altMediaMl: 0, wasteMl: exchangeMl },
        reason: {
          rule: `The biomass ${reached}, so ${inMl(exchangeMl)} are exchanged.`,
          reading: biomass,
          settings: { target_biomass: target, exchange_volume_ml: exchangeMl },
        },
        told: ({ mediaMl }) => ({
          news: {
            name: 'DilutionEvent',
            message: `The biomass ${reached}: ${inMl(mediaMl)} were exchanged.`,
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
