import type { JobWarning } from '@lcs/contract';
import {
  type DosingAutomation as Automation,
  dilutionWarning,
  doseWarning,
  exchangeParts,
  mostGrowthRateSd,
  settingOrDefault,
  type TriggerReading,
} from '@lcs/domain';
import type { NodeNow } from '@lcs/node';
import type { BiomassSignal } from './biomass-signal.ts';
import { exchangeConfig } from './exchange.ts';
import { ReadingMissing, readingNow } from './fresh-readings.ts';

/** Undefined: there is none that may be trusted. */
export function readingOrNone(read: () => TriggerReading): TriggerReading | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReadingMissing) return undefined;
    throw error;
  }
}

const normalized: BiomassSignal = {
  name: 'normalized_od',
  scale: 'normalized_od',
  place: { from: 'reading', source: 'od_filtered' },
};

interface Prediction {
  /** The numbers of the automation. */
  readonly settings: Readonly<Record<string, number>>;
  /** The selected signal, where the automation allows a choice. */
  readonly biomass: BiomassSignal | undefined;
  /** @throws ReadingMissing */
  readonly read: (signal: BiomassSignal) => TriggerReading;
  /** Of the liquid in the vial. */
  readonly volumeMl: number;
}

/** What these settings do at once; undefined: nothing that a person must know before. */
export function predictDilution(
  { density }: Automation,
  { settings, biomass, read, volumeMl }: Prediction,
): JobWarning | undefined {
  if (density === undefined) return undefined;
  const target = settings[density.setting];
  const signal = density.signal === 'biomass' ? biomass : normalized;
  if (target === undefined || signal === undefined) return undefined;
  const value = readingOrNone(() => read(signal))?.value;
  return dilutionWarning(
    { signal: signal.name, scale: signal.scale, value },
    { target, dilutesFrom: density.dilutionThreshold(target), volumeMl },
  );
}

/** The growth rate of the culture, per hour; undefined: no fresh reading, or not known well enough yet. */
export function growthNow(
  node: Pick<NodeNow, 'topics' | 'clock'>,
): { readonly perHour: number; readonly sd: number } | undefined {
  const [rate, sd = 0] = (['growth_rate', 'growth_rate_sd'] as const).map(
    (source) => readingOrNone(() => readingNow(node, { from: 'reading', source }))?.value,
  );
  return rate === undefined || sd > mostGrowthRateSd ? undefined : { perHour: rate, sd };
}

/** What doses of these settings do to the culture; undefined: nothing that a person must know before. */
export function predictExchange(
  automation: Automation,
  { settings, volumeMl }: { readonly settings: Prediction['settings']; readonly volumeMl: number },
  node: Pick<NodeNow, 'topics' | 'clock' | 'config'>,
): JobWarning | undefined {
  const { maxSubdoseMl } = exchangeConfig(node.config, (view, setting) => settingOrDefault(view, setting));
  const partsFor = (addedMl: number): number => exchangeParts(addedMl, maxSubdoseMl);
  return doseWarning(automation, settings, { volumeMl, partsFor, growth: growthNow(node) });
}
