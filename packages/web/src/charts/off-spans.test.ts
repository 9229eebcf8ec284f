import type { Interruption } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { offLabel, offSpans, shownBreaks } from './off-spans.ts';
import { readingsAt } from './plot-reading.ts';

const minute = 60_000;
const at = (minutes: number): string => new Date(minutes * minute).toISOString();
const row = (reactor_unit: string, kind: Interruption['kind'], from: number | null, to: number): Interruption => ({
  reactor_unit,
  kind,
  from: from === null ? null : at(from),
  to: at(to),
  clock_unset: false,
  jobs: null,
  reason: null,
  records: null,
  dropped: null,
  message: '',
});

const rows = [
  row('rx01', 'unit_stopped', 40, 50),
  row('rx01', 'records_lost', 30, 35),
  row('rx01', 'unit_off', 10, 20),
  row('rx02', 'unit_off', null, 20),
  // Its clock was set back.
  row('rx02', 'unit_off', 30, 20),
];

describe('when a unit was off', () => {
  it('is a span if its beginning is known; missing records are none', () => {
    expect([...offSpans(rows)]).toEqual([
      [
        'rx01',
        [
          { fromMs: 40 * minute, toMs: 50 * minute, isCut: false },
          { fromMs: 10 * minute, toMs: 20 * minute, isCut: true },
        ],
      ],
    ]);
  });

  it('is in the legend of the shown window, with its cause', () => {
    const off = offSpans(rows).get('rx01') ?? [];
    const units = [
      { name: 'Ada', off },
      { name: 'Ada', off },
      { name: 'rx02', off: [] },
    ];
    expect(shownBreaks(units, { fromMs: 0, toMs: 60 * minute })).toEqual([
      { isCut: true, units: ['Ada'] },
      { isCut: false, units: ['Ada'] },
    ]);
    expect(shownBreaks(units, { fromMs: 15 * minute, toMs: 17 * minute })).toEqual([{ isCut: true, units: ['Ada'] }]);
    expect(shownBreaks(units, { fromMs: 21 * minute, toMs: 39 * minute })).toEqual([]);
  });

  it('is shown at the pointer, after the values of other units', () => {
    const off = offSpans(rows).get('rx01') ?? [];
    expect([9, 10, 15, 20, 45].map((each) => offLabel(off, each * minute))).toEqual([
      null,
      null,
      'power or crash',
      null,
      'stopped',
    ]);
    const x = Array.from({ length: 60 }, (_, index) => index * minute);
    const line = (unit: string, spans: typeof off) => ({
      label: unit,
      unit,
      name: unit,
      channel: null,
      deviations: null,
      flags: [],
      off: spans,
      style: { colour: '#000', dash: [] },
      points: { x, y: x.map(() => 1) },
    });
    const settings = {
      display: 'clock' as const,
      originMs: 0,
      presentYear: 2026,
      domain: [0, 1] as const,
      decimals: 2,
      isStepped: false,
      isLogarithmic: false,
      y: 'auto' as const,
      ink: { text: '', grid: '', warning: '', surface: '' },
    };
    const lines = [line('rx01', off), line('rx02', [])];
    const { values } = readingsAt(lines, 15 * minute, { fromMs: 0, toMs: 60 * minute }, settings);
    expect(values.map(({ name, value, flags }) => [name, value, ...flags])).toEqual([
      ['rx02', '1.00'],
      ['rx01', 'off', 'power or crash'],
    ]);
  });
});
