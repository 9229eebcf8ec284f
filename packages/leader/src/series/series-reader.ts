import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { EventColumn } from '@lcs/domain';
import { EventReader } from './event-reader.ts';
import { type Points, reducedPoints } from './extremes.ts';
import { AnswerWriter, mostBytesPerPoint } from './points-text.ts';
import { sourceFormat } from './sources.ts';
import { type Window, WindowReader } from './window-reader.ts';

export interface SeriesQuestion {
  readonly experimentUid: string;
  /** Only this unit's readings. */
  readonly unit?: string;
  /** A word of docs/interfaces.md 6.1. */
  readonly source: string;
  /** Only this channel's readings, for a source that is asked channel by channel. */
  readonly channel?: string;
  /** Instead of readings: a number in the data of events. */
  readonly event?: EventColumn;
  /** Any number from 0 on; 0 gives no series. */
  readonly lookbackHours: number;
  /** 1 to 1,000,000. */
  readonly targetPoints: number;
  readonly nowMs: number;
}

export interface ReadAnswer {
  /** `{"series":[label…],"data":[[{x,y}…]…]}` as JSON in UTF-8; a series without a reading in the window is absent. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What was asked for, or less where the answer would have grown beyond its limit. */
  readonly targetPoints: number;
  /** From this moment on (ms) the same question has another answer even if nothing is stored: a reading leaves the window or enters it. */
  readonly changesAtMs: number;
}

/** One line of the chart: mostly one series; more when its angle or the way it is computed has changed. */
interface Line {
  readonly label: string;
  readonly ids: number[];
}

const hourMs = 3_600_000;
const eventDecimals = 7;
const mostAnswerBytes = 64 * 1024 * 1024;

const linesSql = (condition: string) => `
  select series.id, series.unit, series.channel from series
  where series.experiment_uid = ?1 and series.source = ?2 and series.hidden = 0 ${condition}
  order by series.unit, series.channel`;

/** What is read; exported for the test that looks at the plans. */
export const lineSql = { ofExperiment: linesSql(''), ofUnit: linesSql('and series.unit = ?3') };

/**
 * Answers questions about readings, on a read-only connection of its own that sees all that was committed before the call.
 * Works synchronously: about a millisecond per line of a chart.
 */
export class SeriesReader {
  readonly #connection: DatabaseSync;
  readonly #linesOfExperiment: StatementSync;
  readonly #linesOfUnit: StatementSync;
  readonly #windows: WindowReader;
  readonly #events: EventReader;
  readonly #writer = new AnswerWriter();
  readonly #mostBytes: number;

  private constructor(connection: DatabaseSync, mostBytes: number) {
    this.#connection = connection;
    this.#linesOfExperiment = connection.prepare(lineSql.ofExperiment);
    this.#linesOfUnit = connection.prepare(lineSql.ofUnit);
    this.#windows = new WindowReader(connection);
    this.#events = new EventReader(connection);
    this.#mostBytes = mostBytes;
  }

  /** `path` is the leader's database, migrated by now. */
  static open(path: string, mostBytes = mostAnswerBytes): SeriesReader {
    const connection = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    // Roll-ups and the ends of series are few pages, and those of the operating system are near: 16 MB were no faster, nor was
    // mapping the file, which would count as memory of each thread.
    connection.exec('pragma cache_size = -4000');
    return new SeriesReader(connection, mostBytes);
  }

  close(): void {
    this.#connection.close();
  }

  answer(question: SeriesQuestion): ReadAnswer {
    this.#writer.begin();
    return question.event === undefined
      ? this.#answerFromSamples(question)
      : this.#answerFromEvents(question, question.event);
  }

  /** Events are few: all of the window are read, then reduced. */
  #answerFromEvents(question: SeriesQuestion, column: EventColumn): ReadAnswer {
    const { lookbackHours, nowMs, targetPoints } = question;
    const window = windowOf(question);
    let changesAtMs = this.#events.nextAfter(question, column, nowMs);
    const labels: string[] = [];
    for (const { label, points } of this.#events.lines(question, column, window)) {
      changesAtMs = Math.min(changesAtMs, (points.at[0] ?? 0) + lookbackHours * hourMs);
      labels.push(label);
      this.#writer.line(reducedPoints(points, targetPoints), eventDecimals);
    }
    return { bytes: this.#writer.answer(labels), targetPoints, changesAtMs };
  }

  #answerFromSamples(question: SeriesQuestion): ReadAnswer {
    const { lookbackHours, nowMs, source } = question;
    const window = windowOf(question);
    const lines = this.#lines(question);
    const targetPoints = this.#affordable(lines, window, question.targetPoints);
    const labels: string[] = [];
    let changesAtMs = Number.POSITIVE_INFINITY;
    for (const { label, ids } of lines) {
      changesAtMs = Math.min(changesAtMs, this.#windows.nextAfter(ids, nowMs));
      const points = this.#points(ids, window, targetPoints);
      const [firstAt] = points.at;
      if (firstAt === undefined) continue;
      changesAtMs = Math.min(changesAtMs, firstAt + lookbackHours * hourMs);
      labels.push(label);
      this.#writer.line(points, sourceFormat(source).decimals);
    }
    return { bytes: this.#writer.answer(labels), targetPoints, changesAtMs };
  }

  #points(ids: readonly number[], window: Window, target: number): Points {
    return this.#windows.exceeds(ids, window, target)
      ? this.#windows.reduced(ids, window, target)
      : this.#windows.all(ids, window);
  }

  /** `target`, or so much less that the answer stays within its limit whatever the numbers are. */
  #affordable(lines: readonly Line[], window: Window, target: number): number {
    const mostPoints = Math.floor((this.#mostBytes - bytesOfFrame(lines)) / mostBytesPerPoint);
    if (lines.length * target <= mostPoints) return target;
    let total = 0;
    for (const { ids } of lines) total += this.#windows.count(ids, window, target);
    return total <= mostPoints ? target : Math.max(1, Math.floor(mostPoints / lines.length));
  }

  #lines({ experimentUid, unit, source, channel }: SeriesQuestion): Line[] {
    const rows =
      unit === undefined
        ? this.#linesOfExperiment.all(experimentUid, source)
        : this.#linesOfUnit.all(experimentUid, source, unit);
    const { byChannel } = sourceFormat(source);
    const lines: Line[] = [];
    for (const row of rows) {
      if (channel !== undefined && row.channel !== channel) continue;
      const label = byChannel && row.channel !== null ? `${row.unit}-${row.channel}` : `${row.unit}`;
      const previous = lines.at(-1);
      if (previous?.label === label) previous.ids.push(Number(row.id));
      else lines.push({ label, ids: [Number(row.id)] });
    }
    return lines;
  }
}

const windowOf = ({ nowMs, lookbackHours }: SeriesQuestion): Window => ({
  after: Math.max(-1, Math.floor(nowMs - lookbackHours * hourMs)),
  upTo: nowMs,
});

/** Everything of the answer but its points. */
const bytesOfFrame = (lines: readonly Line[]): number =>
  lines.reduce((sum, { label }) => sum + Buffer.byteLength(label) + 8, 64);
