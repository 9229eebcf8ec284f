import type { TimelineEntry } from '@lcs/contract';
import { expect, it } from 'vitest';
import { chartEvents, withNewEntries } from './chart-events.ts';

const entry = (more: Partial<TimelineEntry>): TimelineEntry => ({
  entry_id: 'x',
  kind: 'dose',
  at: '2026-05-02T09:00:00.000Z',
  since: null,
  until: null,
  reactor_unit: 'unit1',
  text: 'Dose',
  why: null,
  by: null,
  volumes_ml: null,
  refused: false,
  automation: null,
  note: null,
  alarm_id: null,
  severity: null,
  run_id: null,
  stops: null,
  ...more,
});
const at = Date.parse('2026-05-02T09:00:00.000Z');

it('charts show moments, and interruptions and past alarms for as long as they lasted', () => {
  const since = '2026-05-02T08:00:00.000Z';
  const until = '2026-05-02T10:00:00.000Z';
  const { marks } = chartEvents(
    [entry({}), entry({ kind: 'interruption', since }), entry({ kind: 'alarm', until }), entry({ kind: 'alarm' })],
    [],
  );
  expect(marks.map(({ atMs, untilMs }) => [atMs, untilMs])).toEqual([
    [at, null],
    [Date.parse(since), at],
    [at, Date.parse(until)],
    [at, null],
  ]);
});

it('a target is on the charts of its signal while it was in force', () => {
  const setting = (settings: Record<string, unknown>, until: string | null = null) =>
    entry({ kind: 'setting', until, automation: { kind: 'dosing', name: 'turbidostat', settings } });
  const { targetsOf } = chartEvents(
    [],
    [
      setting({ target_biomass: 0.5, biomass_signal: 'od', exchange_volume_ml: 1 }, '2026-05-02T10:00:00.000Z'),
      setting({ target_biomass: 2, biomass_signal: 'normalized_od' }),
      setting({ target_temperature: 37 }),
      setting({ target_biomass: 2, biomass_signal: '__proto__' }),
    ],
  );
  expect(targetsOf('od_readings')).toEqual([
    { unit: 'unit1', fromMs: at, toMs: Date.parse('2026-05-02T10:00:00.000Z'), value: 0.5 },
  ]);
  expect(targetsOf('od_readings_filtered').map(({ value, toMs }) => [value, toMs])).toEqual([[2, null]]);
  expect(targetsOf('temperature_readings').map(({ value }) => value)).toEqual([37]);
  expect(targetsOf('raw_od_readings')).toEqual([]);
});

it('what is new replaces what was requested again, and a removed note disappears', () => {
  const moment = (minutes: number): string => new Date(at + minutes * 60_000).toISOString();
  const known = [
    entry({ entry_id: 'c', at: moment(3) }),
    entry({ entry_id: 'b', at: moment(2) }),
    entry({ entry_id: 'a' }),
  ];
  const requested = [entry({ entry_id: 'd', at: moment(4) }), entry({ entry_id: 'c', at: moment(3), text: 'more' })];
  const idsSince = (ms: number) => withNewEntries(known, requested, ms).map(({ entry_id }) => entry_id);
  expect(idsSince(0)).toEqual(['d', 'c', 'b', 'a']);
  expect(idsSince(at + 1)).toEqual(['d', 'c', 'b']);
  expect(
    withNewEntries(known, [requested[0] ?? entry({}), entry({ entry_id: 'a2', at: moment(1.5) })], 0),
  ).toHaveLength(3);
  expect(withNewEntries(known, [], 0)).toEqual(known);
});
