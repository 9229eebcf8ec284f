import { type ChartSearch, type ChartSearchChange, readChartSearch } from '../charts/chart-search.ts';
import { type UnitsView, unitsViewOf } from '../units/units-view.ts';

/** The parts of an experiment's page; a phone shows one at a time. */
const pageParts = ['charts', 'units', 'timeline', 'log', 'about'] as const;
export type PagePart = (typeof pageParts)[number];

interface OtherSearch {
  readonly part?: PagePart;
  readonly units?: UnitsView;
}

/** The search part of the address of an experiment's page; a missing part has its default. */
export interface PageSearch extends ChartSearch, OtherSearch {}

/** A change of the address: an absent value of a chart's part removes it. */
export type PageSearchChange = ChartSearchChange & OtherSearch;

const isPart = (value: unknown): value is PagePart => pageParts.some((part) => part === value);

/** Parses the search part of an address, which a person may have typed; unknown parts are left out. */
export function readPageSearch(raw: Readonly<Record<string, unknown>>): PageSearch {
  const { part } = raw;
  const units = unitsViewOf(raw.units);
  return {
    ...readChartSearch(raw),
    ...(isPart(part) ? { part } : {}),
    ...(units === undefined ? {} : { units }),
  };
}
