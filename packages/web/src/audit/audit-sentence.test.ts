import { ChosenUnits, leaderApi, type RouteDeclaration } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { callerOf, deedOf, isKnownDeed, outcomeOf, subjectOf, withoutRepeats } from './audit-sentence.ts';

const done = { job: null, body: null, after: null, status: 202, failure_code: null };

describe('an entry of the audit', () => {
  it.each([
    ['runWorkerJob', 'od_reading', 'started OD reading'],
    ['stopWorkerJob', 'stirring', 'stopped stirring'],
    ['updateUnitJob', 'temperature_automation', 'changed temperature control'],
    ['createExperiment', null, 'created experiment'],
    ['unassignWorker', null, 'unassigned unit'],
    ['removeWorker', null, 'removed unit'],
    ['stopJobs', 'stirring', 'stopped stirring'],
    ['stopJobs', null, 'stopped jobs'],
    ['stopEverywhere', null, 'stopped everything'],
    ['updateToNextVersion', null, 'updated the leader to the next version'],
    ['recomputeGrowth', null, 'recomputed growth'],
    ['saveSharedConfig', null, 'saved the shared configuration'],
    ['signIn', null, 'signed in'],
  ])('of %s (%s) says %s', (operation, job, deed) => {
    expect(deedOf({ ...done, operation, job })).toBe(deed);
  });

  it('has plain words for every operation that changes something', () => {
    const deeds = Object.entries(leaderApi).flatMap(([operation, { method }]) =>
      method === 'GET' ? [] : [deedOf({ ...done, operation })],
    );
    expect(deeds.length).toBeGreaterThan(100);
    expect(deeds.filter((deed) => /[A-Z][a-z]|_|worker|artefact/.test(deed))).toEqual([]);
  });

  it('has a past tense for every operation that changes something', () => {
    const changing = Object.entries(leaderApi).flatMap(([operation, { method }]) =>
      method === 'GET' ? [] : [operation],
    );
    expect(changing.filter((operation) => !isKnownDeed(operation))).toEqual([]);
    expect(isKnownDeed('frobnicateUnit')).toBe(false);
  });

  it('names all units only where a request cannot choose some of them', () => {
    for (const [operation, route] of Object.entries<RouteDeclaration>(leaderApi)) {
      const subject = subjectOf({ operation, experiment: null, unit: '$broadcast', units: null });
      expect([operation, subject]).toEqual([operation, route.query === ChosenUnits ? 'several units' : 'all units']);
    }
  });

  it('says who did it, on what, and with what result', () => {
    const local = { ...done, operation: 'runWorkerJob', caller: 'local', caller_kind: 'local', channel: 'http' };
    expect(callerOf(local)).toBe('Somebody not signed in');
    expect(callerOf({ ...local, channel: 'profile' })).toBe('A running profile');
    expect(callerOf({ ...local, caller_kind: 'person', caller: 'Ada' })).toBe('Ada');
    const signIn = { ...local, caller_kind: 'anonymous', operation: 'signIn', body: '{"name":"Ada"}', status: 200 };
    expect(callerOf(signIn)).toBe('Ada');
    // Whoever it was, the password was wrong.
    expect(callerOf({ ...signIn, status: 401 })).toBe('Somebody not signed in');
    const joined = { ...signIn, operation: 'enrolUnit', body: '{"reactor_unit":"unit7"}' };
    expect(callerOf(joined)).toBe('unit7');
    const reboot = { operation: 'rebootUnits', experiment: null, units: null };
    expect(subjectOf({ ...reboot, experiment: 'ramp', unit: '$broadcast' })).toBe('all units in ramp');
    expect(subjectOf({ ...reboot, experiment: '$experiment', unit: null })).toBe('');
    expect(subjectOf({ ...reboot, unit: 'unit1' })).toBe('unit1');
    const chosen = { operation: 'stopWorkerJob', experiment: 'ramp', unit: '$broadcast', units: ['unit1', 'unit3'] };
    expect(subjectOf(chosen)).toBe('unit1, unit3 in ramp');
    const outcome = (status: number, failure_code: string | null = null) =>
      outcomeOf({ status, code: null, failure_code }).text;
    expect([outcome(202), outcome(403), outcome(409)]).toEqual(['Done', 'Refused', 'Failed']);
    expect(outcome(202, 'dilution_not_confirmed')).toMatch(/^Refused/);
    expect(outcome(202, 'some_code')).toBe('Failed');
  });

  it('has one line for a request that failed after it was accepted', () => {
    const entry = (seq: number, request_id: string, status: number, failure_code: string | null = null) => ({
      seq,
      request_id,
      status,
      failure_code,
    });
    const entries = [
      ...[entry(4, 'c', 409), entry(3, 'b', 202), entry(2, 'a', 409), entry(1, 'a', 202, 'job_already_running')],
    ];
    expect(withoutRepeats(entries).map(({ seq }) => seq)).toEqual([4, 3, 1]);
    // Its request is on the page before.
    expect(withoutRepeats(entries.slice(0, 3))).toHaveLength(3);
  });

  it('does not say that something was done which was asked for in vain', () => {
    const start = { ...done, operation: 'runWorkerJob', job: 'dosing_automation' };
    expect(deedOf({ ...start, failure_code: 'dilution_not_confirmed' })).toMatch(/^asked to start dosing/);
    expect(deedOf({ ...start, status: 409 })).toMatch(/^asked to start dosing/);
    expect(deedOf({ ...done, operation: 'stopJobs', after: '{"stopped":[]}' })).toMatch(/none ran/);
    expect(deedOf({ ...done, operation: 'stopJobs', after: '{"stopped":["stirring"]}' })).toBe('stopped jobs');
    expect(deedOf({ ...done, operation: 'stopEverywhere', body: '{"what":"pumps"}' })).toBe('stopped all pumps');
  });
});
