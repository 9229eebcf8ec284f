/** What is known of the vial of a unit in an experiment: its volumes in mL, and the share of the alternative medium. */
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

/** What can be set beside the values: what is left in a bottle, or what room in that for waste, mL. */
export const bottleKeys = ['media_bottle_left_ml', 'alt_media_bottle_left_ml', 'waste_bottle_left_ml'] as const;

/** Whether people may set it: a value of the vial, or of a bottle. */
export const isSettableKey = (key: string): boolean =>
  isBioreactorKey(key) || bottleKeys.some((known) => known === key);

/** Where the section `[bioreactor]` says what a value is at first, and what it is when the section does not say. */
const initial: Readonly<Record<BioreactorKey, { readonly setting: string; readonly otherwise: number }>> = {
  current_volume_ml: { setting: 'initial_volume_ml', otherwise: 14 },
  efflux_tube_volume_ml: { setting: 'efflux_tube_volume_ml', otherwise: 14 },
  alt_media_fraction: { setting: 'initial_alt_media_fraction', otherwise: 0 },
  cumulative_media_added_ml: { setting: 'initial_cumulative_media_added_ml', otherwise: 0 },
  cumulative_alt_media_added_ml: { setting: 'initial_cumulative_alt_media_added_ml', otherwise: 0 },
  cumulative_waste_removed_ml: { setting: 'initial_cumulative_waste_removed_ml', otherwise: 0 },
};

/** Highest value of a key. @param capacityMl of the model's vial; undefined: not known, nothing is too much */
export function highestValue(key: BioreactorKey, capacityMl: number | undefined): number {
  if (key === 'alt_media_fraction') return 1;
  const isOfVial = key === 'current_volume_ml' || key === 'efflux_tube_volume_ml';
  return isOfVial ? (capacityMl ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}

/** Values at the start of an experiment, from the section `[bioreactor]`; what it says unusably counts as not said. */
export function initialBioreactorValues(section: Readonly<Record<string, string>> = {}): BioreactorValues {
  const start = (key: BioreactorKey): number => {
    const { setting, otherwise } = initial[key];
    const value = Number(section[setting]?.trim() || Number.NaN);
    return value >= 0 && value <= highestValue(key, undefined) && Number.isFinite(value) ? value : otherwise;
  };
  return {
    current_volume_ml: start('current_volume_ml'),
    efflux_tube_volume_ml: start('efflux_tube_volume_ml'),
    alt_media_fraction: start('alt_media_fraction'),
    cumulative_media_added_ml: start('cumulative_media_added_ml'),
    cumulative_alt_media_added_ml: start('cumulative_alt_media_added_ml'),
    cumulative_waste_removed_ml: start('cumulative_waste_removed_ml'),
  };
}

export type CheckedValues =
  | { readonly ok: true; readonly values: Partial<BioreactorValues> }
  /** `cause` is a sentence for people. */
  | { readonly ok: false; readonly cause: string };

function numberOf(value: number | string | boolean): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return Number(value.trim() === '' ? Number.NaN : value);
}

/** Checks new values all together: none is taken unless each can be. Numbers may be written as text. */
export function checkBioreactorValues(
  wanted: Readonly<Record<string, number | string | boolean>>,
  capacityMl: number | undefined,
): CheckedValues {
  const entries = Object.entries(wanted);
  if (entries.length === 0) return { ok: false, cause: 'No value was given.' };
  const values: Partial<Record<BioreactorKey, number>> = {};
  for (const [key, told] of entries) {
    if (!isBioreactorKey(key)) {
      return { ok: false, cause: `There is no value '${key}'. The values are ${bioreactorKeys.join(', ')}.` };
    }
    const value = numberOf(told);
    const highest = highestValue(key, capacityMl);
    const range = Number.isFinite(highest) ? `from 0 to ${highest}` : 'of at least 0';
    if (!Number.isFinite(value) || value < 0 || value > highest) {
      return { ok: false, cause: `${key} must be a number ${range}, not '${String(told)}'.` };
    }
    values[key] = value;
  }
  return { ok: true, values };
}
