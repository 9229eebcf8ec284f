import { type ChartSearch, type ChartSearchChange, readChartSearch } from '../charts/chart-search.ts';
import { momentOf } from '../time/moment-in-address.ts';
import { readTimelineSearch, type TimelineSearch } from '../timeline/timeline-address.ts';
import { type UnitsView, unitsViewOf } from '../units/units-view.ts';
import { type ExperimentTab, tabOfPart } from './experiment-tabs.ts';

interface OtherSearch extends TimelineSearch {
  readonly units?: UnitsView;
  /** The entry of the timeline that a mark of a chart has opened, and its moment (RFC 3339); only together. */
  readonly entry?: string | undefined;
  readonly at?: string | undefined;
  /** The job whose form for all units is open. */
  readonly start?: string | undefined;
  /** The minute up to which the event log is shown, RFC 3339. */
  readonly logAt?: string | undefined;
}

/** The search part of the address of an experiment's pages, which its tabs share; a missing part has its default. */
export interface PageSearch extends ChartSearch, OtherSearch {}

/** A change of the address: an absent value of a chart's part removes it. */
export type PageSearchChange = ChartSearchChange & OtherSearch;

/** Parses the search part of an address, which a person may have typed; unknown parts are left out. */
export function readPageSearch(raw: Readonly<Record<string, unknown>>): PageSearch {
  const units = unitsViewOf(raw.units);
  const { entry, start } = raw;
  const [at, logAt] = [momentOf(raw.at), momentOf(raw.logAt)];
  return {
    ...readChartSearch(raw),
    ...readTimelineSearch(raw),
    ...(units === undefined ? {} : { units }),
    ...(typeof entry === 'string' && at !== undefined ? { entry, at } : {}),
    ...(typeof start === 'string' && start !== '' ? { start } : {}),
    ...(logAt === undefined ? {} : { logAt }),
  };
}

/** The part of the page that an address of an earlier version means, when the page had no tabs. */
export const readFormerPart = ({ part }: Readonly<Record<string, unknown>>): { readonly tab?: ExperimentTab } => {
  const tab = tabOfPart(part);
  return tab === undefined ? {} : { tab };
};
