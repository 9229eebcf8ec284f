import { type AcceptedTask, hasShape, type Json, type LiveJob, type RunJob, UpdatedJobSettings } from '@lcs/contract';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { oneAtATime } from '../services/one-at-a-time.ts';
import { useServices } from '../services/services.tsx';
import { isSameAct } from '../services/use-mutation.ts';
import { followTask } from '../tasks/follow-task.ts';
import { commandOutcomes } from '../tasks/unit-answers.ts';
import {
  type Confirmation,
  type JobRequest,
  nextRequestState,
  type RequestEvent,
  type RequestState,
} from './job-control.ts';

/** How long a unit may take to report the new state of a job. */
const confirmationLimitMs = 10_000;
/** How long a success is shown. */
const successShownMs = 4000;
/** More than the leader gives a unit to finish. */
const taskTimeoutMs = 60_000;

interface JobTarget {
  readonly unit: string;
  readonly experiment: string;
  readonly jobName: string;
  /** From the live stream; `undefined`: the job does not run. */
  readonly job: LiveJob | undefined;
}

export interface JobControl {
  readonly control: RequestState;
  readonly start: (options: NonNullable<RunJob['options']>, confirmed?: Confirmation) => void;
  readonly request: (request: Exclude<JobRequest, { readonly kind: 'start' }>) => void;
  readonly dismiss: () => void;
}

/** The settings that the unit reports as active; a start reports none. */
const activeSettings = (value: unknown): Readonly<Record<string, Json>> =>
  hasShape(UpdatedJobSettings, value) ? value.settings : {};

/** The part of a call that states why. */
export const reasonOf = (confirmed: Confirmation | undefined): { readonly reason?: string } =>
  confirmed === undefined || confirmed.reason === '' ? {} : { reason: confirmed.reason };

/** Starts, stops and adjusts one job of one unit, with the state of the last request. */
export function useJobControl({ unit, experiment, jobName, job }: JobTarget): JobControl {
  const { leader, clock } = useServices();
  const [control, dispatch] = useReducer(nextRequestState, { phase: 'idle' });
  const latest = useRef(job);
  latest.current = job;
  // The form closes with an animation, and a double click would send it twice.
  const [once] = useState(() => oneAtATime<unknown, void>(isSameAct));
  /** The newest request: answers to one that a stop has replaced are ignored. */
  const newest = useRef<JobRequest>(undefined);

  useEffect(() => dispatch({ type: 'reported', job }), [job]);
  const { phase } = control;
  useEffect(() => {
    if (phase !== 'confirming' && phase !== 'done') return undefined;
    return clock.after(phase === 'done' ? successShownMs : confirmationLimitMs, () => dispatch({ type: 'timed-out' }));
  }, [phase, clock]);

  const follow = useCallback(
    async (request: JobRequest, send: () => Promise<AcceptedTask>): Promise<void> => {
      newest.current = request;
      const answer = (event: RequestEvent): void => {
        if (newest.current === request) dispatch(event);
      };
      answer({ type: 'sent', request });
      try {
        const accepted = await send();
        answer({ type: 'accepted' });
        const task = await followTask(clock, accepted, taskTimeoutMs);
        const outcome = commandOutcomes(task, [unit]).get(unit);
        if (outcome?.ok) answer({ type: 'granted', values: activeSettings(outcome.value), job: latest.current });
        else if (outcome) answer({ type: 'refused', refusal: outcome.refusal });
      } catch (error) {
        answer({ type: 'refused', refusal: problemText(error) });
      }
    },
    [clock, unit],
  );

  const start = (options: NonNullable<RunJob['options']>, confirmed?: Confirmation): void => {
    const params = { reactor_unit: unit, job: jobName, experiment };
    void follow({ kind: 'start' }, () =>
      leader.runWorkerJob({
        params,
        body: { options, env: { JOB_SOURCE: 'user' }, confirm_dilution: confirmed !== undefined },
        ...reasonOf(confirmed),
      }),
    );
  };
  const request = (asked: Exclude<JobRequest, { readonly kind: 'start' }>): void => {
    const before = asked.kind === 'adjust' ? latest.current?.settings[asked.setting] : undefined;
    const requested = before !== undefined && asked.kind === 'adjust' ? { ...asked, before } : asked;
    if (requested.kind === 'stop') {
      const params = { reactor_unit: unit, job_name: jobName, experiment };
      void follow(requested, () => leader.stopWorkerJob({ params }));
      return;
    }
    const settings =
      requested.kind === 'adjust'
        ? {
            [requested.setting]:
              typeof requested.value === 'object' ? JSON.stringify(requested.value) : requested.value,
          }
        : { $state: requested.kind === 'pause' ? 'sleeping' : 'ready' };
    const params = { reactor_unit: unit, job: jobName, experiment };
    const confirmed = requested.kind === 'adjust' ? requested.confirmed : undefined;
    const body = { settings, confirm_dilution: confirmed !== undefined };
    const send = () => follow(requested, () => leader.updateWorkerJob({ params, body, ...reasonOf(confirmed) }));
    void (requested.kind === 'adjust' ? once(requested, send) : send());
  };
  return { control, start, request, dismiss: () => dispatch({ type: 'dismissed' }) };
}
