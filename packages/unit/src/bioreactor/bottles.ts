import {
  type BioreactorValues,
  bottleSettings,
  type Pump,
  settingOrDefault,
  type VialCapacity,
  validateBioreactorValues,
} from '@lcs/domain';
import type { IniView } from '@lcs/platform';

const pumps: readonly Pump[] = ['media', 'alt_media', 'waste'];

/** Sizes of the bottles that the configuration has, mL. */
export function bottlesOf(config: IniView): VialCapacity['bottlesMl'] {
  const sizes = pumps.map((pump) => [pump, settingOrDefault(config, bottleSettings[pump])] as const);
  return Object.fromEntries(sizes.filter(([, sizeMl]) => sizeMl > 0));
}

export type CheckedChange =
  | {
      readonly ok: true;
      readonly values: Partial<BioreactorValues>;
      readonly bottlesMl: Readonly<Partial<Record<Pump, number>>>;
    }
  /** `cause` is a sentence for people. */
  | { readonly ok: false; readonly cause: string };

type NewValues = Readonly<Record<string, number | string | boolean>>;

/** Checks new values of the vial and of its bottles (`media_bottle_left_ml`, …) all together. */
export function checkChange(requested: NewValues, { capacityMl, bottlesMl }: VialCapacity): CheckedChange {
  const values: Record<string, number | string | boolean> = { ...requested };
  const leftMlByPump: Partial<Record<Pump, number>> = {};
  for (const pump of pumps) {
    const key = `${pump}_bottle_left_ml`;
    const given = values[key];
    if (given === undefined) continue;
    delete values[key];
    const leftMl = typeof given === 'string' && given.trim() === '' ? Number.NaN : Number(given);
    if (!Number.isFinite(leftMl) || leftMl < 0)
      return { ok: false, cause: `${key} must be a number of at least 0, not '${String(given)}'.` };
    if (bottlesMl[pump] === undefined)
      return { ok: false, cause: `${key} needs the size of the bottle: set [bioreactor] ${pump}_bottle_ml.` };
    leftMlByPump[pump] = leftMl;
  }
  if (Object.keys(values).length === 0 && Object.keys(leftMlByPump).length > 0)
    return { ok: true, values: {}, bottlesMl: leftMlByPump };
  const checked = validateBioreactorValues(values, capacityMl);
  return checked.ok ? { ...checked, bottlesMl: leftMlByPump } : checked;
}
