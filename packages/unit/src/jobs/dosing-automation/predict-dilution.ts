import type { JobWarning } from '@lcs/contract';
import { type DosingAutomation as Automation, dilutionWarning, type TriggerReading } from '@lcs/domain';
import type { BiomassSignal } from './biomass-signal.ts';
import { ReadingMissing } from './fresh-readings.ts';

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
}

/** What these settings do at once; undefined: nothing that a person must know before. */
export function predictDilution(
  { density }: Automation,
  { settings, biomass, read }: Prediction,
): JobWarning | undefined {
  if (density === undefined) return undefined;
  const target = settings[density.setting];
  const signal = density.signal === 'biomass' ? biomass : normalized;
  if (target === undefined || signal === undefined) return undefined;
  const value = readingOrNone(() => read(signal))?.value;
  return dilutionWarning(
    { signal: signal.name, scale: signal.scale, value },
    { target, dilutesFrom: density.dilutionThreshold(target) },
  );
}
