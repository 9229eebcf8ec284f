import { describe, expect, it } from 'vitest';
import { ProblemError } from './problem-error.ts';
import { AlarmDrillResult } from './resources/alarm.ts';
import { Capability } from './resources/capability.ts';
import { InstalledPlugin } from './resources/plugin.ts';
import type { FinishedTask } from './resources/task.ts';
import { entriesOf, hasShape, taskResult, unitOutcomes } from './task-answers.ts';

const times = { created_at: '2026-05-02T09:14:03.120Z', started_at: null, finished_at: null };
const task = { task_id: '1', result_url_path: '/unit_api/task_results/1', message: null, ...times };
const ended = (result: unknown): FinishedTask => ({ ...task, status: 'succeeded', result });
const failed: FinishedTask = { ...task, status: 'failed', error: 'Stopped.', cause: 'c', remediation: 'r', code: 'x' };
const plugin = { name: 'shaker', version: '1', description: null, homepage: null, source: 'package', author: 'Ada' };

describe('the shape of an answer', () => {
  it('is checked in every field, not only in those that name it', () => {
    expect(hasShape(InstalledPlugin, plugin)).toBe(true);
    expect(hasShape(InstalledPlugin, { name: 'shaker', version: '1' })).toBe(false);
    expect(hasShape(InstalledPlugin, { ...plugin, author: 7 })).toBe(false);
  });

  it('may have further fields, on every level, for programs of a newer version', () => {
    expect(hasShape(InstalledPlugin, { ...plugin, licence: 'MIT' })).toBe(true);
    const option = {
      name: 'a',
      long_flag: 'a',
      help: '',
      required: false,
      multiple: false,
      default: null,
      type: 'text',
    };
    const capability = { job_name: 'stirring', help: '', arguments: [], published_settings: {}, cli_example: '' };
    expect(hasShape(Capability, { ...capability, options: [{ ...option, group: 'new' }] })).toBe(true);
    expect(hasShape(Capability, { ...capability, options: [{ ...option, help: null }] })).toBe(false);
  });

  it('decides which entries of a list are kept', () => {
    expect(entriesOf(InstalledPlugin, [plugin, { name: 'x' }])).toEqual([plugin]);
    expect(entriesOf(InstalledPlugin, { 0: plugin })).toBeUndefined();
  });
});

describe('the result of a task', () => {
  it('has the declared shape, or is an error', () => {
    const result = { alarm_id: 'a', recorded: true, shown_live: true, channels: [], cleared: true };
    expect(taskResult(ended(result), AlarmDrillResult)).toEqual(result);
    expect(() => taskResult(ended({ recorded: true }), AlarmDrillResult)).toThrow(ProblemError);
    expect(() => taskResult(failed, AlarmDrillResult)).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 'x' }) }),
    );
  });

  it('names each unit with its outcome, also one that is not readable', () => {
    const yes = { ok: true, unit: 'rx01', value: 5 };
    const outcomes = unitOutcomes(ended({ rx01: yes, rx02: 'no' }));
    expect(outcomes.get('rx01')).toEqual(yes);
    expect(outcomes.get('rx02')).toMatchObject({ ok: false, error: { kind: 'decode_error' } });
    expect(unitOutcomes(ended(null)).size).toBe(0);
    expect(() => unitOutcomes(failed)).toThrow(ProblemError);
  });

  it('has no answer of a unit whose answer has another shape, and no unit for a list beside the outcomes', () => {
    const yes = { ok: true, unit: 'rx01', value: plugin };
    const result = { rx01: yes, rx02: { ...yes, unit: 'rx02', value: 5 }, profiles_stopped: [] };
    const outcomes = unitOutcomes(ended(result), InstalledPlugin);
    expect([...outcomes.keys()]).toEqual(['rx01', 'rx02']);
    expect(outcomes.get('rx01')).toEqual(yes);
    expect(outcomes.get('rx02')).toMatchObject({ ok: false, error: { kind: 'decode_error' } });
  });
});
