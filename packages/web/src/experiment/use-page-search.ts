import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type PageSearch, type PageSearchChange, readPageSearch } from './page-search.ts';

const route = getRouteApi('/experiments/$experiment');

/** The search part of the address, and a function that changes it without a new entry in the history. */
export function usePageSearch(): readonly [PageSearch, (change: PageSearchChange) => void] {
  const search = route.useSearch();
  // Not of the route: `.` would mean its first tab.
  const navigate = useNavigate();
  const change = (changes: PageSearchChange): void => {
    void navigate({
      to: '.',
      // Of the present address: two changes may follow each other before the page is drawn again.
      search: (before: object) => readPageSearch({ ...before, ...changes }),
      replace: true,
      resetScroll: false,
    });
  };
  return [search, change];
}
