import type { BiomassScale, BiomassSignalName } from '@lcs/contract';

/** The setting of an automation that names the signal it holds. */
export const biomassSignalSetting = 'biomass_signal';

/** Older files use other words. */
const olderSignals: ReadonlyMap<string, string> = new Map([['fused_od', 'od_fused']]);

/** The word of today for a biomass signal; `auto` stays. */
export const biomassSignalWord = (given: string): string => olderSignals.get(given.trim()) ?? given.trim();

interface ScaleWords {
  readonly label: string;
  /** Behind a number. */
  readonly unit: string;
  /** For people who choose one. */
  readonly help: string;
}

/** How people call the scales of the biomass. */
export const biomassScales: Readonly<Record<BiomassScale, ScaleWords>> = {
  od_calibrated: {
    label: 'Calibrated OD',
    unit: 'OD',
    help: 'Optical density by the active calibration of the unit.',
  },
  od: {
    label: 'OD reading',
    unit: 'AU',
    help: 'Sensor reading without a calibration: the same culture has other values on other units.',
  },
  od_fused: { label: 'Fused OD', unit: 'OD', help: 'Optical density from several angles, by the active estimator.' },
  normalized_od: {
    label: 'Normalised OD',
    unit: '× start OD',
    help: 'Relative to the density when the growth rate was started: about 1 at that moment.',
  },
};

/** The scale of a signal; undefined: it is a setting of another job, whose scale nobody knows here. */
export function biomassScale(signal: string, isCalibrated: boolean): BiomassScale | undefined {
  if (signal === 'od') return isCalibrated ? 'od_calibrated' : 'od';
  return signal === 'normalized_od' || signal === 'od_fused' ? signal : undefined;
}

/** The signals that people choose from. */
export const biomassSignalNames: readonly BiomassSignalName[] = ['od', 'od_fused', 'normalized_od'];
