import type { UnitOutcome } from '@lcs/contract';
import { expect, it } from 'vitest';
import { withProfilesStopped } from './profiles-stopped.ts';

const profile = { job_name: 'experiment_profile', job_id: 7 };
const outcomeOf = (unit: string, stopped: readonly unknown[]): UnitOutcome => ({
  ok: true,
  unit,
  value: { stopped, still_running: [] },
});
const unreachable: UnitOutcome = {
  ok: false,
  unit: 'lead',
  error: { kind: 'connection_error', message: 'No answer.' },
  status_code: null,
  retryable: true,
};

it('lists the ended profiles, and omits a leader that had no other request', () => {
  const rx01 = outcomeOf('rx01', [{ job_name: 'stirring', job_id: 1 }]);
  const outcomes = { lead: outcomeOf('lead', [profile]), rx01 };
  expect(withProfilesStopped(outcomes, { leader: 'lead', isWorker: false })).toEqual({
    rx01,
    profiles_stopped: [profile],
  });
});

it('keeps a leader that is a worker with all it stopped, and names its profiles too', () => {
  const lead = outcomeOf('lead', [{ job_name: 'stirring', job_id: 1 }, profile]);
  expect(withProfilesStopped({ lead }, { leader: 'lead', isWorker: true })).toEqual({
    lead,
    profiles_stopped: [profile],
  });
});

it('shows a leader that did not do it', () => {
  expect(withProfilesStopped({ lead: unreachable }, { leader: 'lead', isWorker: false })).toEqual({
    lead: unreachable,
    profiles_stopped: [],
  });
});
