import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type PageSearch, type PageSearchChange, readPageSearch } from './page-search.ts';

const route = getRouteApi('/experiments/$experiment');

/** A change, or what becomes of the present address: two changes may follow each other before the page is drawn again. */
type PageSearchUpdate = PageSearchChange | ((before: PageSearch) => PageSearchChange);

/** The search part of the address, and a function that changes it without a new entry in the history. */
export function usePageSearch(): readonly [PageSearch, (update: PageSearchUpdate) => void] {
  const search = route.useSearch();
  // Not of the route: `.` would mean its first tab.
  const navigate = useNavigate();
  const change = (update: PageSearchUpdate): void => {
    void navigate({
      to: '.',
      search: (before: object) =>
        readPageSearch({
          ...before,
          ...(typeof update === 'function' ? update(readPageSearch({ ...before })) : update),
        }),
      replace: true,
      resetScroll: false,
    });
  };
  return [search, change];
}
