import { type FinishedTask, type Json, ownValue } from '@lcs/contract';
import { type Refusal, unconfirmedCode } from './job-control.ts';

/** How a command ended at one unit. */
export type Outcome =
  | { readonly ok: true; readonly values: Readonly<Record<string, Json>> }
  | { readonly ok: false; readonly refusal: Refusal };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isJsonRecord = (value: unknown): value is Readonly<Record<string, Json>> => isRecord(value);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const silent: Outcome = {
  ok: false,
  refusal: {
    error: 'The leader has no answer of this unit.',
    cause: 'Its result does not name the unit.',
    remediation: 'Look at the state of the job, then try again.',
  },
};

const unreachable = (cause: string): Refusal => ({
  error: 'The unit could not be reached.',
  cause,
  remediation: 'Check that it is switched on and in the network, then try again.',
});

function outcomeOf(envelope: unknown): Outcome {
  if (!isRecord(envelope)) return silent;
  if (envelope.ok === true) {
    const value = isRecord(envelope.value) ? envelope.value : {};
    return { ok: true, values: isJsonRecord(value.settings) ? value.settings : {} };
  }
  const error = isRecord(envelope.error) ? envelope.error : {};
  if (error.kind === 'connection_error') return { ok: false, refusal: unreachable(text(error.message)) };
  const said = text(error.message) || 'The unit gave no reason.';
  const { cause, code } = error;
  // The unit speaks to programs here: people have a button.
  const remediation = code === unconfirmedCode ? 'Check the target and its scale.' : error.remediation;
  return {
    ok: false,
    refusal: {
      ...{ error: said, cause: text(cause), remediation: text(remediation) },
      ...(typeof code === 'string' && { code }),
    },
  };
}

/** The units that a finished task of the leader tells of. */
export const answeredIn = (task: FinishedTask): readonly string[] =>
  task.status !== 'failed' && isRecord(task.result) ? Object.keys(task.result) : [];

/** How a finished task of the leader ended, by unit. */
export function outcomesOf(task: FinishedTask, units: readonly string[]): ReadonlyMap<string, Outcome> {
  if (task.status === 'failed') {
    const { error, cause, remediation, code } = task;
    return new Map(units.map((unit) => [unit, { ok: false, refusal: { error, cause, remediation, code } }]));
  }
  const result = isRecord(task.result) ? task.result : {};
  return new Map(units.map((unit) => [unit, outcomeOf(ownValue(result, unit))]));
}
