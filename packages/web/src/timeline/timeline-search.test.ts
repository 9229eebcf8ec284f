import { timelineKinds } from '@lcs/contract';
import { expect, it } from 'vitest';
import { noFilters, readTimelineSearch } from './timeline-address.ts';
import { areFiltered, changedKinds, filterSearch, filtersOfSearch } from './timeline-search.ts';

const since = '2026-05-02T09:00:00.000Z';

it('an address has each filter, and what it does not name does not filter', () => {
  const filters = { kinds: ['dose', 'note'], unit: '7', by: 'ada', sinceMs: Date.parse(since), untilMs: null } as const;
  const search = filterSearch(filters);
  expect(search).toEqual({ kinds: 'dose,note', about: '7', by: 'ada', since, until: undefined });
  // A name of digits arrives as a number.
  expect(filtersOfSearch(readTimelineSearch({ ...search, about: 7 }))).toEqual(filters);
  const none = filtersOfSearch(readTimelineSearch({ ...noFilters }));
  expect([none.kinds, areFiltered(none), areFiltered(filters)]).toEqual([timelineKinds, false, true]);
});

it('no kind is another choice than all kinds', () => {
  expect(filtersOfSearch(readTimelineSearch({ ...filterSearch({ kinds: [] }) })).kinds).toEqual([]);
  expect(filterSearch({ kinds: timelineKinds })).toEqual({ kinds: undefined });
  expect(filtersOfSearch({ kinds: 'cat' }).kinds).toEqual(timelineKinds);
});

it.each([{ since: 'noon' }, { until: '+275760-09-13T00:00:00.000Z' }, { about: '' }, { by: {} }])(
  'what a person has typed and means nothing is left out: %j',
  (typed) => {
    expect(readTimelineSearch(typed)).toEqual({});
  },
);

it('a change of the shown kinds leaves what was changed since they were shown', () => {
  const withoutAlarms = timelineKinds.filter((kind) => kind !== 'alarm');
  expect(changedKinds(withoutAlarms, timelineKinds, ['dose'])).toEqual(['dose']);
  const withoutNotes = timelineKinds.filter((kind) => kind !== 'note');
  expect(changedKinds(withoutAlarms, timelineKinds, withoutNotes)).toEqual(
    timelineKinds.filter((kind) => kind !== 'alarm' && kind !== 'note'),
  );
  expect(changedKinds(withoutNotes, withoutNotes, timelineKinds)).toEqual(timelineKinds);
});
