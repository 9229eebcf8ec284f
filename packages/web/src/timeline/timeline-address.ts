import type { TimelineEntry } from '@lcs/contract';
import { momentOf } from '../time/moment-in-address.ts';
import { unitOfPumpEntry } from '../ui/pump-entry.ts';

/** The filters of the timeline in the address, so that a link shows the same entries; a missing part does not filter. */
export interface TimelineSearch {
  /** Kinds, separated by commas; `none`: no kind. */
  readonly kinds?: string | undefined;
  /** The unit that entries are about. */
  readonly about?: string | undefined;
  /** Person. */
  readonly by?: string | undefined;
  /** RFC 3339. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

const longestName = 200;

/** A name of digits arrives as a number. */
function nameOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= longestName ? text : undefined;
}

/** Reads the filters of an address, which a person may have typed; what means nothing is left out. The router loads this with the first page. */
export function readTimelineSearch(raw: Readonly<Record<string, unknown>>): TimelineSearch {
  const [kinds, about, by] = [nameOf(raw.kinds), nameOf(raw.about), nameOf(raw.by)];
  const [since, until] = [momentOf(raw.since), momentOf(raw.until)];
  return {
    ...(kinds === undefined ? {} : { kinds }),
    ...(about === undefined ? {} : { about }),
    ...(by === undefined ? {} : { by }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** The address without filters. */
export const noFilters: TimelineSearch = {
  kinds: undefined,
  about: undefined,
  by: undefined,
  since: undefined,
  until: undefined,
};

/** The entry that was opened: by its name, or the newest dose of a unit that began by that moment; undefined: it is not there. */
export function openedEntry(
  entries: readonly Pick<TimelineEntry, 'entry_id' | 'kind' | 'reactor_unit' | 'at'>[],
  { entryId, atMs }: { readonly entryId: string; readonly atMs: number },
): string | undefined {
  const unit = unitOfPumpEntry(entryId);
  if (unit === undefined) return entryId;
  const doses = entries.filter(
    ({ kind, reactor_unit, at }) => kind === 'dose' && reactor_unit === unit && Date.parse(at) <= atMs,
  );
  return doses.sort((one, other) => Date.parse(other.at) - Date.parse(one.at))[0]?.entry_id;
}
