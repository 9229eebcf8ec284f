import { describe, expect, it } from 'vitest';
import {
  type AlarmStatus,
  type AlarmTransition,
  alarmState,
  alarmTransitions,
  applyTransition,
  isCleared,
  isShelvingOver,
  needsAttention,
  newAlarm,
  shelvingEnd,
  withShelving,
} from './alarm-lifecycle.ts';
import { invalidParameters, isAtLeast, numericParameter, resolveRuleSettings } from './alarm-rule.ts';
import { builtInAlarmRules } from './built-in-alarm-rules.ts';
import { type ConditionPhase, isConditionActive, nextConditionPhase, sideOfBand } from './condition-phase.ts';

const named = (name: string) => {
  const rule = builtInAlarmRules.find(({ rule }) => rule === name);
  if (rule === undefined) throw new Error(`There is no rule ${name}.`);
  return rule;
};

describe('the lifecycle of an alarm', () => {
  const table: readonly [AlarmStatus, AlarmTransition, AlarmStatus][] = [
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
  it.each(table)('goes from %s by %s to %s', (status, transition, to) => {
    expect(applyTransition({ status, shelvedUntilMs: null }, transition).status).toBe(to);
  });

  it('has only the transitions of the table', () => {
    const transitions = Object.entries(alarmTransitions).flatMap(([from, to]) =>
      Object.keys(to).map((transition) => `${from} ${transition}`),
    );
    expect(transitions.sort()).toEqual(table.map(([from, transition]) => `${from} ${transition}`).sort());
  });

  it('changes its status while it is shelved, and stays open until the shelving ends', () => {
    let life = withShelving(applyTransition(newAlarm, 'acknowledge'), 5_000);
    life = applyTransition(life, 'return');
    expect([alarmState(life), isCleared(life), needsAttention(life)]).toEqual(['shelved', false, false]);
    expect([isShelvingOver(life, 4_999), isShelvingOver(life, 5_000)]).toEqual([false, true]);
    expect(alarmState(withShelving(life, null))).toBe('cleared');
    expect(alarmState(withShelving(applyTransition(life, 'raise'), null))).toBe('unacknowledged');
  });

  it.each([
    [{ minutes: 30 }, 1_000 + 1_800_000],
    [{ untilMs: 2_000.7 }, 2_000],
    [{ minutes: 1440 }, 1_000 + 86_400_000],
  ])('accepts a shelving of %j', (request, endMs) => {
    expect(shelvingEnd(request, 1_000)).toBe(endMs);
  });

  it.each([
    {},
    { minutes: 1, untilMs: 5_000 },
    { untilMs: Number.NaN },
    { untilMs: 1_000 },
    { untilMs: 1_001 + 86_400_000 },
  ])('refuses a shelving of %j', (request) => {
    expect(shelvingEnd(request, 1_000)).toEqual({ cause: expect.any(String) });
  });
});

describe('a condition', () => {
  const delays = { onDelayMs: 60, offDelayMs: 30 };
  const activeAfter = (evaluations: readonly (readonly [number, boolean | undefined])[]) => {
    let phase: ConditionPhase = { kind: 'inactive' };
    return evaluations.map(([nowMs, isTrue]) => {
      phase = nextConditionPhase(phase, isTrue, nowMs, delays);
      return isConditionActive(phase);
    });
  };

  it('is active after its on-delay, and inactive after its off-delay', () => {
    expect(
      activeAfter([
        [0, true],
        [59, true],
        [60, true],
        [70, false],
        [99, false],
        [100, false],
      ]),
    ).toEqual([false, false, true, true, true, false]);
  });

  it('stays inactive or active while it flaps', () => {
    expect(
      activeAfter([
        [0, true],
        [50, false],
        [60, true],
        [110, true],
      ]),
    ).toEqual([false, false, false, false]);
    expect(
      activeAfter([
        [0, true],
        [60, true],
        [70, false],
        [80, true],
        [105, false],
        [130, false],
      ]).at(-1),
    ).toBe(true);
  });

  it('stays as it is while it is unknown', () => {
    expect(
      activeAfter([
        [0, true],
        [60, true],
        [200, undefined],
        [900, undefined],
        [901, false],
      ]),
    ).toEqual([false, true, true, true, true]);
  });

  it('becomes active no earlier when the clock was set back', () => {
    expect(
      activeAfter([
        [1_000, true],
        [10, true],
        [69, true],
        [70, true],
      ]),
    ).toEqual([false, false, false, true]);
  });

  it('is outside beyond the limit, and inside again only beyond the deadband', () => {
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
  it('have valid defaults and unique names', () => {
    for (const rule of builtInAlarmRules) {
      const settings = resolveRuleSettings(rule, []);
      expect(invalidParameters(rule, settings.parameters, settings)).toEqual([]);
    }
    const names = builtInAlarmRules.map(({ rule }) => rule);
    expect(new Set(names).size).toBe(names.length);
  });

  it('prefer an override of the unit to one of all units, and keep the other defaults', () => {
    const rule = named('temperature_out_of_range');
    const settings = resolveRuleSettings(rule, [
      { severity: 'warning', parameters: { high: 40 } },
      { isEnabled: false, parameters: { high: 45 } },
    ]);
    expect(settings).toMatchObject({ severity: 'warning', isEnabled: false });
    expect([numericParameter(settings, 'high'), numericParameter(settings, 'low')]).toEqual([45, 5]);
  });

  it.each([
    ['temperature_out_of_range', { high: 'hot' }, 'high'],
    ['temperature_out_of_range', { deadband: null }, 'deadband'],
    ['temperature_out_of_range', { low: 60 }, 'low'],
    ['series_silent', { minutes: 0 }, 'minutes'],
    ['series_silent', { hours: 1 }, 'hours'],
    ['value_out_of_range', { source: 'disk_free' }, 'source'],
    ['value_out_of_range', { source: 'bubble rate' }, 'source'],
  ])('refuse %s with %j', (name, sent, parameter) => {
    const rule = named(name);
    const settings = resolveRuleSettings(rule, [{ parameters: sent }]);
    expect(invalidParameters(rule, sent, settings)).toEqual([{ parameter, message: expect.stringMatching(/\.$/) }]);
  });

  it('order severities', () => {
    expect([isAtLeast('critical', 'error'), isAtLeast('error', 'error'), isAtLeast('warning', 'error')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
