import { expect, it } from 'vitest';
import { alarmTabOf, alarmTabs } from './alarms-search.ts';

it('knows its pages, and one by its name of an earlier version', () => {
  expect(alarmTabs.map(alarmTabOf)).toEqual([...alarmTabs]);
  expect([alarmTabOf('channels'), alarmTabOf('x'), alarmTabOf(undefined)]).toEqual([
    'notifications',
    undefined,
    undefined,
  ]);
});
