import type { BiomassScale, BiomassSignalName } from '@lcs/contract';

/** The setting that names the biomass signal of an automation. */
export const biomassSignalSetting = 'biomass_signal';

/** The setting that publishes the scale of that signal. */
export const biomassScaleSetting = 'biomass_scale';

/** Former names of signals, which older files contain. */
const renamedSignals: ReadonlyMap<string, string> = new Map([['fused_od', 'od_fused']]);

/** The current name of a biomass signal; `auto` stays. */
export const canonicalBiomassSignal = (given: string): string => renamedSignals.get(given.trim()) ?? given.trim();

interface ScaleDescription {
  readonly label: string;
  /** Follows a number. */
  readonly unit: string;
  /** Help text for people who choose a signal. */
  readonly help: string;
}

/** The biomass scales, as people read them. */
export const biomassScales: Readonly<Record<BiomassScale, ScaleDescription>> = {
  od_calibrated: {
    label: 'Calibrated OD',
    unit: 'OD',
    help: 'Optical density by the active calibration of the unit.',
  },
  od: {
    label: 'OD reading',
    unit: 'AU',
    help: 'Sensor reading without a calibration: the same culture has different values on different units.',
  },
  od_fused: { label: 'Fused OD', unit: 'OD', help: 'Optical density from several angles, by the active estimator.' },
  normalized_od: {
    label: 'Normalised OD',
    unit: '× start OD',
    help: 'Density relative to the density at the start of the growth rate job, where it is about 1.',
  },
};

/** Whether a published value is a scale. */
export const isBiomassScale = (value: unknown): value is BiomassScale =>
  typeof value === 'string' && Object.hasOwn(biomassScales, value);

/** The scale of a signal; undefined: the signal is a setting of another job, whose scale is unknown here. */
export function biomassScale(signal: string, isCalibrated: boolean): BiomassScale | undefined {
  if (signal === 'od') return isCalibrated ? 'od_calibrated' : 'od';
  return signal === 'normalized_od' || signal === 'od_fused' ? signal : undefined;
}

/** The job that computes the growth rate and the normalised OD. */
export const growthRateJobName = 'growth_rate_calculating';

/** The job that publishes a biomass signal: one of the named signals, or a setting as `<job>/<setting>`. Undefined: it is not known. */
export function publisherOfBiomass(signal: string): string | undefined {
  const name = canonicalBiomassSignal(signal);
  if (name === 'od' || name === 'od_fused') return 'od_reading';
  if (name === 'normalized_od') return growthRateJobName;
  return /^([a-z][a-z0-9_]*)\//.exec(name)?.[1];
}

/** The signals that people can choose. */
export const biomassSignalNames: readonly BiomassSignalName[] = ['od', 'od_fused', 'normalized_od'];
