import { openSqlReader, type SqlReader, type StorePlace } from '@lcs/platform/sql-reader';
import { linesChecksum, RowsChecksum, SeriesChecksum } from './checksums.ts';
import type { ImportSeries, ImportTarget } from './import-protocol.ts';
import { seriesLine } from './read-readings.ts';
import { machineOf } from './read-records.ts';
import { recordText } from './records.ts';

/** The name of the derivation of growth rates that the other system computed. */
export const derivationName = 'pioreactor';

export interface StoredTable {
  readonly storedValues: number;
  readonly storedChecksum: string;
}

/** Reads imported rows back from the store of the leader, on a connection that cannot write. */
export class StoredRows {
  readonly #database: SqlReader;
  readonly #targets: ReadonlyMap<string, ImportTarget>;

  constructor(place: StorePlace, targets: readonly ImportTarget[]) {
    this.#database = openSqlReader(place, { timeoutMs: 5_000 });
    this.#targets = new Map(targets.map((target) => [target.uid, target]));
  }

  close(): void {
    this.#database.close();
  }

  /** The series of a table. */
  readings(series: readonly ImportSeries[]): StoredTable {
    let storedValues = 0;
    const lines = series.map((key) => {
      const checksum = this.#seriesChecksum(key);
      storedValues += checksum.rows;
      return seriesLine(key, this.#targets.get(key.experimentUid)?.sourceName ?? '', checksum.rows, checksum.hex());
    });
    return { storedValues, storedChecksum: linesChecksum(lines) };
  }

  /** The events or entries of the event log that came from a table. */
  records(table: string): StoredTable {
    const checksum = new RowsChecksum();
    const events = this.#database.prepare(
      `select reactor_unit, at, name, source, message, data from events where machine_id = ? order by at`,
    );
    const logs = this.#database.prepare(
      `select reactor_unit, at, level, message, source, task from logs where machine_id = ? order by at`,
    );
    for (const target of this.#targets.values()) {
      const machine = machineOf(target.uid, table);
      const repetitions = new Map<string, number>();
      let lastAt = Number.NaN;
      const add = (unit: string, at: number, row: Parameters<typeof recordText>[2]) => {
        if (at !== lastAt) repetitions.clear();
        lastAt = at;
        const text = recordText(unit, at, row);
        const before = repetitions.get(text) ?? 0;
        repetitions.set(text, before + 1);
        checksum.add(`${target.sourceName}\n${before === 0 ? '' : `${before}\n`}${text}`);
      };
      for (const row of events.iterate(machine))
        add(String(row.reactor_unit), Number(row.at), {
          is: 'event',
          name: String(row.name),
          data: JSON.parse(String(row.data)),
          source: textIn(row.source),
          message: textIn(row.message),
        });
      for (const row of logs.iterate(machine))
        add(String(row.reactor_unit), Number(row.at), {
          is: 'log',
          level: String(row.level),
          message: String(row.message),
          source: String(row.source),
          task: String(row.task),
        });
    }
    return { storedValues: checksum.rows, storedChecksum: checksum.hex() };
  }

  #seriesChecksum({ experimentUid, unit, source, channel, angle, isDerived }: ImportSeries): SeriesChecksum {
    const checksum = new SeriesChecksum();
    const found = this.#database
      .prepare(
        `select s.id from series s left join derivations d on d.id = s.derivation_id
          where s.experiment_uid = ? and s.source = ? and s.unit = ? and s.channel is ? and s.angle is ? and d.name is ?`,
      )
      .get(experimentUid, source, unit, channel, angle, isDerived ? derivationName : null);
    if (found === undefined) return checksum;
    const id = Number(found.id);
    const isMoved = 'select 1 from sample_flags where series_id = ? and moved_from is not null limit 1';
    const plain = 'select at, value from samples where series_id = ? order by at';
    const byOwnTime = `select coalesce(f.moved_from, s.at) as at, s.value from samples s
      left join sample_flags f on f.series_id = s.series_id and f.at = s.at where s.series_id = ? order by 1, 2`;
    const rows = this.#database.prepare(this.#database.prepare(isMoved).get(id) === undefined ? plain : byOwnTime);
    for (const { at, value } of rows.iterate(id)) checksum.add(Number(at), Number(value));
    return checksum;
  }
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);
