/** The state of a tree of services. */
export type LifecycleState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running' }
  /** The start failed; the services that had started are being stopped. */
  | { readonly kind: 'undoing'; readonly error: unknown }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown };

export type LifecycleKind = LifecycleState['kind'];

export type LifecycleEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'started' }
  | { readonly kind: 'start_failed'; readonly error: unknown }
  | { readonly kind: 'undone' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'all_stopped' };

export type LifecycleEventKind = LifecycleEvent['kind'];

/** The transitions: by state and event, the next state. */
export const lifecycleTransitions: Readonly<
  Record<LifecycleKind, Readonly<Partial<Record<LifecycleEventKind, LifecycleKind>>>>
> = {
  idle: { start: 'starting', stop: 'stopped' },
  starting: { started: 'running', start_failed: 'undoing' },
  running: { stop: 'stopping' },
  undoing: { undone: 'failed' },
  stopping: { all_stopped: 'stopped' },
  stopped: {},
  failed: {},
};

/** The state after `event`. Throws on an event that `state` does not allow: a mistake in the program. */
export function nextLifecycleState(state: LifecycleState, event: LifecycleEvent): LifecycleState {
  const kind = lifecycleTransitions[state.kind][event.kind];
  if (kind === undefined) throw new Error(`The lifecycle state ${state.kind} does not allow the event ${event.kind}.`);
  if (kind !== 'undoing' && kind !== 'failed') return { kind };
  if (event.kind === 'start_failed') return { kind, error: event.error };
  return { kind, error: state.kind === 'undoing' ? state.error : undefined };
}
