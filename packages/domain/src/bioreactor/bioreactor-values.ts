import { bioreactorSettings } from '../settings/job-settings.ts';
import { type ConfigSections, settingOrDefault } from '../settings/read-setting.ts';

/** State of a unit's vial in an experiment: volumes in mL, and the fraction of the alternative medium. */
export const bioreactorKeys = [
  'current_volume_ml',
  'efflux_tube_volume_ml',
  'alt_media_fraction',
  'cumulative_media_added_ml',
  'cumulative_alt_media_added_ml',
  'cumulative_waste_removed_ml',
] as const;
export type BioreactorKey = (typeof bioreactorKeys)[number];
export type BioreactorValues = Readonly<Record<BioreactorKey, number>>;

export const isBioreactorKey = (key: string): key is BioreactorKey => bioreactorKeys.some((known) => known === key);

/** Further values that people can set: content of a bottle, or free volume of the waste bottle, mL. */
export const bottleKeys = ['media_bottle_left_ml', 'alt_media_bottle_left_ml', 'waste_bottle_left_ml'] as const;

/** Whether people may set this value of the vial or of a bottle. */
export const isSettableKey = (key: string): boolean =>
  isBioreactorKey(key) || bottleKeys.some((known) => known === key);

/** Maximum of a value. @param capacityMl of the model's vial; undefined: unknown, no maximum */
export function maximumValue(key: BioreactorKey, capacityMl: number | undefined): number {
  if (key === 'alt_media_fraction') return 1;
  const isOfVial = key === 'current_volume_ml' || key === 'efflux_tube_volume_ml';
  return isOfVial ? (capacityMl ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}

/** Values at the start of an experiment; invalid settings are replaced by the defaults. */
export const initialBioreactorValues = (config: ConfigSections = {}): BioreactorValues => ({
  current_volume_ml: settingOrDefault(config, bioreactorSettings.initialVolume),
  efflux_tube_volume_ml: settingOrDefault(config, bioreactorSettings.effluxTubeVolume),
  alt_media_fraction: settingOrDefault(config, bioreactorSettings.initialAltMediaFraction),
  cumulative_media_added_ml: settingOrDefault(config, bioreactorSettings.initialMediaAdded),
  cumulative_alt_media_added_ml: settingOrDefault(config, bioreactorSettings.initialAltMediaAdded),
  cumulative_waste_removed_ml: settingOrDefault(config, bioreactorSettings.initialWasteRemoved),
});

export type ValidatedValues =
  | { readonly ok: true; readonly values: Partial<BioreactorValues> }
  /** `cause` is a sentence for people. */
  | { readonly ok: false; readonly cause: string };

function toNumber(value: number | string | boolean): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return Number(value.trim() === '' ? Number.NaN : value);
}

/** Validates new values: accepts all of them or none. Numbers may be written as text. */
export function validateBioreactorValues(
  requested: Readonly<Record<string, number | string | boolean>>,
  capacityMl: number | undefined,
): ValidatedValues {
  const entries = Object.entries(requested);
  if (entries.length === 0) return { ok: false, cause: 'The request must have at least one value.' };
  const values: Partial<Record<BioreactorKey, number>> = {};
  for (const [key, given] of entries) {
    if (!isBioreactorKey(key)) {
      return { ok: false, cause: `The value '${key}' is unknown. The values are ${bioreactorKeys.join(', ')}.` };
    }
    const value = toNumber(given);
    const highest = maximumValue(key, capacityMl);
    const range = Number.isFinite(highest) ? `from 0 to ${highest}` : 'of at least 0';
    if (!Number.isFinite(value) || value < 0 || value > highest) {
      return { ok: false, cause: `${key} must be a number ${range}, not '${String(given)}'.` };
    }
    values[key] = value;
  }
  return { ok: true, values };
}
