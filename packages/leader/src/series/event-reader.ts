import type { EventColumn } from '@lcs/domain';
import type { SqlReader, SqlStatement } from '@lcs/platform/sql-reader';
import type { Points } from './extremes.ts';
import type { Window } from './window-reader.ts';

/** Experiment, unit and type of the events. */
interface EventScope {
  readonly experimentUid: string;
  readonly unit?: string;
}

interface EventLine {
  readonly label: string;
  readonly points: Points;
}

/** The queries; exported for the test of their plans. */
export const eventSql = {
  window: `select reactor_unit, at, data from events
    where experiment_uid = ?1 and name = ?2 and at > ?3 and at <= ?4 order by reactor_unit, at, id`,
  next: 'select min(at) as at from events where experiment_uid = ?1 and name = ?2 and at > ?3',
};

/** Reads numbers out of the data of events. */
export class EventReader {
  readonly #window: SqlStatement;
  readonly #next: SqlStatement;

  constructor(connection: SqlReader) {
    this.#window = connection.prepare(eventSql.window);
    this.#next = connection.prepare(eventSql.next);
  }

  /** Lines by unit and then channel; none is empty. */
  lines({ experimentUid, unit }: EventScope, column: EventColumn, { after, upTo }: Window): EventLine[] {
    const lines = new Map<string, Points>();
    for (const row of this.#window.all(experimentUid, column.name, after, upTo)) {
      if (unit !== undefined && row.reactor_unit !== unit) continue;
      const found = valueIn(String(row.data), column);
      if (found === undefined) continue;
      const label = found.suffix === undefined ? `${row.reactor_unit}` : `${row.reactor_unit}-${found.suffix}`;
      const points = lines.get(label) ?? { at: [], value: [] };
      points.at.push(Number(row.at));
      points.value.push(found.value);
      lines.set(label, points);
    }
    return [...lines].map(([label, points]) => ({ label, points })).sort((a, b) => (a.label < b.label ? -1 : 1));
  }

  /** When the next event after `at` was, ms; infinite when there is none. */
  nextAfter({ experimentUid }: EventScope, { name }: EventColumn, at: number): number {
    const row = this.#next.get(experimentUid, name, at);
    return row?.at == null ? Number.POSITIVE_INFINITY : Number(row.at);
  }
}

/** The number an event has in this column, if it has one. */
function valueIn(data: string, { value: key, only, splitBy }: EventColumn) {
  const fields: unknown = JSON.parse(data);
  if (typeof fields !== 'object' || fields === null) return undefined;
  if (only !== undefined && Reflect.get(fields, only.key) !== only.is) return undefined;
  const value: unknown = Reflect.get(fields, key);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return { value, suffix: splitBy === undefined ? undefined : String(Reflect.get(fields, splitBy)) };
}
