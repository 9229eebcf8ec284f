/** Why a job has ended. */
export type EndReason =
  /** Its work was done. */
  | 'finished'
  /** Someone stopped it. */
  | 'stopped'
  /** It threw, or was not ready in time. */
  | 'failed'
  /** The node stops, for an update for instance. */
  | 'node_stopped';

/** The state of a job; `sinceMs` by the clock of the node. */
export type JobState =
  | { readonly kind: 'init'; readonly sinceMs: number }
  | { readonly kind: 'ready'; readonly sinceMs: number }
  | { readonly kind: 'sleeping'; readonly sinceMs: number }
  | { readonly kind: 'disconnected'; readonly sinceMs: number; readonly reason: EndReason; readonly error?: string }
  /** Set by others only: the node ended while the job ran. */
  | { readonly kind: 'lost'; readonly sinceMs: number };

export type JobStateKind = JobState['kind'];

export type JobStateEvent =
  | { readonly kind: 'started' }
  /** Resumed after a restart, and asleep before it. */
  | { readonly kind: 'started_asleep' }
  | { readonly kind: 'sleep' }
  | { readonly kind: 'wake' }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly error?: string }
  | { readonly kind: 'lose' };

export type JobStateEventKind = JobStateEvent['kind'];

/** The transitions by state and event; others are ignored. */
export const jobTransitions: Readonly<
  Record<JobStateKind, Readonly<Partial<Record<JobStateEventKind, JobStateKind>>>>
> = {
  init: { started: 'ready', started_asleep: 'sleeping', end: 'disconnected', lose: 'lost' },
  ready: { sleep: 'sleeping', end: 'disconnected', lose: 'lost' },
  sleeping: { wake: 'ready', end: 'disconnected', lose: 'lost' },
  disconnected: {},
  lost: {},
};

/** The state after `event`, or undefined when `state` ignores the event (the end is final). */
export function nextJobState(state: JobState, event: JobStateEvent, nowMs: number): JobState | undefined {
  const kind = jobTransitions[state.kind][event.kind];
  if (kind === undefined) return undefined;
  if (kind !== 'disconnected') return { kind, sinceMs: nowMs };
  if (event.kind !== 'end') return undefined;
  const { reason, error } = event;
  return { kind, sinceMs: nowMs, reason, ...(error === undefined ? {} : { error }) };
}

/** States that may be requested; `init` and `lost` may not. */
export const requestableStates = ['ready', 'sleeping', 'disconnected'] as const;
export type RequestableState = (typeof requestableStates)[number];

export const isRequestableState = (value: unknown): value is RequestableState =>
  requestableStates.some((state) => state === value);
