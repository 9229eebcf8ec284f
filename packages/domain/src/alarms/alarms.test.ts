import { describe, expect, it } from 'vitest';
import {
  type AlarmStanding,
  type AlarmStep,
  afterStep,
  alarmState,
  alarmSteps,
  isCleared,
  isShelfOver,
  newAlarm,
  onShelf,
  shelfEnd,
  wantsAttention,
} from './alarm-life.ts';
import { isAtLeast, numberOf, parameterFaults, settingsOf } from './alarm-rule.ts';
import { builtInAlarmRules } from './built-in-alarm-rules.ts';
import { afterLook, type ConditionPhase, counts, sideOfBand } from './condition-phase.ts';

const named = (name: string) => {
  const rule = builtInAlarmRules.find(({ rule }) => rule === name);
  if (rule === undefined) throw new Error(`no rule ${name}`);
  return rule;
};

describe('the life of an alarm', () => {
  const table: readonly [AlarmStanding, AlarmStep, AlarmStanding][] = [
    ['unacknowledged', 'raise', 'unacknowledged'],
    ['unacknowledged', 'return', 'returned'],
    ['unacknowledged', 'acknowledge', 'acknowledged'],
    ['acknowledged', 'raise', 'acknowledged'],
    ['acknowledged', 'return', 'cleared'],
    ['acknowledged', 'acknowledge', 'acknowledged'],
    ['returned', 'raise', 'unacknowledged'],
    ['returned', 'return', 'returned'],
    ['returned', 'acknowledge', 'cleared'],
    ['cleared', 'raise', 'unacknowledged'],
    ['cleared', 'return', 'cleared'],
    ['cleared', 'acknowledge', 'cleared'],
  ];
  it.each(table)('leads from %s by %s to %s', (standing, step, to) => {
    expect(afterStep({ standing, shelvedUntilMs: null }, step).standing).toBe(to);
  });

  it('has no step that the table does not have', () => {
    const steps = Object.entries(alarmSteps).flatMap(([from, to]) => Object.keys(to).map((step) => `${from} ${step}`));
    expect(steps.sort()).toEqual(table.map(([from, step]) => `${from} ${step}`).sort());
  });

  it('goes on unseen while it is shelved, and is not history before the shelf ends', () => {
    let life = onShelf(afterStep(newAlarm, 'acknowledge'), 5_000);
    life = afterStep(life, 'return');
    expect([alarmState(life), isCleared(life), wantsAttention(life)]).toEqual(['shelved', false, false]);
    expect([isShelfOver(life, 4_999), isShelfOver(life, 5_000)]).toEqual([false, true]);
    expect(alarmState(onShelf(life, null))).toBe('cleared');
    expect(alarmState(onShelf(afterStep(life, 'raise'), null))).toBe('unacknowledged');
  });

  it.each([
    [{ minutes: 30 }, 1_000 + 1_800_000],
    [{ untilMs: 2_000.7 }, 2_000],
    [{ minutes: 1440 }, 1_000 + 86_400_000],
    [{}, /Exactly one/],
    [{ minutes: 1, untilMs: 5_000 }, /Exactly one/],
    [{ untilMs: Number.NaN }, /no moment/],
    [{ untilMs: 1_000 }, /ended already/],
    [{ untilMs: 1_001 + 86_400_000 }, /24 hours/],
  ])('shelves %j', (wanted, expected) => {
    const end = shelfEnd(wanted, 1_000);
    if (typeof expected === 'number') expect(end).toBe(expected);
    else expect(end).toEqual({ cause: expect.stringMatching(expected) });
  });
});

describe('a condition', () => {
  const delays = { onMs: 60, offMs: 30 };
  const over = (looks: readonly (readonly [number, boolean | undefined])[]) => {
    let phase: ConditionPhase = { is: 'normal' };
    return looks.map(([nowMs, isTrue]) => {
      phase = afterLook(phase, isTrue, nowMs, delays);
      return counts(phase);
    });
  };

  it('counts when it has held for a while, and no longer when it was gone for a while', () => {
    expect(
      over([
        [0, true],
        [59, true],
        [60, true],
        [70, false],
        [99, false],
        [100, false],
      ]),
    ).toEqual([...[false, false, true], ...[true, true, false]]);
  });

  it('does not count when it flaps, and stays when it flaps', () => {
    expect(
      over([
        [0, true],
        [50, false],
        [60, true],
        [110, true],
      ]),
    ).toEqual([false, false, false, false]);
    expect(
      over([
        [0, true],
        [60, true],
        [70, false],
        [80, true],
        [105, false],
        [130, false],
      ]).at(-1),
    ).toBe(true);
  });

  it('stays as it is while nobody can say', () => {
    expect(
      over([
        [0, true],
        [60, true],
        [200, undefined],
        [900, undefined],
        [901, false],
      ]),
    ).toEqual([...[false, true, true], ...[true, true]]);
  });

  it('is not in a hurry when the clock was set back', () => {
    expect(
      over([
        [1_000, true],
        [10, true],
        [69, true],
        [70, true],
      ]),
    ).toEqual([false, false, false, true]);
  });

  it('leaves its band at the limit, and is inside again only by the deadband', () => {
    const band = { low: 5, high: 10, deadband: 1 };
    expect(sideOfBand(10, band, 'inside')).toBe('inside');
    expect(sideOfBand(10.1, band, 'inside')).toBe('above');
    expect(sideOfBand(9.5, band, 'above')).toBe('above');
    expect(sideOfBand(9, band, 'above')).toBe('inside');
    expect(sideOfBand(4.9, band, 'inside')).toBe('below');
    expect(sideOfBand(5.9, band, 'below')).toBe('below');
    expect(sideOfBand(6, band, 'below')).toBe('inside');
    expect(sideOfBand(1e9, { low: null, high: null, deadband: 0 }, 'inside')).toBe('inside');
  });
});

describe('rules', () => {
  it('have defaults that their own ranges allow, and names that are used once', () => {
    for (const rule of builtInAlarmRules) {
      const settings = settingsOf(rule, []);
      expect(parameterFaults(rule, settings.parameters, settings)).toEqual([]);
    }
    const names = builtInAlarmRules.map(({ rule }) => rule);
    expect(new Set(names).size).toBe(names.length);
  });

  it('take what is set for a unit before what is set for all, and keep the rest', () => {
    const rule = named('temperature_out_of_range');
    const settings = settingsOf(rule, [
      { severity: 'warning', parameters: { high: 40 } },
      { isEnabled: false, parameters: { high: 45 } },
    ]);
    expect(settings).toMatchObject({ severity: 'warning', isEnabled: false });
    expect([numberOf(settings, 'high'), numberOf(settings, 'low')]).toEqual([45, 5]);
  });

  it.each([
    ['temperature_out_of_range', { high: 'hot' }, 'high'],
    ['temperature_out_of_range', { deadband: null }, 'deadband'],
    ['temperature_out_of_range', { low: 60 }, 'low'],
    ['series_silent', { minutes: 0 }, 'minutes'],
    ['series_silent', { hours: 1 }, 'hours'],
    ['value_out_of_range', { source: 'mood' }, 'source'],
  ])('refuse %s with %j', (name, sent, parameter) => {
    const rule = named(name);
    const settings = settingsOf(rule, [{ parameters: sent }]);
    expect(parameterFaults(rule, sent, settings)).toEqual([{ parameter, message: expect.stringMatching(/\.$/) }]);
  });

  it('know which severity is worse', () => {
    expect([isAtLeast('critical', 'error'), isAtLeast('error', 'error'), isAtLeast('warning', 'error')]).toEqual([
      ...[true, true, false],
    ]);
  });
});
