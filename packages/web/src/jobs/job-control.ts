import type { Json, LiveJob } from '@lcs/contract';
import type { Refusal } from '../tasks/unit-answers.ts';
import { jobsWords } from '../words/jobs.ts';
import { settingText } from './setting-text.ts';

/** A person has confirmed that the pumps dilute at once. */
export interface Confirmation {
  /** For the audit; empty: none. */
  readonly reason: string;
}

/** A request to a job of a unit. */
export type JobRequest =
  | { readonly kind: 'start' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | {
      readonly kind: 'adjust';
      readonly setting: string;
      readonly value: Json;
      /** What the unit had reported when it was sent. */
      readonly before?: Json;
      readonly confirmed?: Confirmation;
    };

/** The state of a request. It is done only when the unit itself reports the new state. */
export type RequestState =
  | { readonly phase: 'idle' }
  /** On its way to the leader. */
  | { readonly phase: 'sending'; readonly request: JobRequest }
  /** The leader accepted it and sends it to the unit. */
  | { readonly phase: 'forwarded'; readonly request: JobRequest }
  /** The unit accepted the request and has not reported the new state yet. */
  | { readonly phase: 'confirming'; readonly request: JobRequest }
  | { readonly phase: 'done'; readonly request: JobRequest }
  /** The unit accepted the request and did not report the new state in time. */
  | { readonly phase: 'unconfirmed'; readonly request: JobRequest }
  /** The unit accepted the value, and reports one that somebody else has set meanwhile. */
  | { readonly phase: 'overtaken'; readonly request: JobRequest; readonly value: Json }
  | { readonly phase: 'failed'; readonly request: JobRequest; readonly refusal: Refusal };

export type RequestEvent =
  | { readonly type: 'sent'; readonly request: JobRequest }
  | { readonly type: 'accepted' }
  /** The unit accepted the request; `values` are the active settings, where it reports them. */
  | { readonly type: 'granted'; readonly values: Readonly<Record<string, Json>>; readonly job: LiveJob | undefined }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  /** The live stream sent the present state of the job; `undefined`: it does not run. */
  | { readonly type: 'reported'; readonly job: LiveJob | undefined }
  | { readonly type: 'timed-out' }
  | { readonly type: 'dismissed' };

const isEqual = (left: unknown, right: Json): boolean =>
  left === right ||
  (typeof right === 'number' && Number(left) === right) ||
  JSON.stringify(left) === JSON.stringify(right);

/** Whether the job has the requested state. */
function isFulfilled(request: JobRequest, job: LiveJob | undefined): boolean {
  const state = job?.state ?? 'disconnected';
  switch (request.kind) {
    case 'start':
    case 'resume':
      return state === 'ready';
    case 'stop':
      return state === 'disconnected';
    case 'pause':
      return state === 'sleeping';
    case 'adjust':
      return job !== undefined && isEqual(job.settings[request.setting], request.value);
  }
}

/** The value that the job has instead of the requested one and of the one before; undefined: none. */
function valueOfOthers(request: JobRequest, job: LiveJob | undefined): Json | undefined {
  if (request.kind !== 'adjust') return undefined;
  const value = job?.settings[request.setting];
  const isOthers =
    value !== undefined &&
    request.before !== undefined &&
    !isEqual(value, request.before) &&
    !isEqual(value, request.value);
  return isOthers ? value : undefined;
}

/** Whether what a request was about has ended meanwhile: its failure or its missing confirmation concerns nobody any more. */
const isOver = (
  { phase, request }: Exclude<RequestState, { readonly phase: 'idle' }>,
  job: LiveJob | undefined,
): boolean =>
  (phase === 'failed' || phase === 'unconfirmed' || phase === 'overtaken') &&
  request.kind !== 'start' &&
  job === undefined;

/** A unit may clamp a value to its range; then the request waits for the clamped value. */
const withActiveValue = (request: JobRequest, values: Readonly<Record<string, Json>>): JobRequest => {
  const value = request.kind === 'adjust' ? values[request.setting] : undefined;
  return request.kind === 'adjust' && value !== undefined ? { ...request, value } : request;
};

export const isPending = ({ phase }: RequestState): boolean =>
  phase === 'sending' || phase === 'forwarded' || phase === 'confirming';

/** The state of a request that the unit has accepted, by what the unit reports. */
function acceptedState(request: JobRequest, job: LiveJob | undefined): RequestState {
  if (isFulfilled(request, job)) return { phase: 'done', request };
  const value = valueOfOthers(request, job);
  return value === undefined ? { phase: 'confirming', request } : { phase: 'overtaken', request, value };
}

/** The same of one that has waited for its state; any other stays as it is. */
function reportedState(control: RequestState, job: LiveJob | undefined): RequestState {
  if (control.phase !== 'confirming' && control.phase !== 'unconfirmed' && control.phase !== 'overtaken')
    return control;
  const next = acceptedState(control.request, job);
  return next.phase === 'confirming' ? control : next;
}

/** The table of transitions; an event that does not belong to a phase changes nothing. */
export function nextRequestState(control: RequestState, event: RequestEvent): RequestState {
  switch (event.type) {
    case 'sent':
      // A stop takes the place of a request that waits.
      return isPending(control) && event.request.kind !== 'stop'
        ? control
        : { phase: 'sending', request: event.request };
    case 'accepted':
      return control.phase === 'sending' ? { phase: 'forwarded', request: control.request } : control;
    case 'granted': {
      if (control.phase !== 'sending' && control.phase !== 'forwarded') return control;
      return acceptedState(withActiveValue(control.request, event.values), event.job);
    }
    case 'refused':
      if (control.phase !== 'sending' && control.phase !== 'forwarded') return control;
      return { phase: 'failed', request: control.request, refusal: event.refusal };
    case 'reported':
      // Until the leader has the request, the reported state is that of before.
      if (control.phase === 'idle' || control.phase === 'sending') return control;
      if (control.phase === 'done') return isFulfilled(control.request, event.job) ? control : { phase: 'idle' };
      if (isFulfilled(control.request, event.job))
        return control.phase === 'failed' ? { phase: 'idle' } : { phase: 'done', request: control.request };
      if (isOver(control, event.job)) return { phase: 'idle' };
      return reportedState(control, event.job);
    case 'timed-out':
      if (control.phase === 'confirming') return { phase: 'unconfirmed', request: control.request };
      return control.phase === 'done' ? { phase: 'idle' } : control;
    case 'dismissed':
      return isPending(control) ? control : { phase: 'idle' };
  }
}

const doing: { readonly [Kind in JobRequest['kind']]: string } = jobsWords.requestDoing;
const done: { readonly [Kind in JobRequest['kind']]: string } = jobsWords.requestDone;
const failed: { readonly [Kind in JobRequest['kind']]: string } = jobsWords.requestFailed;

/** The state of a request as text; `null`: idle. */
export function requestText(control: RequestState): string | null {
  switch (control.phase) {
    case 'idle':
      return null;
    case 'sending':
      return jobsWords.requestSending(doing[control.request.kind]);
    case 'forwarded':
      return jobsWords.requestWaiting(doing[control.request.kind]);
    case 'confirming':
      return jobsWords.requestAccepted(doing[control.request.kind]);
    case 'done':
      return done[control.request.kind];
    case 'unconfirmed':
      return jobsWords.requestUnconfirmed;
    case 'overtaken':
      return jobsWords.changedMeanwhile(settingText(control.value));
    case 'failed':
      return `${failed[control.request.kind]}: ${control.refusal.error}`;
  }
}
