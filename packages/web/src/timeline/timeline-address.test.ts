import { expect, it } from 'vitest';
import { entryOfPump } from '../ui/pump-entry.ts';
import { openedEntry } from './timeline-address.ts';

it('the dose of a run of a pump is the newest of its unit that had begun by then', () => {
  const dose = (entry_id: string, second: number, reactor_unit = 'rx1') => ({
    ...{ entry_id, kind: 'dose' as const, reactor_unit },
    at: `2026-05-02T09:14:${second}.000Z`,
  });
  const entries = [dose('later', 50), dose('other', 30, 'rx2'), dose('its', 20), dose('earlier', 10)];
  const atMs = Date.parse('2026-05-02T09:14:35.000Z');
  expect(openedEntry(entries, { entryId: entryOfPump('rx1'), atMs })).toBe('its');
  expect(openedEntry(entries, { entryId: entryOfPump('rx3'), atMs })).toBeUndefined();
  expect(openedEntry(entries, { entryId: 'later', atMs })).toBe('later');
});
