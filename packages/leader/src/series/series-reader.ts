import { hourMs } from '@lcs/contract/durations';
import type { EventColumn } from '@lcs/domain';
import { readingSource } from '@lcs/domain/readings';
import { openSqlReader, type SqlReader, type SqlStatement, type StorePlace } from '@lcs/platform/sql-reader';
import type { KeepableAnswer } from './answer-cache.ts';
import { EventReader } from './event-reader.ts';
import { type Points, reducedPoints } from './extremes.ts';
import { AnswerWriter, maxBytesPerPoint } from './points-text.ts';
import { type Window, WindowReader } from './window-reader.ts';

export interface SeriesQuestion {
  readonly experimentUid: string;
  /** Only this unit's readings. */
  readonly unit?: string;
  /** A source of docs/interfaces/store.md#sources-of-series. */
  readonly source: string;
  /** Only this channel's readings, for a source with one series per channel. */
  readonly channel?: string;
  /** Digits after the point; absent: those of the catalogue of readings. */
  readonly decimals?: number;
  /** Instead of readings: a number in the data of events. */
  readonly event?: EventColumn;
  /** Any number from 0 on; 0 gives no series. */
  readonly lookbackHours: number;
  /** 1 to 1,000,000. */
  readonly targetPoints: number;
  readonly nowMs: number;
}

export interface ReadAnswer extends KeepableAnswer {
  /** `{"series":[label…],"data":[[{x,y}…]…]}` as JSON in UTF-8; a series without a reading in the window is absent. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The requested number, or less where the response would exceed its limit. */
  readonly targetPoints: number;
}

/** One line of the chart: usually one series; more when its angle or its derivation has changed. */
interface Line {
  readonly label: string;
  readonly ids: number[];
}

/** Some lines of a response, read separately. */
export interface LinesQuestion {
  readonly decimals: number;
  readonly window: Window;
  readonly targetPoints: number;
  readonly lines: readonly Line[];
}

/** Plan of a large response, which is read part by part. */
export interface ReadPlan extends KeepableAnswer {
  readonly targetPoints: number;
  readonly labels: readonly string[];
  readonly parts: readonly LinesQuestion[];
}

const eventDecimals = 7;
const mostAnswerBytes = 64 * 1024 * 1024;
/** Some 3 MB of text. */
const pointsInPart = 60_000;

const linesSql = (condition: string) => `
  select series.id, series.unit, series.channel from series
  where series.experiment_uid = ?1 and series.source = ?2 and series.hidden = 0 ${condition}
  order by series.unit, series.channel nulls first`;

/** The queries; exported for the test of their plans. */
export const lineSql = { ofExperiment: linesSql(''), ofUnit: linesSql('and series.unit = ?3') };

/**
 * Reads time series on its own read-only connection, which includes all data committed before the call.
 * Works synchronously: about a millisecond per line of a chart.
 */
export class SeriesReader {
  readonly #connection: SqlReader;
  readonly #linesOfExperiment: SqlStatement;
  readonly #linesOfUnit: SqlStatement;
  readonly #windows: WindowReader;
  readonly #events: EventReader;
  readonly #writer = new AnswerWriter();
  readonly #mostBytes: number;

  private constructor(connection: SqlReader, mostBytes: number) {
    this.#connection = connection;
    this.#linesOfExperiment = connection.prepare(lineSql.ofExperiment);
    this.#linesOfUnit = connection.prepare(lineSql.ofUnit);
    this.#windows = new WindowReader(connection);
    this.#events = new EventReader(connection);
    this.#mostBytes = mostBytes;
  }

  /** `place` has the leader's database, already migrated. */
  static open(place: StorePlace, mostBytes = mostAnswerBytes): SeriesReader {
    // Roll-ups and the ends of series are few pages, and the operating system caches them: 16 MB were not faster, nor was mapping the
    // file, which would count as memory of each thread.
    return new SeriesReader(openSqlReader(place, { timeoutMs: 5_000, cacheKib: 4_000 }), mostBytes);
  }

  close(): void {
    this.#windows.close();
    this.#connection.close();
  }

  /** The whole response. */
  answer(question: SeriesQuestion): ReadAnswer {
    this.#begin();
    if (question.event !== undefined) return this.#answerFromEvents(question, question.event);
    return this.#answerFromSamples(question, this.#layOut(question));
  }

  /** The whole response, or a plan of its parts when it may have more than `maxPoints`. */
  answerOrPlan(question: SeriesQuestion, maxPoints: number): ReadAnswer | ReadPlan {
    this.#begin();
    if (question.event !== undefined) return this.#answerFromEvents(question, question.event);
    const layout = this.#layOut(question);
    return layout.maxPoints <= maxPoints ? this.#answerFromSamples(question, layout) : this.#plan(question, layout);
  }

  /** Lines of a response with commas between them. A line with deleted readings is empty. */
  lines({ decimals, window, targetPoints, lines }: LinesQuestion): Uint8Array<ArrayBuffer> {
    this.#begin();
    for (const { ids } of lines) this.#writer.line(this.#points(ids, window, targetPoints), decimals);
    return this.#writer.lines();
  }

  #begin(): void {
    this.#writer.reset();
    this.#windows.refresh();
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

  #answerFromSamples(question: SeriesQuestion, { lines, window, targetPoints }: Layout): ReadAnswer {
    const { lookbackHours, nowMs } = question;
    const labels: string[] = [];
    let changesAtMs = Number.POSITIVE_INFINITY;
    for (const { label, ids } of lines) {
      changesAtMs = Math.min(changesAtMs, this.#windows.nextAfter(ids, nowMs));
      const points = this.#points(ids, window, targetPoints);
      const [firstAt] = points.at;
      if (firstAt === undefined) continue;
      changesAtMs = Math.min(changesAtMs, firstAt + lookbackHours * hourMs);
      labels.push(label);
      this.#writer.line(points, decimalsOf(question));
    }
    return { bytes: this.#writer.answer(labels), targetPoints, changesAtMs };
  }

  #plan(question: SeriesQuestion, { lines, window, targetPoints }: Layout): ReadPlan {
    const { nowMs, lookbackHours } = question;
    const decimals = decimalsOf(question);
    let changesAtMs = Number.POSITIVE_INFINITY;
    const filled: Line[] = [];
    for (const line of lines) {
      const firstAt = this.#windows.firstAt(line.ids, window);
      changesAtMs = Math.min(changesAtMs, this.#windows.nextAfter(line.ids, nowMs), firstAt + lookbackHours * hourMs);
      if (firstAt !== Number.POSITIVE_INFINITY) filled.push(line);
    }
    const linesInPart = Math.max(1, Math.floor(pointsInPart / targetPoints));
    const parts: LinesQuestion[] = [];
    for (let from = 0; from < filled.length; from += linesInPart)
      parts.push({ decimals, window, targetPoints, lines: filled.slice(from, from + linesInPart) });
    return { targetPoints, labels: filled.map(({ label }) => label), parts, changesAtMs };
  }

  #layOut(question: SeriesQuestion): Layout {
    const window = windowOf(question);
    const lines = this.#lines(question);
    const bounds = lines.map(({ ids }) => this.#windows.bounds(ids, window));
    const maxPoints = (target: number) => bounds.reduce((sum, { atMost }) => sum + Math.min(atMost, target), 0);
    const minPoints = (target: number) => bounds.reduce((sum, { atLeast }) => sum + Math.min(atLeast, target), 0);
    const limit = Math.floor((this.#mostBytes - bytesOfFrame(lines)) / maxBytesPerPoint);
    const asked = question.targetPoints;
    const isAffordable =
      maxPoints(asked) <= limit || (minPoints(asked) <= limit && this.#count(lines, window, asked) <= limit);
    // Otherwise reduced so that the response stays within its limit for any numbers.
    const targetPoints = isAffordable ? asked : Math.max(1, Math.floor(limit / lines.length));
    return { window, lines, targetPoints, maxPoints: maxPoints(targetPoints) };
  }

  #points(ids: readonly number[], window: Window, target: number): Points {
    return this.#windows.exceeds(ids, window, target)
      ? this.#windows.reduced(ids, window, target)
      : this.#windows.all(ids, window);
  }

  /** Points of all lines, at most `target` of each. */
  #count(lines: readonly Line[], window: Window, target: number): number {
    return lines.reduce((sum, { ids }) => sum + this.#windows.count(ids, window, target), 0);
  }

  #lines({ experimentUid, unit, source, channel }: SeriesQuestion): Line[] {
    const rows =
      unit === undefined
        ? this.#linesOfExperiment.all(experimentUid, source)
        : this.#linesOfUnit.all(experimentUid, source, unit);
    const { byChannel } = readingSource(source);
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

/** The lines and limits of a response. */
interface Layout {
  readonly window: Window;
  readonly lines: readonly Line[];
  /** The requested number, or less where the response would exceed its limit. */
  readonly targetPoints: number;
  /** The limit of its points. */
  readonly maxPoints: number;
}

const decimalsOf = ({ source, decimals }: Pick<SeriesQuestion, 'source' | 'decimals'>): number =>
  decimals ?? readingSource(source).decimals;

const windowOf = ({ nowMs, lookbackHours }: SeriesQuestion): Window => ({
  after: Math.max(-1, Math.floor(nowMs - lookbackHours * hourMs)),
  upTo: nowMs,
});

/** The whole response except its points. */
const bytesOfFrame = (lines: readonly Line[]): number =>
  lines.reduce((sum, { label }) => sum + Buffer.byteLength(label) + 8, 64);
