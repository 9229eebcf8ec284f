import { linesChecksum, SeriesChecksum } from './checksums.ts';
import type { ImportMark, ImportSeries, ImportTarget, TableOutcome } from './import-protocol.ts';
import { Skips } from './skips.ts';
import { type Cells, channelOf, isSourceFault, numberOf, type SourceDatabase, textOf } from './source-database.ts';
import type { ReadingsTable } from './source-tables.ts';

/** Rows of one batch: the main thread passes them on in some 10 ms, and a command waits no longer. */
const rowsAtOnce = 1_500;

/**
 * Different values of one series in one millisecond. The store moves each to the next free one, and searches for it among those before:
 * 100 take 50 ms of processor time, 6,000 take 86 s. More have no times, but a clock that stood still.
 */
const mostAtOnce = 100;
const tooManyAtOnce = `more than ${mostAtOnce} values of a series in one millisecond`;

export interface ReadingsBatch {
  readonly table: string;
  readonly newSeries: readonly ImportSeries[];
  readonly series: Uint32Array;
  readonly at: Float64Array;
  readonly values: Float64Array;
  readonly marks: readonly (ImportMark & { readonly experimentId: number })[];
}

export interface ReadingsPorts {
  /** Resolves when the next batch may be made. */
  store(batch: ReadingsBatch): Promise<void>;
  /** The position of a series that has none yet, over all tables. */
  nextPlace(): number;
  acceptsUnit(unit: string): boolean | Promise<boolean>;
  /** Called after each 1,500 rows: how many rows of the table were read. */
  progress(rows: number): void;
  /** A row of an experiment that is imported. */
  note(target: ImportTarget, at: number): void;
}

/** A series of an experiment, and what was read of it. */
interface Line {
  readonly target: ImportTarget;
  readonly key: ImportSeries;
  /** Its position for the main thread; undefined: nothing was sent. */
  place: number | undefined;
  readonly checksum: SeriesChecksum;
  lastAt: number;
  lastValue: number;
  /** Values at `lastAt` that differ from the one before them. */
  atOnce: number;
}

type Send = (line: Line, at: number, value: number) => void;

export interface ReadReadings {
  readonly outcome: Omit<TableOutcome, 'storedValues' | 'storedChecksum'>;
  /** The series that were read, for the comparison with the store. */
  readonly series: readonly ImportSeries[];
}

/** What the checksum of a table consists of: a line for each series. */
export const seriesLine = ({ unit, channel, angle }: ImportSeries, experiment: string, rows: number, hex: string) =>
  JSON.stringify([experiment, unit, channel, angle, rows, hex]);

/**
 * Reads a table of readings in the order in which it was written, and sends batches of it. Values of a series arrive in the order of time
 * with few exceptions; where they do not, or are stored twice, the checksum comes from a second reading that sorts.
 */
export class ReadingsReader {
  readonly #source: SourceDatabase;
  readonly #targets: ReadonlyMap<string, ImportTarget>;
  readonly #ports: ReadingsPorts;
  readonly #isDryRun: boolean;

  constructor(
    source: SourceDatabase,
    targets: ReadonlyMap<string, ImportTarget>,
    ports: ReadingsPorts,
    isDryRun: boolean,
  ) {
    this.#source = source;
    this.#targets = targets;
    this.#ports = ports;
    this.#isDryRun = isDryRun;
  }

  async read(table: ReadingsTable): Promise<ReadReadings> {
    const pass = new Pass(table, this.#source, this.#targets, this.#ports);
    const columns = pass.columns();
    if ('missing' in columns)
      return { outcome: { ...empty(table.table, this.#source), fault: columns.missing }, series: [] };
    let fault: string | null = null;
    const batch = new Batch(table.table, this.#ports);
    const marks = new Map([...this.#targets.values()].map((target) => [target, markOf(target, table.table)]));
    let rows = 0;
    try {
      for (const cells of this.#source.rows(columns.sql, table.table, 'order by rowid')) {
        rows += 1;
        if (rows % rowsAtOnce === 0) this.#ports.progress(rows);
        const target = pass.targetOf(cells);
        if (target === undefined) continue;
        const units = pass.unitOf(cells);
        const unit = units instanceof Promise ? await units : units;
        if (unit === undefined) continue;
        const rowId = Number(cells[0]);
        const mark = marks.get(target);
        const isNew = !this.#isDryRun && (mark === undefined || rowId > mark.rowId);
        pass.take(cells, target, unit, (line, at, value) => {
          if (isNew) batch.add(line, at, value);
        });
        if (!isNew) continue;
        batch.mark(target, rowId);
        if (batch.length >= rowsAtOnce) await this.#ports.store(batch.taken());
      }
    } catch (error) {
      if (!isSourceFault(error)) throw error;
      fault = `Row ${rows + 1} cannot be read: ${error.message}.`;
    }
    if (batch.length > 0) await this.#ports.store(batch.taken());
    // A damaged table is not read a second time: what was read is what came.
    const isSorted = !pass.isDisordered || fault !== null;
    const sorted = isSorted ? pass : await this.#sorted(table, columns.sql);
    const skips = pass.skips;
    skips.add('the same row again', sorted.duplicates);
    return {
      outcome: {
        table: table.table,
        rows,
        imported: Math.max(0, pass.importedRows - (table.values.length === 1 ? sorted.duplicates : 0)),
        skipped: skips.list(),
        values: sorted.values,
        checksum: sorted.checksum(),
        fault,
      },
      series: sorted.series,
    };
  }

  /** The checksum from the rows in the order of time. */
  async #sorted(table: ReadingsTable, sql: readonly string[]): Promise<Pass> {
    const quiet: ReadingsPorts = { ...this.#ports, note: () => {} };
    // Of too many at once both readings must keep the same.
    const order = 'order by 2, 3, lcs_at("timestamp"), rowid';
    const pass = new Pass(table, this.#source, this.#targets, quiet, true);
    for (const cells of this.#source.rows(sql, table.table, order)) {
      const target = pass.targetOf(cells);
      const units = target && pass.unitOf(cells);
      const unit = units instanceof Promise ? await units : units;
      if (target !== undefined && unit !== undefined) pass.take(cells, target, unit, () => {});
    }
    pass.flush();
    return pass;
  }
}

const markOf = ({ marks }: ImportTarget, table: string): ImportMark | undefined =>
  marks.find((mark) => mark.table === table);

const empty = (table: string, source: SourceDatabase) => {
  const rows = source.count(table);
  const skipped = rows === 0 ? [] : [{ reason: 'columns are missing', rows }];
  return { table, rows, imported: 0, skipped, values: 0, checksum: linesChecksum([]) };
};

/** Why a row has no place, by its experiment. */
export const noTarget = (experiment: unknown): string => {
  if (experiment === null) return 'no experiment';
  return experiment === '$experiment'
    ? 'of the cluster, not of an experiment'
    : 'of an experiment that is not imported';
};

/** The value is null. */
const noNumber = 'no number';

const channels: ReadonlySet<string> = new Set(['1', '2', '3', '4']);
const angles: ReadonlySet<number> = new Set([45, 90, 135, 180]);

/** One reading of a table: its series, checksums and reasons. */
class Pass {
  readonly skips = new Skips();
  importedRows = 0;
  duplicates = 0;
  isDisordered = false;
  readonly #table: ReadingsTable;
  readonly #source: SourceDatabase;
  readonly #targets: ReadonlyMap<string, ImportTarget>;
  readonly #ports: ReadingsPorts;
  readonly #isSorting: boolean;
  readonly #lines = new Map<ImportTarget, Map<string, Line>>();
  /** Whether a unit's name is accepted. */
  readonly #units = new Map<string, boolean>();
  /** Sorting: values of the present moment of each series. */
  readonly #pending = new Map<Line, number[]>();

  constructor(
    table: ReadingsTable,
    source: SourceDatabase,
    targets: ReadonlyMap<string, ImportTarget>,
    ports: ReadingsPorts,
    isSorting = false,
  ) {
    this.#table = table;
    this.#source = source;
    this.#targets = targets;
    this.#ports = ports;
    this.#isSorting = isSorting;
  }

  /** Cells: row, experiment, unit, time, values, and channel and angle where there are. */
  columns(): { readonly sql: readonly string[] } | { readonly missing: string } {
    const { table, values, channel, angle } = this.#table;
    const there = this.#source.columnsOf(table) ?? [];
    const unit = this.#source.unitColumnOf(table);
    const numbers = [...values.map(({ column }) => column), ...(angle ? [angle] : [])];
    const missing = ['experiment', 'timestamp', ...numbers, ...(channel ? [channel] : [])].filter(
      (column) => !there.includes(column),
    );
    if (unit === undefined) missing.push('pioreactor_unit');
    if (unit === undefined || missing.length > 0) return { missing: `It has no column ${missing.join(', ')}.` };
    const photodiode = [...(channel ? [channelOf(channel)] : []), ...(angle ? [numberOf(angle)] : [])];
    const own = values.map(({ column }) => numberOf(column));
    return { sql: ['rowid', textOf('experiment'), textOf(unit), textOf('timestamp'), ...own, ...photodiode] };
  }

  targetOf(cells: Cells): ImportTarget | undefined {
    const target = typeof cells[1] === 'string' ? this.#targets.get(cells[1]) : undefined;
    if (target === undefined) this.skips.add(noTarget(cells[1]));
    return target;
  }

  unitOf(cells: Cells): string | undefined | Promise<string | undefined> {
    const unit = cells[2];
    if (typeof unit !== 'string') return this.#refuse('no unit');
    const known = this.#units.get(unit);
    if (known !== undefined) return known ? unit : this.#refuse('not a name of a unit');
    return this.#ask(unit);
  }

  async #ask(unit: string): Promise<string | undefined> {
    const isAccepted = await this.#ports.acceptsUnit(unit);
    this.#units.set(unit, isAccepted);
    return isAccepted ? unit : this.#refuse('not a name of a unit');
  }

  #refuse(reason: string): undefined {
    this.skips.add(reason);
  }

  take(cells: Cells, target: ImportTarget, unit: string, send: Send): void {
    const reason = this.#taken(cells, target, unit, send);
    if (reason !== undefined) this.skips.add(reason);
  }

  /** Returns why the row does not come; undefined: it does. */
  #taken(cells: Cells, target: ImportTarget, unit: string, send: Send): string | undefined {
    const time = cells[3];
    const at = typeof time === 'string' ? this.#source.momentOf(time) : undefined;
    if (at === undefined) return 'not a time of the past';
    const { values } = this.#table;
    const photodiode = this.#photodiodeOf(cells, 4 + values.length);
    if (typeof photodiode === 'string') return photodiode;
    let taken = 0;
    let reason = noNumber;
    for (const [index, { channel = photodiode.channel }] of values.entries()) {
      const value = cells[4 + index];
      if (typeof value !== 'number') {
        if (value === 'text' || value === 'blob') reason = 'not a number';
        continue;
      }
      if (!Number.isFinite(value)) {
        reason = 'not a finite number';
        continue;
      }
      const line = this.#lineOf(target, unit, channel, photodiode.angle);
      if (!this.#hasPlace(line, at, value)) {
        reason = tooManyAtOnce;
        continue;
      }
      taken += 1;
      this.#count(line, at, value, send);
    }
    if (taken === 0) return reason;
    // The row comes without it.
    if (reason !== noNumber) this.skips.add(`${reason}, beside values that came`);
    this.importedRows += 1;
    this.#ports.note(target, at);
    return undefined;
  }

  flush(): void {
    for (const [line, values] of this.#pending) this.#flushLine(line, values);
    this.#pending.clear();
  }

  get values(): number {
    return this.#all().reduce((sum, { checksum }) => sum + checksum.rows, 0);
  }

  get series(): readonly ImportSeries[] {
    return this.#all().map(({ key }) => key);
  }

  checksum(): string {
    return linesChecksum(
      this.#all().map(({ key, target, checksum }) => seriesLine(key, target.sourceName, checksum.rows, checksum.hex())),
    );
  }

  #all(): Line[] {
    return [...this.#lines.values()].flatMap((lines) => [...lines.values()]);
  }

  #photodiodeOf(cells: Cells, from: number): string | { channel: string | null; angle: number | null } {
    const { channel, angle } = this.#table;
    const channelCell = channel === undefined ? undefined : String(cells[from]);
    if (channelCell !== undefined && !channels.has(channelCell)) return 'unknown channel';
    const angleCell = angle === undefined ? null : cells[from + 1];
    if (angleCell !== null && !(typeof angleCell === 'number' && angles.has(angleCell))) return 'unknown angle';
    return { channel: channelCell ?? null, angle: angleCell };
  }

  #lineOf(target: ImportTarget, unit: string, channel: string | null, angle: number | null): Line {
    let lines = this.#lines.get(target);
    if (lines === undefined) {
      lines = new Map();
      this.#lines.set(target, lines);
    }
    const text = `${unit} ${channel} ${angle}`;
    const known = lines.get(text);
    if (known !== undefined) return known;
    const { source, isDerived = false } = this.#table;
    const key = { experimentUid: target.uid, unit, source, channel, angle, isDerived };
    const line: Line = {
      target,
      key,
      place: undefined,
      checksum: new SeriesChecksum(),
      lastAt: -1,
      lastValue: 0,
      atOnce: 0,
    };
    lines.set(text, line);
    return line;
  }

  #hasPlace(line: Line, at: number, value: number): boolean {
    if (at !== line.lastAt) line.atOnce = 0;
    else if (value === line.lastValue) return true;
    if (line.atOnce >= mostAtOnce) return false;
    line.atOnce += 1;
    return true;
  }

  #count(line: Line, at: number, value: number, send: Send): void {
    if (this.#isSorting) this.#collect(line, at, value);
    // -0 and 0 are one value in text and two in the order of values; both are rare.
    else if (at > line.lastAt || (at === line.lastAt && value > line.lastValue)) line.checksum.add(at, value);
    else this.isDisordered = true;
    line.lastAt = at;
    line.lastValue = value;
    send(line, at, value);
  }

  /** The values of one moment, sorted and once each. */
  #collect(line: Line, at: number, value: number): void {
    let values = this.#pending.get(line);
    if (values === undefined) {
      values = [];
      this.#pending.set(line, values);
    }
    if (at !== line.lastAt) {
      this.#flushLine(line, values);
      values.length = 0;
    }
    values.push(value);
  }

  #flushLine(line: Line, values: readonly number[]): void {
    let last: number | undefined;
    for (const value of values.toSorted((a, b) => a - b)) {
      if (value === last) this.duplicates += 1;
      else line.checksum.add(line.lastAt, value);
      last = value;
    }
  }
}

/** Readings on their way to the store. */
class Batch {
  readonly #table: string;
  readonly #ports: Pick<ReadingsPorts, 'nextPlace'>;
  #newSeries: ImportSeries[] = [];
  #series: number[] = [];
  #at: number[] = [];
  #values: number[] = [];
  #marks = new Map<ImportTarget, { rowId: number; rows: number }>();

  constructor(table: string, ports: Pick<ReadingsPorts, 'nextPlace'>) {
    this.#table = table;
    this.#ports = ports;
  }

  get length(): number {
    return this.#series.length;
  }

  add(line: Line, at: number, value: number): void {
    if (line.place === undefined) {
      line.place = this.#ports.nextPlace();
      this.#newSeries.push(line.key);
    }
    this.#series.push(line.place);
    this.#at.push(at);
    this.#values.push(value);
  }

  mark(target: ImportTarget, rowId: number): void {
    const before = this.#marks.get(target);
    if (before === undefined) this.#marks.set(target, { rowId, rows: 1 });
    else {
      before.rowId = rowId;
      before.rows += 1;
    }
  }

  taken(): ReadingsBatch {
    const batch = {
      table: this.#table,
      newSeries: this.#newSeries,
      series: Uint32Array.from(this.#series),
      at: Float64Array.from(this.#at),
      values: Float64Array.from(this.#values),
      marks: [...this.#marks].map(([{ id }, mark]) => ({ experimentId: id, table: this.#table, ...mark })),
    };
    this.#newSeries = [];
    this.#series = [];
    this.#at = [];
    this.#values = [];
    this.#marks = new Map();
    return batch;
  }
}
