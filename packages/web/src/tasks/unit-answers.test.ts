import { ApiError, type FinishedTask, InstalledPlugin, type LiveJob, ProblemError } from '@lcs/contract';
import { expect, it } from 'vitest';
import { startWords } from '../words/start.ts';
import { endedCommand } from './command-end.ts';
import { unconfirmedCode } from './unconfirmed-code.ts';
import { answerOf, commandOutcomes, listOf } from './unit-answers.ts';
import {
  doneCount,
  isMadeUp,
  joinedCommands,
  missedGoals,
  reasonsOf,
  type UnitCommand,
  unacceptedCommand,
  unreachedText,
} from './unit-command.ts';

const moment = '2026-05-02T09:14:03.120Z';
const ended = (result: unknown): FinishedTask => ({
  task_id: '1',
  result_url_path: '/unit_api/task_results/1',
  status: 'succeeded',
  result,
  message: null,
  created_at: moment,
  started_at: moment,
  finished_at: moment,
});
const refused = (unit: string, error: object) => ({ ok: false, unit, error, status_code: null, retryable: true });
const answered = (unit: string, value: unknown) => ({ ok: true, unit, value });

it('a command to several units is done only when each of them reports success', () => {
  const yes = answered('u1', {});
  const no = refused('u2', { kind: 'connection_error', message: 'No answer to POST /unit_api/jobs/stop from u2.' });
  expect(endedCommand('Stop', ended({ u1: yes, u2: no }), ['u1', 'u2'], (unit) => unit)).toMatchObject({
    phase: 'failed',
    refusals: [{ unit: 'u2', error: 'The unit could not be reached.', cause: 'No answer from u2.' }],
  });
  expect(endedCommand('Stop', ended({ u1: yes }), ['u1', 'u2'], (unit) => unit).phase).toBe('failed');
  // Of a command to every unit that the leader asks, each answer counts.
  expect(endedCommand('Stop', ended({ u1: yes, u2: no }), null, (unit) => unit).phase).toBe('failed');
  expect(endedCommand('Stop', ended({ u1: yes }), null, (unit) => unit)).toMatchObject({ phase: 'done', units: 1 });
  expect(endedCommand('Stop', ended({ u1: yes, u2: yes }), ['u1', 'u2'], (unit) => unit)).toMatchObject({
    phase: 'done',
    units: 2,
  });
});

it('a command that the leader has not accepted was done nowhere, and says whether the leader answers', () => {
  const gone = unacceptedCommand(
    'Stop',
    new ProblemError('network', new ApiError('internal_error', { requestId: '7' }).body),
  );
  expect(gone).toMatchObject({ phase: 'failed', reached: 'nothing', refusals: [{ unit: null, code: 'no_answer' }] });
  const textOf = (command: UnitCommand) => (command.phase === 'failed' ? unreachedText(command.refusals) : undefined);
  expect(textOf(gone)).toBe(startWords.notDoneWithoutAnswer);
  expect(textOf(unacceptedCommand('Stop', new Error('page')))).toBe(startWords.notDone);
});

it('a stop names the units on which something was stopped, and those on which nothing was running', () => {
  const job = { job_name: 'dosing_automation', job_id: 4 };
  const stop = (unit: string, ...stopped: readonly object[]) => answered(unit, { stopped, still_running: [] });
  const task = ended({ u10: stop('u10', job), u2: stop('u2', job, job), u3: stop('u3') });
  expect(endedCommand('Stop', task, null, (unit) => unit)).toMatchObject({
    phase: 'done',
    stops: { stopped: ['u2', 'u10'], idle: ['u3'] },
  });
  const silent = refused('u2', { kind: 'connection_error', message: 'm' });
  expect(endedCommand('Stop', ended({ u1: stop('u1', job), u2: silent }), null, (unit) => unit)).toMatchObject({
    phase: 'failed',
    stops: { stopped: ['u1'], idle: [] },
  });
  expect(endedCommand('Start', ended({ u1: answered('u1', {}) }), null, (unit) => unit)).not.toHaveProperty('stops');
});

it('a start where the job runs already is no failure: the units are named, and nothing was changed there', () => {
  const runs = (unit: string) =>
    refused(unit, { kind: 'http_error', message: 'stirring is already running.', code: 'job_already_running' });
  const end = (result: object) => endedCommand('Start', ended(result), null, (unit) => unit);
  expect(end({ u10: runs('u10'), u2: runs('u2') })).toEqual({
    phase: 'done',
    what: 'Start',
    units: 2,
    already: ['u2', 'u10'],
  });
  const silent = refused('u3', { kind: 'connection_error', message: 'm' });
  const partly = end({ u1: answered('u1', {}), u2: runs('u2'), u3: silent });
  expect(partly).toMatchObject({ phase: 'failed', units: 3, already: ['u2'], refusals: [{ unit: 'u3' }] });
  expect(partly.phase === 'failed' && doneCount(partly)).toBe(1);
  const again = end({ u1: runs('u1') });
  const part = (unit: string, part: UnitCommand) => ({ units: [unit], ended: part });
  const parts = [part('u1', again), part('u4', end({ u4: runs('u4') })), part('u1', again)];
  expect(joinedCommands('Start', parts)).toMatchObject({ phase: 'done', already: ['u1', 'u4'] });
  // Where one of several jobs ran already, the others were started.
  const started = part('u4', end({ u4: answered('u4', {}) }));
  expect(joinedCommands('Start', [...parts, started])).toMatchObject({ phase: 'done', already: ['u1'] });
});

it('a failure is made up for when all units that missed it do what was asked', () => {
  const job = (unit: string, state: LiveJob['state']): LiveJob => ({
    reactor_unit: unit,
    experiment: 'x',
    job_name: 'stirring',
    job_id: 1,
    state,
    since: moment,
    reason: null,
    settings: {},
  });
  const goals = ['u1', 'u2', 'u3'].map((unit) => ({ unit, experiment: 'x', job: 'stirring', runs: true }));
  const refusals = ['u2', 'u3'].map((unit) => ({ unit, unitId: unit, error: 'e', cause: '', remediation: '' }));
  const first = [job('u1', 'ready'), job('u2', 'disconnected')];
  const missed = missedGoals(refusals, goals, first);
  expect(missed?.map(({ unit }) => unit)).toEqual(['u2', 'u3']);
  const failed = { phase: 'failed', what: 'Start', refusals, ...(missed && { missed }) } as const;
  expect(isMadeUp(failed, [...first, job('u3', 'ready')])).toBe(false);
  expect(isMadeUp(failed, [job('u2', 'ready'), job('u3', 'ready')])).toBe(true);
  // What was refused because it runs already stays until a person has read it.
  expect(missedGoals(refusals, goals, [job('u2', 'ready')])).toBeUndefined();
  expect(isMadeUp({ phase: 'failed', what: 'Start', refusals }, first)).toBe(false);
});

it('a command that a person has to confirm keeps its code, field and cause, not the remediation for programs', () => {
  const error = {
    kind: 'http_error',
    message: 'm',
    cause: 'c',
    remediation: 'confirm_dilution',
    code: unconfirmedCode,
    field: 'target_biomass',
  };
  const outcome = commandOutcomes(ended({ u1: refused('u1', error) }), ['u1']).get('u1');
  expect(outcome).toMatchObject({
    ok: false,
    refusal: { error: 'm', cause: 'c', code: unconfirmedCode, field: 'target_biomass' },
  });
  expect(outcome).not.toMatchObject({ refusal: { remediation: 'confirm_dilution' } });
});

it('an answer of another shape is an error; a list keeps the entries that have the shape', () => {
  const plugin = { name: 'shaker', version: '1', description: null, homepage: null, source: 'package', author: 'Ada' };
  const task = ended({ u1: answered('u1', plugin), u2: answered('u2', [plugin, { name: 'half', version: '1' }]) });
  expect(answerOf(task, 'u1', InstalledPlugin)).toEqual(plugin);
  expect(listOf(task, 'u2', InstalledPlugin)).toEqual([plugin]);
  expect(() => answerOf(task, 'u2', InstalledPlugin)).toThrow(ProblemError);
  expect(() => listOf(task, 'u1', InstalledPlugin)).toThrow(ProblemError);
  expect(() => answerOf(task, 'constructor', InstalledPlugin)).toThrow(ProblemError);
});

it('counts the units that did what was asked', () => {
  const refusal = { error: 'e', cause: '', remediation: '' };
  const failed = (refusals: readonly (string | null)[], units?: number) => ({
    phase: 'failed' as const,
    what: 'Start',
    refusals: refusals.map((unit) => ({ unit, ...refusal })),
    ...(units !== undefined && { units }),
  });
  expect(doneCount(failed(['u1', 'u2', 'u1'], 24))).toBe(22);
  expect([failed(['u1'], 1), failed(['u1']), failed([null], 24)].map(doneCount)).toEqual([null, null, null]);
});

it('says a reason once, with all units that it concerns', () => {
  const away = (unit: string) => ({
    unit,
    unitId: unit,
    error: 'The unit could not be reached.',
    cause: `${unit} cannot be reached. ${unit} will stop them when it is online again.`,
    remediation: `Check ${unit}, not u10.`,
  });
  const other = { unit: 'u3', unitId: 'u3', error: 'Busy.', cause: 'Busy.', remediation: '' };
  expect(reasonsOf([away('u1'), other, away('u2')])).toEqual([
    {
      units: ['u1', 'u2'],
      text: 'The unit could not be reached. The unit cannot be reached. The unit will stop them when it is online again. Check the unit, not u10.',
    },
    { units: ['u3'], text: 'Busy.' },
  ]);
  // Of one unit its name stays, and what reached no unit has none.
  expect(reasonsOf([away('u1')])[0]?.text).toContain('u1 cannot be reached');
  expect(reasonsOf([{ ...other, unit: null }])).toEqual([{ units: [], text: 'Busy.' }]);
});
