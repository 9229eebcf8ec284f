import type { Alarm, Assignment, LiveJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { jobsOfUnit } from '../experiments/running-units.ts';
import { someAlarm } from '../testing/some-alarm.ts';
import {
  clusterSentence,
  clusterState,
  experimentsWithUnits,
  nextStep,
  runningText,
  shortSentence,
  tileUnits,
} from './cluster-state.ts';

const assignment = (reactor_unit: string, experiment: string | null): Assignment => ({
  reactor_unit,
  experiment,
  is_active: 1,
});
const job = (reactor_unit: string, experiment: string, job_name = 'stirring', state: LiveJob['state'] = 'ready') => ({
  reactor_unit,
  experiment,
  job_name,
  state,
  job_id: 1,
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings: {},
});
const alarm = (state: Alarm['state']): Alarm => someAlarm(state, { state });

const assignments = [assignment('u10', 'a'), assignment('u2', 'b'), assignment('u1', 'a'), assignment('u3', null)];

describe('the state of all units', () => {
  it('counts units of experiments that run a job of it, and alarms that wait or stand', () => {
    const jobs = [
      job('u1', 'a'),
      job('u1', 'a', 'od_reading'),
      // The monitor runs always; an experiment that the unit has left, and a lost job, do not count.
      job('u2', 'b', 'monitor'),
      job('u2', 'a'),
      job('u10', 'a', 'stirring', 'lost'),
      job('u3', '$experiment'),
    ];
    const alarms = [alarm('unacknowledged'), alarm('returned'), alarm('acknowledged'), alarm('shelved')];
    expect(clusterState({ assignments, jobs, alarms, held: [] })).toEqual({
      running: 1,
      assigned: 3,
      lacking: 0,
      alarms: 3,
      acknowledged: 1,
      muted: 1,
      profiles: [],
    });
    // A unit that doses without its readings is not well, though there is no alarm yet.
    const dosing = { ...job('u10', 'a', 'dosing_automation'), settings: { biomass_signal: 'od' } };
    expect(clusterState({ assignments, jobs: [...jobs, dosing], alarms, held: [] })).toMatchObject({
      running: 2,
      lacking: 1,
    });
    // Nor is one with a job that nobody has stopped and that is off since a restart, whatever became of its alarm.
    const held = { reactor_unit: 'u2', job_name: 'dosing_automation', job_id: 3, since: '2026-05-02T09:14:03.120Z' };
    const withHeld = (experiment: string) =>
      clusterState({ assignments, jobs, alarms: [], held: [{ ...held, experiment, was_stopped: false }] });
    expect(['b', 'left'].map((experiment) => withHeld(experiment).lacking)).toEqual([1, 0]);
    // A profile is a job of the leader.
    const profile = (state: LiveJob['state']) => ({
      ...job('leader', 'a', 'experiment_profile', state),
      settings: { experiment_profile_name: 'two speeds' },
    });
    expect(clusterState({ assignments, jobs: [...jobs, profile('sleeping')], alarms, held: [] }).profiles).toEqual([
      'two speeds',
    ]);
    expect(clusterState({ assignments, jobs: [...jobs, profile('disconnected')], alarms, held: [] }).profiles).toEqual(
      [],
    );
    expect(jobsOfUnit(jobs, 'u1', 'a')).toHaveLength(2);
    expect(jobsOfUnit(jobs, 'u2', 'b')).toEqual([]);
  });

  it('is one sentence', () => {
    const state = (
      running: number,
      assigned: number,
      alarms: number,
      acknowledged = 0,
      lacking = 0,
      profiles: readonly string[] = [],
      muted = 0,
    ) => ({
      running,
      assigned,
      alarms,
      acknowledged,
      lacking,
      profiles,
      muted,
    });
    // A muted alarm still stands.
    expect(clusterSentence(state(3, 3, 0, 0, 0, [], 1), null)).toBe('3 units running, 1 alarm muted');
    expect(clusterSentence(state(3, 3, 2, 1, 0, [], 1), null)).toBe(
      '3 units running, 2 alarms (1 acknowledged), 1 muted',
    );
    expect(shortSentence(state(3, 3, 0, 0, 0, [], 2))).toBe('3 running, 2 alarms muted');
    expect(clusterSentence(state(3, 3, 0, 0, 1), null)).toBe('3 units running, 1 lacks a job, no alarms');
    expect(clusterSentence(state(3, 3, 0, 0, 0, ['two speeds']), null)).toBe(
      '3 units running, profile two speeds, no alarms',
    );
    expect(clusterSentence(state(3, 3, 0, 0, 0, ['a', 'b']), null)).toBe('3 units running, 2 profiles, no alarms');
    expect(shortSentence(state(3, 3, 1, 0, 2))).toBe('3 running, 2 lack a job, 1 alarm');
    expect(clusterSentence(state(6, 6, 1), null)).toBe('6 units running, 1 alarm');
    expect(clusterSentence(state(6, 6, 1), '00:29')).toBe('Last known 00:29: 6 units running, 1 alarm');
    expect(clusterSentence(state(1, 1, 0), null)).toBe('1 unit running, no alarms');
    expect(clusterSentence(state(2, 3, 2), null)).toBe('2 of 3 units running, 2 alarms');
    expect(clusterSentence(state(2, 2, 1, 1), null)).toBe('2 units running, 1 alarm (acknowledged)');
    expect(clusterSentence(state(2, 2, 3, 1), null)).toBe('2 units running, 3 alarms (1 acknowledged)');
    expect(shortSentence(state(6, 6, 0))).toBe('6 running');
    expect(shortSentence(state(5, 6, 1))).toBe('5 of 6 running, 1 alarm');
    expect(shortSentence(state(6, 6, 2, 2))).toBe('6 running, 2 alarms (acknowledged)');
    expect(runningText(state(0, 0, 0))).toBe('No units running');
  });
});

it('the next step is the first that is missing', () => {
  const idle = { running: 0, assigned: 0, lacking: 0, alarms: 0, acknowledged: 0, muted: 0, profiles: [] };
  const steps = [
    { units: 0, experiments: 0, state: idle },
    { units: 2, experiments: 0, state: idle },
    { units: 2, experiments: 1, state: idle },
    { units: 2, experiments: 1, state: { ...idle, assigned: 1 } },
    { units: 2, experiments: 1, state: { ...idle, assigned: 1, running: 1 } },
  ].map(nextStep);
  expect(steps).toEqual(['add-unit', 'create-experiment', 'assign-units', 'start-jobs', null]);
});

it('tiles are in the natural order of units, of all experiments or of one', () => {
  expect(tileUnits(assignments, undefined).map(({ unit }) => unit)).toEqual(['u1', 'u2', 'u10']);
  expect(tileUnits(assignments, 'a').map(({ unit }) => unit)).toEqual(['u1', 'u10']);
  expect(tileUnits(assignments, 'none')).toEqual([]);
  expect(experimentsWithUnits(assignments)).toEqual(['a', 'b']);
});
