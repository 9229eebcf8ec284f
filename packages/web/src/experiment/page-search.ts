import { isLookback, type Lookback } from '../charts/lookback.ts';
import type { TimeDisplay } from '../charts/time-ticks.ts';
import { type UnitsView, unitsViewOf } from '../units/units-view.ts';

/** The parts of an experiment's page; a phone shows one at a time. */
const pageParts = ['charts', 'units', 'timeline', 'log', 'about'] as const;
export type PagePart = (typeof pageParts)[number];

/** The search part of the address of an experiment's page; a missing part has its default. */
export interface PageSearch {
  readonly window?: Lookback;
  readonly time?: TimeDisplay;
  readonly part?: PagePart;
  readonly units?: UnitsView;
}

const isPart = (value: unknown): value is PagePart => pageParts.some((part) => part === value);

/** Parses the search part of an address, which a person may have typed; unknown parts are left out. */
export function readPageSearch(raw: Record<string, unknown>): PageSearch {
  const { window, time, part } = raw;
  const units = unitsViewOf(raw.units);
  return {
    ...(isLookback(window) ? { window } : {}),
    ...(time === 'clock' || time === 'elapsed' ? { time } : {}),
    ...(isPart(part) ? { part } : {}),
    ...(units === undefined ? {} : { units }),
  };
}
