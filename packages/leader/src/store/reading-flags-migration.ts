import { viewsAreElsewhere } from './views-migration.ts';

/** This text is frozen: the program may change, but not the migration of existing stores. */
const instant = (at: string): string =>
  `strftime('%Y-%m-%dT%H:%M:%S', ${at} / 1000, 'unixepoch') || printf('.%03dZ', ${at} % 1000)`;

/** Of the views on PostgreSQL, too. */
export const flagNames: readonly (readonly [bit: number, name: string])[] = [
  [1, 'unsynced'],
  [2, 'moved'],
  [4, 'saturated'],
  [8, 'outlier'],
  [16, 'corrected'],
  [32, 'simulated'],
  [64, 'out_of_range'],
  [128, 'reference_unstable'],
  [256, 'no_stir_bar'],
  [512, 'bubbles'],
  [1024, 'vial_out'],
  [2048, 'led_failing'],
  [4096, 'bar_loose'],
  [8192, 'sensor_doubtful'],
];
const flagText = flagNames.map(([bit, name]) => `case when f.flags & ${bit} then '${name} ' else '' end`).join(' || ');

/** Flags of speeds and temperatures have names, too. */
export const readingFlagsMigration = {
  set: 'reading_flags',
  id: 1,
  name: 'flags of stirrers and temperature sensors',
  upPostgres: viewsAreElsewhere,
  up: `
    drop view reading_flags;
    create view reading_flags as
    select e.name as experiment, s.unit as reactor_unit, ${instant('f.at')} as timestamp, s.source as source,
      cast(s.channel as integer) as channel, s.angle as angle, trim(${flagText}) as flags
    from series s
    join experiments e on e.uid = s.experiment_uid and e.deleting_at is null
    join sample_flags f on f.series_id = s.id
    where s.hidden = 0;
  `,
} as const;
