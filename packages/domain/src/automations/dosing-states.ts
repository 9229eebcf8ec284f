/** An evaluation that became due while the job was paused is made up for within this time. As in a similar system, ms. */
const lateEvaluationMs = 60_000;

/** After a pump was in use by another job, readings cause no evaluation for this time, ms. */
const pumpInUseMs = 30_000;

/** After this number of consecutive failures a person must check the unit. */
const maxFailures = 3;

/** The result of an evaluation of the rule, with the dose that it may have ordered. */
export type DosingOutcome =
  /** The rule ordered nothing. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'dosed' }
  /** `mustPause`: no dose until a person has checked the unit. */
  | { readonly kind: 'failed'; readonly why: string; readonly mustPause: boolean }
  | { readonly kind: 'pump_in_use'; readonly why: string }
  /** `isEarly`: the measuring job has just started, which is not a fault. */
  | { readonly kind: 'reading_missing'; readonly why: string; readonly isEarly: boolean };

/** The state of dosing_automation; plain data. */
export interface DosingState {
  /** `repeating`: a reading came during an evaluation, which is repeated at once. */
  readonly evaluation: 'idle' | 'running' | 'repeating';
  readonly job:
    | { readonly kind: 'active' }
    /** `dueAtMs`: since when an evaluation waits for the end of the pause; undefined: none waits. */
    | { readonly kind: 'paused'; readonly dueAtMs: number | undefined };
  /** After a power cut nothing is dosed before the optical density was measured; `reported`: an evaluation had to wait. */
  readonly gate: 'open' | 'closed' | 'reported';
  /** Before this time readings cause no evaluation, ms. */
  readonly quietUntilMs: number;
  /** Failures in a row. */
  readonly failures: number;
}

export type DosingEvent =
  /** An evaluation is due by the clock. */
  | { readonly kind: 'due' }
  /** A reading that the rule acts on. */
  | { readonly kind: 'reading' }
  /** A trusted reading of the optical density, for the gate. */
  | { readonly kind: 'density_measured' }
  /** A dose has ended: the culture mixes for this time, ms. */
  | { readonly kind: 'dose_ended'; readonly settleMs: number }
  | { readonly kind: 'evaluated'; readonly outcome: DosingOutcome }
  /** The presence of readings is to be checked. */
  | { readonly kind: 'check_due' }
  /** Dosing must not continue; `why`: a sentence. */
  | { readonly kind: 'blocked'; readonly why: string }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' };

/** An event with the present situation of the unit. */
export type DosingInput = DosingEvent & {
  /** Monotonic clock. */
  readonly nowMs: number;
};

export type DosingEffect =
  /** Waits for readings, evaluates the rule, and carries out its decision; the outcome is an input. */
  | { readonly kind: 'evaluate' }
  | { readonly kind: 'check_readings' }
  /** Pumps stop at once, and an exchange waits; or it continues. */
  | { readonly kind: 'pause_pumps' }
  | { readonly kind: 'resume_pumps' }
  /** Pauses the job until a person resumes it. */
  | { readonly kind: 'pause_job' }
  /** Records an error. */
  | { readonly kind: 'report_failure'; readonly why: string }
  | { readonly kind: 'notify'; readonly notice: 'waits_for_density' | 'density_measured' }
  | { readonly kind: 'notify_early'; readonly why: string };

interface Step {
  readonly state: DosingState;
  readonly effects: readonly DosingEffect[];
}

/** `isResumed`: the job continues after a power cut. */
export const initialDosingState = (isResumed: boolean): DosingState => ({
  evaluation: 'idle',
  job: { kind: 'active' },
  gate: isResumed ? 'closed' : 'open',
  quietUntilMs: Number.NEGATIVE_INFINITY,
  failures: 0,
});

/**
 * dosing_automation as a state machine:
 *
 * | job | gate | evaluation | input | effect |
 * |---|---|---|---|---|
 * | active | open | idle | due; reading after the quiet time | evaluation runs |
 * | active | closed | idle | due, reading, check_due | gate reported: a person is notified once |
 * | active | reported | idle | density_measured | gate open, evaluation runs |
 * | active | open | running | reading | evaluation repeating |
 * | active | open | running | evaluated | idle; paused after a failure that needs a person, or the third in a row |
 * | active | open | repeating | evaluated | runs once more, or idle during the quiet time |
 * | active | any | any | blocked, pause | paused: pumps stop |
 * | paused | any | any | due | the evaluation waits |
 * | paused | any | any | resume | active; an evaluation runs that waited for no more than 60 s |
 *
 * All other inputs change nothing. A dose that is interrupted by a pause continues after it: `evaluation` stays as it is.
 */
export function dosingStep(state: DosingState, input: DosingInput): Step {
  switch (input.kind) {
    case 'due':
      return startIfDue(state, input.nowMs);
    case 'reading':
      return whenRead(state, input.nowMs);
    case 'density_measured':
      return openGate(state, input.nowMs);
    case 'dose_ended':
      return only({ ...state, quietUntilMs: input.nowMs + input.settleMs });
    case 'evaluated':
      return afterEvaluation(state, input);
    case 'check_due':
      if (state.job.kind === 'paused') return only(state);
      return state.gate === 'open' ? only(state, { kind: 'check_readings' }) : keepWaiting(state);
    case 'blocked':
      return pauseJob(state, input.why);
    case 'pause':
      return pause(state);
    case 'resume':
      return resume(state, input.nowMs);
  }
}

const only = (state: DosingState, ...effects: readonly DosingEffect[]): Step => ({ state, effects });

function keepWaiting(state: DosingState): Step {
  if (state.gate !== 'closed') return only(state);
  return only({ ...state, gate: 'reported' }, { kind: 'notify', notice: 'waits_for_density' });
}

function evaluate(state: DosingState): Step {
  if (state.gate !== 'open') return keepWaiting(state);
  return state.evaluation === 'idle' ? only({ ...state, evaluation: 'running' }, { kind: 'evaluate' }) : only(state);
}

function startIfDue(state: DosingState, nowMs: number): Step {
  const { job } = state;
  if (job.kind === 'active') return evaluate(state);
  return only({ ...state, job: { kind: 'paused', dueAtMs: job.dueAtMs ?? nowMs } });
}

function whenRead(state: DosingState, nowMs: number): Step {
  if (nowMs < state.quietUntilMs || state.job.kind === 'paused') return only(state);
  return state.evaluation === 'idle' ? evaluate(state) : only({ ...state, evaluation: 'repeating' });
}

function openGate(state: DosingState, nowMs: number): Step {
  if (state.gate === 'open') return only(state);
  const next: DosingState = { ...state, gate: 'open' };
  if (state.gate === 'closed') return only(next);
  const { state: evaluating, effects } = startIfDue(next, nowMs);
  return only(evaluating, { kind: 'notify', notice: 'density_measured' }, ...effects);
}

function afterEvaluation(state: DosingState, input: Extract<DosingInput, { kind: 'evaluated' }>): Step {
  const { state: evaluated, effects } = takeOutcome(state, input);
  const repeats =
    evaluated.evaluation === 'repeating' && evaluated.job.kind === 'active' && input.nowMs >= evaluated.quietUntilMs;
  if (!repeats) return only({ ...evaluated, evaluation: 'idle' }, ...effects);
  return only({ ...evaluated, evaluation: 'running' }, ...effects, { kind: 'evaluate' });
}

function takeOutcome(state: DosingState, { outcome, nowMs }: Extract<DosingInput, { kind: 'evaluated' }>): Step {
  switch (outcome.kind) {
    case 'nothing':
      return only(state);
    case 'dosed':
      return only({ ...state, failures: 0 });
    case 'failed': {
      const failures = state.failures + 1;
      if (outcome.mustPause || failures >= maxFailures) return pauseJob({ ...state, failures }, outcome.why);
      return only({ ...state, failures }, { kind: 'report_failure', why: outcome.why });
    }
    case 'pump_in_use':
      return only({ ...state, quietUntilMs: nowMs + pumpInUseMs }, { kind: 'report_failure', why: outcome.why });
    case 'reading_missing':
      return only(state, { kind: outcome.isEarly ? 'notify_early' : 'report_failure', why: outcome.why });
  }
}

function pauseJob(state: DosingState, why: string): Step {
  if (state.job.kind === 'paused') return only(state);
  const failure: DosingEffect = {
    kind: 'report_failure',
    why: `${why} The automation is paused until a person resumes it.`,
  };
  return only(
    { ...state, job: { kind: 'paused', dueAtMs: undefined } },
    failure,
    { kind: 'pause_pumps' },
    { kind: 'pause_job' },
  );
}

const pause = (state: DosingState): Step =>
  state.job.kind === 'paused'
    ? only(state)
    : only({ ...state, job: { kind: 'paused', dueAtMs: undefined } }, { kind: 'pause_pumps' });

function resume(state: DosingState, nowMs: number): Step {
  const next: DosingState = { ...state, failures: 0, job: { kind: 'active' } };
  const dueAtMs = state.job.kind === 'paused' ? state.job.dueAtMs : undefined;
  const resumed: DosingEffect = { kind: 'resume_pumps' };
  if (dueAtMs === undefined || nowMs - dueAtMs > lateEvaluationMs) return only(next, resumed);
  const { state: evaluating, effects } = evaluate(next);
  return only(evaluating, resumed, ...effects);
}
