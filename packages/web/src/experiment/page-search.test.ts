import { expect, it } from 'vitest';
import { readPageSearch } from './page-search.ts';

it('an opened entry of the timeline is in the address with its moment, or not at all', () => {
  const opened = { entry: 'dose-7', at: '2026-05-02T09:00:00.000Z' };
  expect(readPageSearch({ ...opened, units: 'table' })).toEqual({ ...opened, units: 'table' });
  expect(readPageSearch({ entry: 'dose-7' })).toEqual({});
  for (const at of ['noon', '+275760-09-13T00:00:00.000Z', '1969-12-31T23:59:00.000Z'])
    expect(readPageSearch({ ...opened, at })).toEqual({});
});

it('the job that is started on all units is in the address', () => {
  expect(readPageSearch({ start: 'stirring' })).toEqual({ start: 'stirring' });
  expect(readPageSearch({ start: 3 })).toEqual({});
});

it('the time of the event log is in the address', () => {
  const logAt = '2026-05-02T09:14:00.000Z';
  expect(readPageSearch({ logAt })).toEqual({ logAt });
  for (const other of ['noon', '1969-12-31T23:59:00.000Z', '9999-12-31T23:59:00.000Z', '+275760-09-13T00:00:00.000Z'])
    expect(readPageSearch({ logAt: other })).toEqual({});
});
