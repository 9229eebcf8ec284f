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
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2, 3, 6, 12, 24, 48, 120, 240, 480, 1200, 2400, 4800, 12_000],
].map((count) => count * hourMs);

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

/** Round moments between two moments. */
export function timeTicks({ fromMs, toMs, most, display, originMs, offsetMinutesAt }: TickRequest): readonly number[] {
  const list = display === 'clock' ? clockSteps : elapsedSteps;
  const rough = (toMs - fromMs) / Math.max(1, most);
  const step = list.find((each) => each >= rough) ?? list.at(-1) ?? dayMs;
  const zero = display === 'elapsed' ? originMs : -offsetMinutesAt(fromMs) * minuteMs;
  return roundTicks(fromMs, toMs, step, zero);
}

/** Labels of clock ticks: the day stands below the first one and wherever it changes. */
function clockLabels(ticks: readonly number[], presentYear: number): readonly string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  if (step >= dayMs) {
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

/** Hours with as many digits as their step needs: `12`, `12.5`, `12.25`. */
function elapsedLabels(ticks: readonly number[], originMs: number): readonly string[] {
  const step = Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0));
  const digits = step >= 0.01 * hourMs ? 2 : 3;
  return ticks.map((tick) => `${roundText((tick - originMs) / hourMs, digits)} h`);
}

export const timeLabels = (
  ticks: readonly number[],
  { display, originMs, presentYear }: MomentForm,
): readonly string[] => (display === 'clock' ? clockLabels(ticks, presentYear) : elapsedLabels(ticks, originMs));

/** A time as the value line of a chart shows it. */
export const momentLabel = (ms: number, { display, originMs, presentYear }: MomentForm): string =>
  display === 'clock' ? secondOfAnyYearText(ms, presentYear) : `${fixedText((ms - originMs) / hourMs, 2)} h`;
