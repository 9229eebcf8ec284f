import { ProblemError, type UnitStatus } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { allFindings, findingsOf, isConflict, liveFindings, unitsBehind } from './config-findings.ts';
import { readConfigSearch } from './config-search.ts';

const problem = (code: string, diagnostics?: unknown[]) =>
  new ProblemError('answer', {
    error: 'e',
    cause: 'c',
    remediation: 'r',
    status: 400,
    code,
    ...(diagnostics && { diagnostics }),
  });

const unit = (reactor_unit: string, desired_version: number, applied_version: number): UnitStatus => ({
  reactor_unit,
  desired_version,
  applied_version,
  liveness: 'online',
  last_heard_at: null,
  trouble: null,
  backlog: 0,
  clock_offset_ms: null,
  outbox_full: false,
  app_version: null,
  url: null,
  is_simulated: false,
});

describe('the findings of the leader in a text', () => {
  it('is read where it is understood', () => {
    const finding = { line: 3, column: 1, severity: 'error', code: 'syntax', message: 'What is this?' };
    expect(findingsOf(problem('config_invalid', [finding, { lowest: 1 }]))).toEqual([finding]);
    expect(findingsOf(problem('config_unreadable'))).toEqual([]);
    expect(findingsOf(new Error('no'))).toEqual([]);
  });

  it('may be a conflict with the version of another person', () => {
    expect(isConflict(problem('config_changed'))).toBe(true);
    expect(isConflict(problem('config_invalid'))).toBe(false);
  });

  it('are known before a save, with their places', () => {
    expect(liveFindings('[stirring.config]\ninitial_target_rpm=9000\n[x')).toMatchObject([{ line: 3, code: 'syntax' }]);
    const text = '[stirring.config]\ninitial_target_rpm=9000\nspeed=1\n';
    const found = liveFindings(text);
    expect(found).toMatchObject([
      { line: 2, column: 20, severity: 'error', code: 'wrong_value' },
      { line: 3, severity: 'warning', code: 'unknown_key' },
    ]);
    const missing = { line: 1, column: 1, severity: 'error', code: 'missing', message: 'm' } as const;
    expect(allFindings(found, [...found, missing]).map(({ code }) => code)).toEqual([
      'missing',
      'wrong_value',
      'unknown_key',
    ]);
  });
});

describe('units that have not taken a file', () => {
  it('are those whose document is another one', () => {
    const units = [unit('rx01', 3, 3), unit('rx02', 3, 2), unit('rx03', 2, 0)];
    expect(unitsBehind(units, undefined).map(({ reactor_unit }) => reactor_unit)).toEqual(['rx02', 'rx03']);
    expect(unitsBehind(units, 'rx01')).toEqual([]);
  });
});

it('reads from the address which file is meant', () => {
  expect(readConfigSearch({ unit: 'rx01' })).toEqual({ unit: 'rx01' });
  expect(readConfigSearch({ unit: '' })).toEqual({});
  expect(readConfigSearch({ unit: 5 })).toEqual({});
});
