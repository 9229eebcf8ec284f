import { type AcceptedTask, hasShape, type Json, type LiveJob, type RunJob, UpdatedJobSettings } from '@lcs/contract';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { problemText } from '../api/problem.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { commandOutcomes } from '../tasks/unit-answers.ts';
import { type Control, nextControl, type Wish } from './job-control.ts';

/** How long the state of a job may take to follow a yes. */
const patienceMs = 10_000;
/** How long good news stays beside a control. */
const goodNewsMs = 4000;
/** More than the leader gives a unit to finish. */
const taskTimeoutMs = 60_000;

interface JobTarget {
  readonly unit: string;
  readonly experiment: string;
  readonly jobName: string;
  /** As the stream tells it; `undefined`: it does not run. */
  readonly job: LiveJob | undefined;
}

export interface JobControl {
  readonly control: Control;
  /** `isConfirmed`: a person knows that pumps dilute at once. */
  readonly start: (options: NonNullable<RunJob['options']>, isConfirmed?: boolean) => void;
  readonly wish: (wish: Exclude<Wish, { readonly kind: 'start' }>) => void;
  readonly putAway: () => void;
}

/** The settings that the unit reports as active; a start reports none. */
const activeSettings = (value: unknown): Readonly<Record<string, Json>> =>
  hasShape(UpdatedJobSettings, value) ? value.settings : {};

/** Starts, stops and adjusts one job of one unit, and knows how that stands. */
export function useJobControl({ unit, experiment, jobName, job }: JobTarget): JobControl {
  const { leader, clock } = useServices();
  const [control, dispatch] = useReducer(nextControl, { phase: 'idle' });
  const heard = useRef(job);
  heard.current = job;

  useEffect(() => dispatch({ type: 'heard', job }), [job]);
  const { phase } = control;
  useEffect(() => {
    if (phase !== 'confirming' && phase !== 'done') return undefined;
    return clock.after(phase === 'done' ? goodNewsMs : patienceMs, () => dispatch({ type: 'waited' }));
  }, [phase, clock]);

  const follow = useCallback(
    async (wish: Wish, send: () => Promise<AcceptedTask>): Promise<void> => {
      dispatch({ type: 'sent', wish });
      try {
        const accepted = await send();
        dispatch({ type: 'accepted' });
        const task = await followTask(clock, accepted, taskTimeoutMs);
        const outcome = commandOutcomes(task, [unit]).get(unit);
        if (outcome?.ok) dispatch({ type: 'granted', values: activeSettings(outcome.value), job: heard.current });
        else if (outcome) dispatch({ type: 'refused', refusal: outcome.refusal });
      } catch (error) {
        dispatch({ type: 'refused', refusal: problemText(error) });
      }
    },
    [clock, unit],
  );

  const start = (options: NonNullable<RunJob['options']>, isConfirmed = false): void => {
    const params = { reactor_unit: unit, job: jobName, experiment };
    void follow({ kind: 'start' }, () =>
      leader.runWorkerJob({
        params,
        body: { options, env: { JOB_SOURCE: 'user' }, confirm_dilution: isConfirmed },
      }),
    );
  };
  const wish = (wanted: Exclude<Wish, { readonly kind: 'start' }>): void => {
    if (wanted.kind === 'stop') {
      const params = { reactor_unit: unit, job_name: jobName, experiment };
      void follow(wanted, () => leader.stopWorkerJob({ params }));
      return;
    }
    const settings =
      wanted.kind === 'adjust'
        ? { [wanted.setting]: typeof wanted.value === 'object' ? JSON.stringify(wanted.value) : wanted.value }
        : { $state: wanted.kind === 'pause' ? 'sleeping' : 'ready' };
    const params = { reactor_unit: unit, job: jobName, experiment };
    const confirm_dilution = wanted.kind === 'adjust' && wanted.isConfirmed === true;
    void follow(wanted, () => leader.updateWorkerJob({ params, body: { settings, confirm_dilution } }));
  };
  return { control, start, wish, putAway: () => dispatch({ type: 'put away' }) };
}
