import { describe, expect, it } from 'vitest';
import { selfTestNames } from '../self-test/self-test.ts';
import { factsOfUnit, noHardware, PlainSession } from '../testing/test-session.ts';
import { blankProblems, summariseBlank } from './blank-quality.ts';
import { InvalidInput, type SelfTestOutcome } from './protocol.ts';
import { selfTestAdvice } from './self-test-advice.ts';

describe('filling a tube', () => {
  it('continues until liquid shows, and adds up the moved volumes', () => {
    const actions: unknown[] = [];
    const session = new PlainSession('media_pump', 'priming', factsOfUnit, (action) => {
      actions.push(action);
      return { kind: 'prime', volumeMl: 0.6, ranS: 7, isStopped: true };
    });
    expect(session.gives()).toBe('place_tubes');
    expect(session.step.body).toContain('not into the vial');
    expect(() => session.gives({})).toThrow(InvalidInput);
    expect(session.gives({ is_placed: true })).toBe('fill');
    expect(() => session.gives({ seconds: 61 })).toThrow('at most 60');
    expect(session.gives({ seconds: 10 })).toBe('look');
    expect(session.step.body).toBe('So far 0.60 mL in 7.0 s, 1 run.');
    expect(session.gives({ liquid_shows: 'no' })).toBe('fill');
    expect(session.gives({ seconds: 10 })).toBe('look');
    expect(session.gives({ liquid_shows: 'yes' })).toBe('complete');
    expect(session.result).toMatchObject({ device: 'media_pump', moved_ml: 1.2, ran_s: 14, runs: 2 });
    expect(session.files).toEqual([]);
    expect(actions).toEqual([1, 2].map(() => ({ kind: 'prime', device: 'media_pump', seconds: 10 })));
  });

  it('reports a volume larger than that of the tube, and where the tubes of the waste pump belong', () => {
    const session = new PlainSession('waste_pump', 'priming', factsOfUnit, () => ({
      kind: 'prime',
      volumeMl: 5.5,
      ranS: 60,
      isStopped: false,
    }));
    session.gives();
    expect(session.step.body).toContain('in the liquid of the vial');
    session.gives({ is_placed: true });
    session.gives({ seconds: 60 });
    expect(session.step.body).toContain('is its inlet in the liquid');
  });
});

/** Readings around a mean that differ by this share of it, up and down. */
const around = (mean: number, share: number, count = 30): number[] =>
  Array.from({ length: count }, (_, at) => mean * (1 + (at % 2 === 0 ? share : -share)));

describe('a blank', () => {
  it('that is steady and dark is good', () => {
    const readings = around(0.012, 0.01);
    const blank = summariseBlank('2', '90', readings);
    expect(blank).toMatchObject({ channel: '2', angle: '90', meanV: expect.closeTo(0.012, 6) });
    expect(blank.noiseV).toBeCloseTo(0.00012, 5);
    expect(blankProblems(blank, readings)).toEqual([]);
  });

  it.each([
    ['is noisy', around(0.02, 0.3), 'bubbles'],
    ['drifts', Array.from({ length: 30 }, (_, at) => 0.02 + 0.0002 * at), 'drifted'],
    ['is bright', around(0.08, 0.001), 'cells'],
    ['is nothing', around(0, 0), 'no signal'],
  ])('that %s is reported', (_what, readings, text) => {
    expect(blankProblems(summariseBlank('2', '90', readings), readings).join(' ')).toContain(text);
  });

  it('is read, checked, read again, and stored', () => {
    const light = [around(0.08, 0.001), around(0.012, 0.01)];
    const kept: unknown[] = [];
    const session = new PlainSession('od', 'blank', factsOfUnit, (action) => {
      if (action.kind === 'keep_blank') {
        kept.push(action.means);
        return { kind: 'keep_blank' };
      }
      return { kind: 'blank_light', readings: (light.shift() ?? []).map((value) => ({ '2': value })) };
    });
    expect(session.stepId).toBe('place_blank');
    expect(() => session.gives({})).toThrow('With cells in the vial');
    expect(session.gives({ holds_medium_only: true })).toBe('review');
    expect(session.step).toMatchObject({
      title: 'The blank has a problem',
      fields: [{ name: 'keep', default: false }],
      metadata: { table: { rows: [['2', '90', '0.08000', expect.any(String)]] } },
    });
    expect(session.gives({})).toBe('place_blank');
    session.gives({ holds_medium_only: true });
    expect(session.step).toMatchObject({ title: 'The blank looks good', fields: [{ default: true }] });
    expect(kept).toEqual([]);
    expect(session.gives({})).toBe('complete');
    expect(kept).toEqual([{ '2': expect.closeTo(0.012, 6) }]);
    expect(session.result).toMatchObject({ experiment: 'exp1', means: kept[0], problems: [] });
  });

  it.each([
    ['good', 0.012, 'complete', 1],
    ['doubtful', 0.08, 'review', 0],
  ])('is kept at once only when it is %s, if a person wants that', (_what, volts, stepId, count) => {
    let kept = 0;
    const session = new PlainSession('od', 'blank', factsOfUnit, ({ kind }) => {
      if (kind !== 'keep_blank')
        return { kind: 'blank_light', readings: around(volts, 0.01).map((one) => ({ '2': one })) };
      kept += 1;
      return { kind };
    });
    expect(session.gives({ holds_medium_only: true, keep_when_good: true })).toBe(stepId);
    expect(kept).toBe(count);
  });

  it('is one of the experiment that the session began in', () => {
    const facts = { ...factsOfUnit };
    const session = new PlainSession('od', 'blank', facts, noHardware);
    facts.experiment = 'exp2';
    expect(() => session.gives()).toThrow('not in exp1 any more');
  });
});

describe('the guided self-test', () => {
  const [first, second, third] = selfTestNames;
  const outcome = (name: (typeof selfTestNames)[number], passed: boolean): SelfTestOutcome => ({
    name,
    passed,
    why: `Seen in ${name}.`,
  });
  if (first === undefined || second === undefined || third === undefined) throw new Error('There are too few checks.');

  it('ends at once when everything has passed', () => {
    const session = new PlainSession('unit', 'self_test', factsOfUnit, (action) => {
      expect(action).toEqual({ kind: 'self_test' });
      return { kind: 'self_test', outcomes: selfTestNames.map((name) => outcome(name, true)) };
    });
    expect(session.gives()).toBe('prepare');
    expect(session.gives()).toBe('complete');
    expect(session.result).toMatchObject({ passed: selfTestNames.length, failed: [] });
  });

  it('goes through what has failed: what to do, once more, or leave it', () => {
    const later = [outcome(second, false), outcome(second, true)];
    const actions: unknown[] = [];
    const session = new PlainSession('unit', 'self_test', factsOfUnit, (action) => {
      actions.push(action);
      if (action.kind !== 'self_test') return noHardware();
      const again = action.only === undefined ? undefined : later.shift();
      const all = [outcome(first, true), outcome(second, false), outcome(third, false)];
      return { kind: 'self_test', outcomes: again === undefined ? all : [again] };
    });
    session.gives();
    expect(session.gives()).toBe('failed_check');
    expect(session.step.body).toContain(`Seen in ${second}. What to do: ${selfTestAdvice[second]}`);
    expect(session.step.body).toContain('1 more has failed.');
    expect(session.gives()).toBe('failed_check');
    expect(session.step.body).toContain(selfTestAdvice[second]);
    expect(session.gives()).toBe('failed_check');
    expect(session.step.body).toContain(selfTestAdvice[third]);
    expect(session.step.metadata.actions).toEqual([{ label: 'Leave it is', inputs: { action: 'leave' } }]);
    expect(session.gives({ action: 'leave' })).toBe('complete');
    expect(session.result).toMatchObject({
      title: '1 of 3 checks have failed',
      passed: 2,
      failed: [third],
      table: { rows: [[expect.any(String), 'passed', `Seen in ${first}.`], expect.anything(), expect.anything()] },
    });
    expect(actions).toEqual([{ kind: 'self_test' }, ...[1, 2].map(() => ({ kind: 'self_test', only: second }))]);
  });
});
