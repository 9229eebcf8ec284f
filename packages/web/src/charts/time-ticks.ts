import { dayMs, hourMs, minuteMs } from '@lcs/contract';
import { clockText, dayOfYearText, dayText, secondOfAnyYearText, secondText } from '../time/moment-text.ts';
import { fixedText, roundText } from '../ui/number-text.ts';

/** How moments are written on a chart: time of the day, or hours since the experiment began. */
export type TimeDisplay = 'clock' | 'elapsed';

/** What labels of moments depend on. */
export interface MomentForm {
  readonly display: TimeDisplay;
  /** When the experiment began. */
  readonly originMs: number;
  /** Days of other years are shown with their year. */
  readonly presentYear: number;
}

const second = 1000;

const clockSteps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minuteMs),
  ...[1, 2, 3, 6, 12].map((count) => count * hourMs),
  ...[1, 2, 5, 7, 14, 30, 60, 120, 365].map((count) => count * dayMs),
];
const elapsedSteps = [
  ...clockSteps.filter((step) => step < hourMs),
  ...[1, 2, 3, 6, 12, 24, 48, 120, 240, 480, 1200, 2400, 4800, 12_000].map((count) => count * hourMs),
];

export interface TickRequest {
  readonly fromMs: number;
  readonly toMs: number;
  /** How many labels fit. */
  readonly most: number;
  readonly display: TimeDisplay;
  /** When the experiment began. */
  readonly originMs: number;
  /** Minutes that local time is ahead of UTC at a moment. */
  readonly offsetMinutesAt: (ms: number) => number;
}

const roundTicks = (fromMs: number, toMs: number, step: number, zero: number): readonly number[] => {
  const first = Math.ceil((fromMs - zero) / step);
  const last = Math.floor((toMs - zero) / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => zero + (first + index) * step);
};

/** No zone changes its clocks for less than a week. */
const weekMs = 7 * dayMs;

/** The offsets of local time within a window: two where the clocks change. */
function offsetsIn({ fromMs, toMs, offsetMinutesAt }: TickRequest): readonly number[] {
  const weeks = Math.ceil(Math.max(0, toMs - fromMs) / weekMs);
  const moments = [...Array.from({ length: weeks }, (_, week) => fromMs + week * weekMs), toMs];
  return [...new Set(moments.map(offsetMinutesAt))];
}

/** Ticks that are closer than this share of a step, where an hour came twice, would be on each other. */
const leastShare = 0.6;

/** Round local times, each by the offset of its own moment. */
function clockTicks(request: TickRequest, step: number): readonly number[] {
  const { fromMs, toMs, offsetMinutesAt } = request;
  const ticks = offsetsIn(request)
    .flatMap((offset) =>
      roundTicks(fromMs, toMs, step, -offset * minuteMs).filter((tick) => offsetMinutesAt(tick) === offset),
    )
    .sort((one, other) => one - other);
  return ticks.filter((tick, at) => tick - (ticks[at - 1] ?? Number.NEGATIVE_INFINITY) > leastShare * step);
}

/** Round moments between two moments. */
export function timeTicks(request: TickRequest): readonly number[] {
  const { fromMs, toMs, most, display, originMs } = request;
  const list = display === 'clock' ? clockSteps : elapsedSteps;
  const rough = (toMs - fromMs) / Math.max(1, most);
  const step = list.find((each) => each >= rough) ?? list.at(-1) ?? dayMs;
  return display === 'clock' ? clockTicks(request, step) : roundTicks(fromMs, toMs, step, originMs);
}

/** The distance of ticks; a day with a change of the clocks is an hour shorter or longer. */
const stepOf = (ticks: readonly number[]): number =>
  Math.max(0, ...ticks.slice(1).map((tick, at) => tick - (ticks[at] ?? 0)));

const shortestDayMs = 23 * hourMs;

/** Labels of clock ticks: the day stands below the first one and wherever it changes. */
function clockLabels(ticks: readonly number[], presentYear: number): readonly string[] {
  const step = stepOf(ticks);
  if (step >= shortestDayMs) {
    let shownYear = presentYear;
    return ticks.map((tick) => {
      const year = new Date(tick).getFullYear();
      const label = year === shownYear ? dayOfYearText(tick) : `${dayOfYearText(tick)}\n${year}`;
      shownYear = year;
      return label;
    });
  }
  const timeText = step < minuteMs ? secondText : clockText;
  let shownDay = '';
  return ticks.map((tick) => {
    const dayOfTick = new Date(tick).getFullYear() === presentYear ? dayOfYearText(tick) : dayText(tick);
    const label = dayOfTick === shownDay ? timeText(tick) : `${timeText(tick)}\n${dayOfTick}`;
    shownDay = dayOfTick;
    return label;
  });
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Up to here an elapsed time is in seconds, then in minutes: `90 s`, `90 min`, `30 h`. */
const mostSecondsMs = 5 * minuteMs;
const mostMinutesMs = 2 * hourMs;

/** Elapsed time in the largest unit that the ticks of a window need, and divided further where their step is smaller: `30:15 h`. */
function elapsedLabels(ticks: readonly number[], originMs: number): readonly string[] {
  const step = stepOf(ticks);
  const largest = Math.max(0, ...ticks.map((tick) => Math.abs(tick - originMs)));
  const textOf = (ms: number): string => {
    const [hours, minutes, seconds] = [Math.floor(ms / hourMs), Math.floor(ms / minuteMs), Math.round(ms / second)];
    if (step >= hourMs) return `${roundText(ms / hourMs, 2)} h`;
    if (step >= minuteMs) return largest <= mostMinutesMs ? `${minutes} min` : `${hours}:${two(minutes % 60)} h`;
    if (largest <= mostSecondsMs) return `${seconds} s`;
    if (largest <= mostMinutesMs) return `${minutes}:${two(seconds % 60)} min`;
    return `${hours}:${two(minutes % 60)}:${two(seconds % 60)} h`;
  };
  return ticks.map((tick) => signed(tick - originMs, textOf));
}

const signed = (ms: number, textOf: (ms: number) => string): string => `${ms < 0 ? '−' : ''}${textOf(Math.abs(ms))}`;

/** An elapsed time to the second while it is short, then in hours. */
function elapsedText(ms: number): string {
  const seconds = Math.round(ms / second);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${fixedText(ms / hourMs, 2)} h`;
}

export const timeLabels = (
  ticks: readonly number[],
  { display, originMs, presentYear }: MomentForm,
): readonly string[] => (display === 'clock' ? clockLabels(ticks, presentYear) : elapsedLabels(ticks, originMs));

/** A time as the value line of a chart shows it. */
export const momentLabel = (ms: number, { display, originMs, presentYear }: MomentForm): string =>
  display === 'clock' ? secondOfAnyYearText(ms, presentYear) : signed(ms - originMs, elapsedText);
