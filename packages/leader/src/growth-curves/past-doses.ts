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
    (select x.value from series s join samples x on x.series_id = s.id
      where s.experiment_uid = ?1 and s.unit = ?2 and s.source = 'liquid_volume' and x.at < v.at
      order by x.at desc limit 1) as volume
  from events v
  where v.experiment_uid = ?1 and v.name = '${dosingEventName}' and v.reactor_unit = ?2
    and json_extract(v.data, '$.event') like 'add%'
  order by v.at, v.id`;

/** Dilutions, with the volume of the vial before each: from its event, else the last reading of the volume. */
export function pastDoses(rows: readonly DoseRow[], usualVolumeMl: number): readonly PastDose[] {
  return rows.flatMap(({ at, data, volume }) => {
    const knownMl = volume !== null && volume > 0 ? volume : usualVolumeMl;
    const dose = dilutionOf({ volume_before_ml: knownMl, ...JSON.parse(data) });
    return dose === undefined ? [] : [{ atMs: at, ...dose }];
  });
}
