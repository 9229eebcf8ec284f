import { describe, expect, it } from 'vitest';
import {
  initialQuietPeriods,
  isAlternating,
  type QuietPeriodEvent,
  type QuietPeriodInput,
  type QuietPeriodPhase,
  type QuietPeriodState,
  quietPeriodStep,
} from './quiet-periods.ts';

const parameters = { controlsSpeed: true, preDelayMs: 1500, postDelayMs: 250 };
const ended = { phase: 'ended', nextAtMs: 10_000, intervalMs: 10_000, wantsDark: true } as const;
const initial = initialQuietPeriods({ isEnabled: true, duringRpm: 0, outsideRpm: 500 });
const at = (phase: QuietPeriodPhase): QuietPeriodState => ({ ...initial, phase, notifiedIntervalMs: 10_000 });

type Input = QuietPeriodEvent & Partial<Pick<QuietPeriodInput, 'nowMs' | 'optical'>>;

const step = (state: QuietPeriodState, input: Input) =>
  quietPeriodStep(state, { nowMs: 0, optical: ended, ...input }, parameters);

describe('quiet periods of the stirrer', () => {
  const off = { phase: 'off' } as const;
  const begun = { ...ended, phase: 'begun' } as const;
  const leaving = { kind: 'leaving', nextAtMs: 10_000 } as const;
  const short = { ...ended, intervalMs: 2000 };
  it.each<[QuietPeriodPhase, Input, QuietPeriodPhase['kind']]>([
    [{ kind: 'paused', from: 'steady' }, { kind: 'resume', optical: off }, 'steady'],
    [{ kind: 'paused', from: 'steady' }, { kind: 'resume' }, 'leaving'],
    [{ kind: 'paused', from: 'alternating' }, { kind: 'resume', optical: begun }, 'quiet'],
    [{ kind: 'paused', from: 'alternating' }, { kind: 'optical_reading' }, 'paused'],
    [{ kind: 'steady' }, { kind: 'optical_reading' }, 'leaving'],
    [{ kind: 'steady' }, { kind: 'optical_reading', optical: short }, 'steady'],
    [{ kind: 'steady' }, { kind: 'set', settings: { isEnabled: false } }, 'steady'],
    [leaving, { kind: 'timer' }, 'settling'],
    [leaving, { kind: 'timer', nowMs: 8000 }, 'stirring'],
    [{ kind: 'settling', quietAtMs: 8500 }, { kind: 'timer' }, 'stirring'],
    [{ kind: 'stirring' }, { kind: 'timer' }, 'quiet'],
    [{ kind: 'stirring' }, { kind: 'optical_reading', optical: begun }, 'stirring'],
    [{ kind: 'quiet' }, { kind: 'optical_reading' }, 'leaving'],
    [{ kind: 'quiet' }, { kind: 'optical_reading', optical: off }, 'steady'],
    [{ kind: 'quiet' }, { kind: 'set', settings: { isEnabled: false } }, 'steady'],
    [{ kind: 'quiet' }, { kind: 'pause' }, 'paused'],
  ])('%o, %o: %s', (phase, input, kind) => {
    expect(step(at(phase), input).state.phase.kind).toBe(kind);
  });

  it('takes a speed that a person sets as the one outside of readings, while it alternates', () => {
    const steady = step(at({ kind: 'steady' }), { kind: 'set', settings: {}, targetRpm: 300 });
    expect([steady.state.outsideRpm, steady.effects]).toEqual([500, [{ kind: 'set_target', rpm: 300 }]]);
    const quiet = step(at({ kind: 'quiet' }), { kind: 'set', settings: {}, targetRpm: 300 });
    expect(quiet.state.outsideRpm).toBe(300);
    expect(isAlternating(quiet.state)).toBe(true);
  });

  it('notifies once of an interval that is too short', () => {
    const first = step(initial, { kind: 'resume', optical: { ...ended, intervalMs: 2000 } });
    expect(first.effects).toEqual([{ kind: 'notify', notice: 'no_time_to_stir', intervalMs: 2000 }]);
    expect(step(first.state, { kind: 'optical_reading', optical: { ...ended, intervalMs: 2000 } }).effects).toEqual([]);
  });
});
