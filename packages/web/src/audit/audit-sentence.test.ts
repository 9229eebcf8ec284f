import { leaderApi } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { callerOf, deedOf, outcomeOf, subjectOf } from './audit-sentence.ts';

describe('an entry of the audit', () => {
  it.each([
    ['runWorkerJob', 'od_reading', 'started OD reading'],
    ['stopWorkerJob', 'stirring', 'stopped stirring'],
    ['updateUnitJob', 'temperature_automation', 'changed temperature control'],
    ['createExperiment', null, 'created experiment'],
    ['unassignWorker', null, 'removed unit'],
    ['saveSharedConfig', null, 'saved the shared configuration'],
    ['signIn', null, 'signed in'],
  ])('of %s (%s) says %s', (operation, job, deed) => {
    expect(deedOf({ operation, job })).toBe(deed);
  });

  it('has plain words for every operation that changes something', () => {
    const deeds = Object.entries(leaderApi).flatMap(([operation, { method }]) =>
      method === 'GET' ? [] : [deedOf({ operation, job: null })],
    );
    expect(deeds.length).toBeGreaterThan(100);
    expect(deeds.filter((deed) => /[A-Z][a-z]|_|worker|artefact/.test(deed))).toEqual([]);
  });

  it('says who did it, on what, and with what result', () => {
    const local = { caller: 'local', caller_kind: 'local', channel: 'http' };
    expect(callerOf(local)).toBe('Somebody on this network');
    expect(callerOf({ ...local, channel: 'profile' })).toBe('A running profile');
    expect(callerOf({ ...local, caller_kind: 'person', caller: 'Ada' })).toBe('Ada');
    expect(subjectOf({ experiment: 'ramp', unit: '$broadcast' })).toBe('all units in ramp');
    expect(subjectOf({ experiment: '$experiment', unit: null })).toBe('');
    expect(subjectOf({ experiment: null, unit: 'unit1' })).toBe('unit1');
    expect([202, 403, 409].map((status) => outcomeOf({ status }).text)).toEqual(['Done', 'Refused', 'Failed']);
  });
});
