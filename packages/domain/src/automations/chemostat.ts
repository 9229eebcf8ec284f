import { exchangeForWashOut, type WashOutExchange } from '../dosing/wash-out.ts';
import {
  dosingAutomation,
  formatMl,
  periodParameter,
  skipFirstRun,
  stateless,
  volumeParameter,
} from './dosing-automation.ts';

/** The volume that is pumped for an exchange, so that it washes out what the dilution rate of the settings means, mL. */
export function chemostatPumpedMl(
  { exchangeMl, everyMin }: { readonly exchangeMl: number; readonly everyMin: number },
  { volumeMl, partsFor, ...vial }: Omit<WashOutExchange, 'evaporatedMl'> & { readonly evaporationMlPerHour: number },
): number {
  const evaporatedMl = (vial.evaporationMlPerHour * everyMin) / 60;
  // In a vial with less than an exchange (after it was emptied) there is nothing to wash out: it is filled.
  return volumeMl > exchangeMl
    ? exchangeForWashOut(exchangeMl / volumeMl, { volumeMl, evaporatedMl, partsFor })
    : exchangeMl;
}

/**
 * A constant dilution rate: exchange volume / liquid volume × 60 / duration, per hour. The pumped volume is a little larger than
 * the exchange volume: it washes out what that rate means (`chemostatPumpedMl`).
 */
export const chemostat = dosingAutomation({
  name: 'chemostat',
  displayName: 'Chemostat',
  help: 'Exchanges a fixed volume at fixed intervals, which sets the growth rate.',
  parameters: {
    duration: periodParameter('Dosing interval', 20),
    exchange_volume_ml: volumeParameter('Exchange volume', 0.5),
  },
  options: skipFirstRun,
  pumps: ['media', 'waste'],
  reads: [],
  trigger: 'period',
  dose: { setting: 'exchange_volume_ml', isExchange: true },
  ...stateless,
  step: (state, { setting, volumeMl, evaporationMlPerHour, partsFor }) => {
    const exchangeMl = setting('exchange_volume_ml');
    const duration = setting('duration');
    const vial = { volumeMl, evaporationMlPerHour, partsFor };
    const pumpedMl = chemostatPumpedMl({ exchangeMl, everyMin: duration }, vial);
    const rate = (60 * exchangeMl) / volumeMl / duration;
    const effect =
      volumeMl > exchangeMl
        ? `: ${rate.toPrecision(3)} per hour are washed out`
        : `; the vial contains no more than that (${formatMl(volumeMl)})`;
    return {
      state,
      decision: {
        action: 'dose',
        command: { mediaMl: pumpedMl, altMediaMl: 0, wasteMl: pumpedMl },
        reason: {
          rule: `Every ${duration} min, ${formatMl(pumpedMl)} are exchanged${effect}.`,
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
