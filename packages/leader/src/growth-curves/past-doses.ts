import { dilutionOf, dosingEventName, type PastDose } from '@lcs/domain/growth-curves';

/** A dosing event, with the last reading of the volume before it. */
export interface DoseRow {
  readonly at: number;
  readonly data: string;
  readonly volume: number | null;
}

/** Dosing events of a unit (?2) in an experiment (?1) that added liquid, oldest first: a year has hundreds of thousands of others. */
export const dosesSql = `
  select v.at, v.data,
    (select x.value from main.series s join main.samples x on x.series_id = s.id
      where s.experiment_uid = ?1 and s.unit = ?2 and s.source = 'liquid_volume' and x.at < v.at
      order by x.at desc limit 1) as volume
  from main.events v
  where v.experiment_uid = ?1 and v.name = '${dosingEventName}' and v.reactor_unit = ?2
    and json_extract(v.data, '$.event') like 'add%'
  order by v.at, v.id`;

/** A dose as its event has it; a correction reverses the dose that began with the entry `corrects`, as far as it did not arrive. */
interface AnnouncedDose extends PastDose {
  readonly event: unknown;
  readonly entry: unknown;
}

/** As the units announced them, for rates computed while nobody knew better; or without what they corrected afterwards. */
export type DosesKnown = 'announced' | 'corrected';

/** Dilutions, with the volume of the vial before each: from its event, else the last reading of the volume. */
export function pastDoses(rows: readonly DoseRow[], usualVolumeMl: number, known: DosesKnown): readonly PastDose[] {
  const found: AnnouncedDose[] = [];
  for (const { at, data, volume } of rows) {
    const knownMl = volume !== null && volume > 0 ? volume : usualVolumeMl;
    const parsed: Readonly<Record<string, unknown>> = JSON.parse(data);
    const dose = dilutionOf({ volume_before_ml: knownMl, ...parsed });
    if (dose !== undefined) found.push({ atMs: at, ...dose, event: parsed.event, entry: parsed.entry });
    else if (known === 'corrected') takeBack(found, parsed);
  }
  return found.flatMap(({ atMs, volumeMl, addedMl }) => (addedMl === 0 ? [] : [{ atMs, volumeMl, addedMl }]));
}

/** Takes the volume of a correction off its dose, whose parts are the entries of its pump from the given one on. */
function takeBack(doses: AnnouncedDose[], { event, volume_change_ml, correction }: Readonly<Record<string, unknown>>) {
  if (typeof correction !== 'object' || correction === null || !('entry' in correction)) return;
  const first = doses.findLastIndex((dose) => dose.event === event && dose.entry === correction.entry);
  if (first < 0 || typeof volume_change_ml !== 'number') return;
  let leftMl = -volume_change_ml;
  for (let index = first; index < doses.length && leftMl > 0; index += 1) {
    const dose = doses[index];
    if (dose === undefined || dose.event !== event || dose.addedMl <= 0) continue;
    const takenMl = Math.min(leftMl, dose.addedMl);
    // Volumes of events are rounded.
    const restMl = dose.addedMl - takenMl < leastMl ? 0 : dose.addedMl - takenMl;
    doses[index] = { ...dose, addedMl: restMl };
    leftMl -= takenMl;
  }
}

/** Less than any pump moves, and more than the rounding of events. */
const leastMl = 1e-4;
