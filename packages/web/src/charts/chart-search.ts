import { isLookback, type Lookback } from './lookback.ts';
import type { TimeRange } from './time-range.ts';
import type { TimeDisplay } from './time-ticks.ts';
import type { YChoice } from './y-choice.ts';

/** Whether each chart shows all units on one drawing, a small drawing for each unit, or the means of replicate groups. */
export type Arrangement = 'overlaid' | 'units' | 'groups';

/** The view of the charts in the address, so that a link shows the same view; a missing part has its default. */
export interface ChartSearch {
  readonly window?: Lookback;
  readonly time?: TimeDisplay;
  /** The zoomed window, RFC 3339; only together. */
  readonly from?: string;
  readonly to?: string;
  /** Keys of charts with a logarithmic axis, separated by commas. */
  readonly log?: string;
  /** Ranges of values, separated by commas: `chart:all` or `chart:0.1..0.4`. */
  readonly y?: string;
  /** Units that are hidden, separated by commas. */
  readonly hidden?: string;
  /** Absent: overlaid. */
  readonly arrange?: Exclude<Arrangement, 'overlaid'>;
}

/** How the values of charts are shown, by the keys of the charts. */
export interface AxisChoices {
  readonly logarithmic: ReadonlySet<string>;
  readonly y: ReadonlyMap<string, YChoice>;
}

const mostTextLength = 4000;

/** A part of an address as text: a name of digits arrives as a number. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= mostTextLength ? text : undefined;
}

const momentText = (ms: number): string => new Date(ms).toISOString();
const momentOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);

function zoomOf(from: unknown, to: unknown): TimeRange | null {
  const [fromMs, toMs] = [momentOf(from), momentOf(to)];
  return fromMs < toMs ? { fromMs, toMs } : null;
}

const rangeForm = /^(-?[\d.]+(?:e[+-]?\d+)?)\.\.(-?[\d.]+(?:e[+-]?\d+)?)$/i;

/** `all` or `low..high`; `undefined`: it is neither. */
function yChoiceOf(text: string): YChoice | undefined {
  if (text === 'all') return 'all';
  const [, low, high] = rangeForm.exec(text) ?? [];
  const range = [Number(low), Number(high)] as const;
  return range[0] < range[1] && range.every(Number.isFinite) ? range : undefined;
}

function yChoices(text: string | undefined): ReadonlyMap<string, YChoice> {
  const choices = new Map<string, YChoice>();
  for (const part of text?.split(',') ?? []) {
    const colon = part.lastIndexOf(':');
    const choice = yChoiceOf(part.slice(colon + 1));
    if (colon > 0 && choice !== undefined) choices.set(part.slice(0, colon), choice);
  }
  return choices;
}

const yText = (choices: ReadonlyMap<string, YChoice>): string =>
  [...choices]
    .flatMap(([key, choice]) =>
      choice === 'auto' ? [] : [`${key}:${choice === 'all' ? choice : `${choice[0]}..${choice[1]}`}`],
    )
    .join(',');

const setOf = (text: string | undefined): ReadonlySet<string> =>
  new Set(text?.split(',').filter((part) => part !== ''));

/** Reads the part of an address that concerns charts; a person may have typed it: what means nothing is left out. */
export function readChartSearch(raw: Readonly<Record<string, unknown>>): ChartSearch {
  const zoom = zoomOf(raw.from, raw.to);
  const [log, hidden] = [textOf(raw.log), textOf(raw.hidden)];
  const y = yText(yChoices(textOf(raw.y)));
  return {
    ...(isLookback(raw.window) ? { window: raw.window } : {}),
    ...(raw.time === 'clock' || raw.time === 'elapsed' ? { time: raw.time } : {}),
    ...(zoom && { from: momentText(zoom.fromMs), to: momentText(zoom.toMs) }),
    ...(log === undefined ? {} : { log }),
    ...(y === '' ? {} : { y }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(raw.arrange === 'units' || raw.arrange === 'groups' ? { arrange: raw.arrange } : {}),
  };
}

/** A change of the address: an absent value removes a part. */
export type ChartSearchChange = { readonly [Part in keyof ChartSearch]: ChartSearch[Part] | undefined };

/** What becomes of the present address, which the page may not show yet. */
export type ChartSearchUpdate = ChartSearchChange | ((before: ChartSearch) => ChartSearchChange);

export const zoomSearch = (zoom: TimeRange | null): ChartSearchChange => ({
  from: zoom === null ? undefined : momentText(zoom.fromMs),
  to: zoom === null ? undefined : momentText(zoom.toMs),
});

export const zoomOfSearch = ({ from, to }: ChartSearch): TimeRange | null => zoomOf(from, to);

export const hiddenOfSearch = ({ hidden }: ChartSearch): ReadonlySet<string> => setOf(hidden);

const joined = (names: Iterable<string>): string | undefined => [...names].join(',') || undefined;

export const hiddenSearch = (units: ReadonlySet<string>): ChartSearchChange => ({ hidden: joined(units) });

export const axesOfSearch = ({ log, y }: ChartSearch): AxisChoices => ({ logarithmic: setOf(log), y: yChoices(y) });

/** The address with another choice for the axis of one chart. */
export function axisSearch(
  { logarithmic, y }: AxisChoices,
  key: string,
  choice: { readonly isLogarithmic: boolean; readonly y: YChoice },
): ChartSearchChange {
  const logs = [...logarithmic].filter((each) => each !== key);
  return {
    log: joined(choice.isLogarithmic ? [...logs, key] : logs),
    y: yText(new Map([...y, [key, choice.y]])) || undefined,
  };
}
