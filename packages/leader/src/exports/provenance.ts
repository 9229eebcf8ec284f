import type { SQLInputValue } from 'node:sqlite';
import type { SqlReader } from '@lcs/platform/sql-reader';
import { utcText } from '../datasets/rows/minute-text.ts';
import { sampleFlags } from '../series/sample-flags.ts';

const namesOfFlags = (bits: number): string[] =>
  Object.entries(sampleFlags).flatMap(([name, bit]) => ((bits & bit) === 0 ? [] : [name]));

/**
 * How the readings of an export came about: of each series its calibrations, the parameters of its filter, and the number of
 * readings by flag. Undefined experiments: all.
 */
export function provenanceOf(database: SqlReader, experiments: readonly string[] | undefined, softwareVersion: string) {
  const all = (sql: string, ...values: readonly SQLInputValue[]) => database.prepare(sql).all(...values);
  const named = experiments === undefined ? '' : `and e.name in (${experiments.map(() => '?').join(', ')})`;
  const series = all(
    `select s.id, e.name as experiment, s.unit, s.source, s.channel, s.angle, d.name, d.version, d.parameters
    from main.series s
    join main.experiments e on e.uid = s.experiment_uid and e.deleting_at is null
    left join main.derivations d on d.id = s.derivation_id
    where s.hidden = 0 ${named} order by e.name, s.unit, s.source, s.channel nulls first, s.id`,
    ...(experiments ?? []),
  );
  const time = utcText();
  return {
    software_version: softwareVersion,
    series: series.map(({ id, experiment, unit, source, channel, angle, name, version, parameters }) => ({
      experiment,
      reactor_unit: unit,
      source,
      channel,
      angle,
      derivation: name === null ? null : { name, version, parameters: JSON.parse(String(parameters)) },
      calibrations: all(
        `select since, calibration_name as name, calibration_hash as hash, ir_led_intensity
        from main.series_context where series_id = ? order by since`,
        Number(id),
      ).map((row) => ({ ...row, since: time.of(Number(row.since)) })),
      readings_by_flags: all(
        'select flags, count(*) as readings from main.sample_flags where series_id = ? group by flags order by flags',
        Number(id),
      ).map(({ flags, readings }) => ({ flags: namesOfFlags(Number(flags)), readings })),
    })),
  };
}
