import type { ProfileRehearsal } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import {
  answerText,
  cultureText,
  decisionLines,
  findingLines,
  leftText,
  methodText,
  predictedCharts,
  spanText,
} from './rehearsal-view.ts';

const series = (name: string, median: (number | null)[]) => ({ name, unit: 'x', median, low: median, high: median });
const rehearsal: ProfileRehearsal = {
  experiment_profile_name: 'p',
  simulated_hours: 240,
  draws: 20,
  seed: 7,
  interval_s: 60,
  computed_in_s: 12,
  memory_mib: 200,
  can_finish: 'uncertain',
  findings: [
    {
      severity: 'error',
      code: 'bottle_empty',
      reactor_unit: 'rx01',
      message: 'The bottle is empty.',
      at_h: 30,
      share: 0.4,
    },
    { severity: 'info', code: 'x', reactor_unit: null, message: 'Nothing', at_h: null, share: 1 },
  ],
  culture: {
    organism: 'yeast',
    growth_rate: 0.45,
    growth_rate_spread: 0.1,
    temperature: 30,
    initial_od: 0.05,
    initial_od_spread: 0.2,
    lag_h: 1,
    highest_od: 12,
    half_share: null,
    pump_spread: 0.05,
  },
  units: [
    {
      reactor_unit: 'rx01',
      is_od_calibrated: true,
      hours: [0, 1],
      series: [series('waste', [0, 1]), series('od', [0.1, 0.2]), series('alt_media_used', [null, 0])],
      conditions: [],
      actions: [],
    },
    {
      reactor_unit: 'rx02',
      is_od_calibrated: true,
      hours: [0],
      series: [series('od', [0.1])],
      conditions: [],
      actions: [],
    },
  ],
};

const words = { textOf: (path: string) => `step ${path}`, decisionOf: (path: string) => `${path} ends` };

describe('a rehearsal', () => {
  it('has a chart for each series with values, with a line for each unit', () => {
    expect(predictedCharts(rehearsal).map(({ title, lines }) => [title, lines.map(({ name }) => name)])).toEqual([
      ['OD', ['rx01', 'rx02']],
      ['Waste', ['rx01']],
    ]);
  });

  it('says whether the run can finish, and why not', () => {
    expect(answerText(rehearsal)).toBe('The profile reaches its end in some simulations only.');
    expect(findingLines(rehearsal, words).map(({ text }) => text)).toEqual([
      'rx01: The bottle is empty (in 40 % of the simulations, after 1 d 6 h).',
      'Nothing (in all simulations).',
    ]);
    expect(spanText({ low_h: 1, median_h: 2, high_h: 30 })).toBe('after 2 h 0 min (1 h 0 min to 1 d 6 h)');
  });

  it('draws alike units as one line, and names a signal that is no optical density', () => {
    const alike = ['rx01', 'rx02', 'rx03'].map((reactor_unit) => ({
      reactor_unit,
      is_od_calibrated: false,
      hours: [0, 1],
      series: [series('od', [0.004, 0.02])],
      conditions: [{ path: 'loop', iteration: 4, share: 1, low_h: 60, median_h: 60, high_h: 60.001 }],
      actions: [],
    }));
    const [chart, ...others] = predictedCharts({ units: alike });
    expect(others).toEqual([]);
    expect(chart).toMatchObject({ name: 'raw_od', unit: 'AU', lines: [{ name: 'each unit' }] });
    expect(chart?.lines).toHaveLength(1);
    // All simulations agree, as all units.
    expect(decisionLines({ units: alike }, words)).toEqual([
      'rx01, rx02, rx03: loop ends, after 2 d 12 h, in all simulations',
    ]);
    const info = { severity: 'info', code: 'x', message: 'Raw.', at_h: null, share: 1 } as const;
    const findings = alike.map(({ reactor_unit }) => ({ ...info, reactor_unit }));
    expect(findingLines({ findings }, words)).toHaveLength(1);
  });

  it('says how long it still takes, once its pace is known', () => {
    const begun = '2026-05-02T09:00:00.000Z';
    const nowMs = Date.parse(begun) + 60_000;
    expect(leftText(0.25, begun, nowMs)).toBe(', about 3 min left');
    expect([leftText(0.001, begun, nowMs), leftText(0.25, null, nowMs)]).toEqual(['', '']);
  });

  it('says how it was computed and what it assumes', () => {
    expect(methodText(rehearsal)).toContain('20 simulations of 10 d 0 h, computed in 12 s with the seed 7.');
    expect(cultureText(rehearsal)).toContain('growth rate 0.45 per hour ± 10 % at 30 °C');
  });
});
