import type { Json, LiveJob } from '@lcs/contract';
import type { Refusal } from '../tasks/unit-answers.ts';

/** What a person wants of a job of a unit. */
export type Wish =
  | { readonly kind: 'start' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** `isConfirmed`: a person knows that pumps dilute at once. */
  | { readonly kind: 'adjust'; readonly setting: string; readonly value: Json; readonly isConfirmed?: boolean };

/** How a wish stands. Nothing counts as done before the unit itself has said so. */
export type Control =
  | { readonly phase: 'idle' }
  /** On its way to the leader. */
  | { readonly phase: 'sending'; readonly wish: Wish }
  /** The leader has it and asks the unit. */
  | { readonly phase: 'asked'; readonly wish: Wish }
  /** The unit said yes; the state itself is not heard yet. */
  | { readonly phase: 'confirming'; readonly wish: Wish }
  | { readonly phase: 'done'; readonly wish: Wish }
  /** The unit said yes, but its state did not follow in time. */
  | { readonly phase: 'unconfirmed'; readonly wish: Wish }
  | { readonly phase: 'failed'; readonly wish: Wish; readonly refusal: Refusal };

export type ControlEvent =
  | { readonly type: 'sent'; readonly wish: Wish }
  | { readonly type: 'accepted' }
  /** The unit said yes; `values` are the settings in force, where it named them. */
  | { readonly type: 'granted'; readonly values: Readonly<Record<string, Json>>; readonly job: LiveJob | undefined }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  /** The stream told how the job is now; `undefined`: it does not run. */
  | { readonly type: 'heard'; readonly job: LiveJob | undefined }
  | { readonly type: 'waited' }
  | { readonly type: 'put away' };

const isEqual = (left: unknown, right: Json): boolean =>
  left === right ||
  (typeof right === 'number' && Number(left) === right) ||
  JSON.stringify(left) === JSON.stringify(right);

/** Whether the job is as wished. */
function isFulfilled(wish: Wish, job: LiveJob | undefined): boolean {
  const state = job?.state ?? 'disconnected';
  switch (wish.kind) {
    case 'start':
    case 'resume':
      return state === 'ready';
    case 'stop':
      return state === 'disconnected';
    case 'pause':
      return state === 'sleeping';
    case 'adjust':
      return job !== undefined && isEqual(job.settings[wish.setting], wish.value);
  }
}

/** A unit may clamp a value to its range: then the clamped one is what is waited for. */
const inForce = (wish: Wish, values: Readonly<Record<string, Json>>): Wish => {
  const value = wish.kind === 'adjust' ? values[wish.setting] : undefined;
  return wish.kind === 'adjust' && value !== undefined ? { ...wish, value } : wish;
};

export const isPending = ({ phase }: Control): boolean =>
  phase === 'sending' || phase === 'asked' || phase === 'confirming';

/** The table of transitions; what makes no sense in a phase changes nothing. */
export function nextControl(control: Control, event: ControlEvent): Control {
  switch (event.type) {
    case 'sent':
      return isPending(control) ? control : { phase: 'sending', wish: event.wish };
    case 'accepted':
      return control.phase === 'sending' ? { phase: 'asked', wish: control.wish } : control;
    case 'granted': {
      if (control.phase !== 'sending' && control.phase !== 'asked') return control;
      const wish = inForce(control.wish, event.values);
      return { phase: isFulfilled(wish, event.job) ? 'done' : 'confirming', wish };
    }
    case 'refused':
      if (control.phase !== 'sending' && control.phase !== 'asked') return control;
      return { phase: 'failed', wish: control.wish, refusal: event.refusal };
    case 'heard':
      // Before the leader has the wish, the state that is heard is that of before.
      if (control.phase !== 'asked' && control.phase !== 'confirming' && control.phase !== 'unconfirmed')
        return control;
      return isFulfilled(control.wish, event.job) ? { phase: 'done', wish: control.wish } : control;
    case 'waited':
      if (control.phase === 'confirming') return { phase: 'unconfirmed', wish: control.wish };
      return control.phase === 'done' ? { phase: 'idle' } : control;
    case 'put away':
      return isPending(control) ? control : { phase: 'idle' };
  }
}

const doing: { readonly [Kind in Wish['kind']]: string } = {
  start: 'Starting',
  stop: 'Stopping',
  pause: 'Pausing',
  resume: 'Resuming',
  adjust: 'Changing',
};
const done: { readonly [Kind in Wish['kind']]: string } = {
  start: 'Started',
  stop: 'Stopped',
  pause: 'Paused',
  resume: 'Resumed',
  adjust: 'Changed',
};
const failed: { readonly [Kind in Wish['kind']]: string } = {
  start: 'Not started',
  stop: 'Not stopped',
  pause: 'Not paused',
  resume: 'Not resumed',
  adjust: 'Not changed',
};

/** How a wish stands, in words; `null`: there is nothing to say. */
export function controlText(control: Control): string | null {
  switch (control.phase) {
    case 'idle':
      return null;
    case 'sending':
      return `${doing[control.wish.kind]}: sending…`;
    case 'asked':
      return `${doing[control.wish.kind]}: waiting for the unit…`;
    case 'confirming':
      return `${doing[control.wish.kind]}: accepted, waiting for its state…`;
    case 'done':
      return done[control.wish.kind];
    case 'unconfirmed':
      return 'The unit accepted it, but its state has not been heard yet.';
    case 'failed':
      return `${failed[control.wish.kind]}: ${control.refusal.error}`;
  }
}
