import {
  AcceptedTask,
  FailedTask,
  type FailedUnitOutcome,
  type FailureReason,
  failureReason,
  hasShape,
  isErrorBody,
  isObject,
  type Json,
  LockedAnswer,
  PreparedJson,
  type UnitOutcome,
} from '@lcs/contract';
import { jsonInPieces, parseInPieces } from '@lcs/platform';
import { type Static, type TSchema, Type } from 'typebox';
import type { UnitAnswer } from './unit-http.ts';

/** The reason of a missing value, as a code for programs. */
export type FailureKind =
  | 'connection_error'
  | 'http_error'
  | 'decode_error'
  | 'invalid_response'
  | 'locked'
  | 'task_failed'
  | 'task_incomplete'
  | 'task_timeout'
  | 'task_exception';

type FailureText = Omit<FailedUnitOutcome['error'], 'kind'>;

/** Outcomes contain the JSON of units; only their type does not express it. */
export const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));

/** Levels that are written in pieces: the outcome by unit, the response, and two levels of that (calibrations by device). */
const levelsOfOutcomes = 5;

/** Outcomes as the result of a task. They may be many and long: they are serialised in pieces. */
export const resultOfOutcomes = async (outcomes: object): Promise<PreparedJson<Json>> =>
  PreparedJson.from<Json>(await jsonInPieces(outcomes, levelsOfOutcomes));

export const failed = (
  unit: string,
  kind: FailureKind,
  text: FailureText,
  statusCode: number | null,
  retryable: boolean,
): FailedUnitOutcome => ({
  ok: false,
  unit,
  error: { kind, ...text },
  status_code: statusCode,
  retryable,
});

/** An object's `status: success` repeats `ok`: it is omitted. */
function succeeded(unit: string, value: unknown): UnitOutcome {
  if (!isObject(value) || value.status !== 'success') return { ok: true, unit, value };
  const { status: _, ...rest } = value;
  return { ok: true, unit, value: rest };
}

/** A unit's response in the declared shape; undefined: it failed, or has another shape. */
export const valueIn = <const Schema extends TSchema>(
  outcome: UnitOutcome | undefined,
  schema: Schema,
): Static<Schema> | undefined => (outcome?.ok && hasShape(schema, outcome.value) ? outcome.value : undefined);

/** The unit executes the work in a task, which can be polled. */
export interface Following {
  readonly resultPath: string;
}

type Decoded = { readonly ok: true; readonly body: unknown } | { readonly ok: false };

async function decode(text: string): Promise<Decoded> {
  try {
    return { ok: true, body: await parseInPieces(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false };
    throw error;
  }
}

export function failureText(failure: FailureReason): FailureText {
  const { error: message, ...reason } = failureReason(failure);
  return { message, ...reason };
}

function httpError(unit: string, { status }: UnitAnswer, decoded: Decoded): FailedUnitOutcome {
  const body = decoded.ok ? decoded.body : undefined;
  const texts =
    isErrorBody(body) && body.status === status
      ? failureText(body)
      : { message: `${unit} answered with HTTP ${status}.` };
  return failed(unit, 'http_error', texts, status, status >= 500);
}

const undecodable = (unit: string, { status }: UnitAnswer): FailedUnitOutcome =>
  failed(unit, 'decode_error', { message: `The answer of ${unit} is not JSON.` }, status, false);

/** The fields of a 202 response that describe a task, and of a refusal because the same work is in progress. */
const Accepted = Type.Pick(AcceptedTask, ['result_url_path']);
const Locked = Type.Pick(LockedAnswer, ['lock', 'remediation']);
/** The fields that the leader reads of a finished task, and of its failure. */
const EndedTask = Type.Object({ status: Type.String(), result: Type.Optional(Type.Unknown()) });
const Failure = Type.Pick(FailedTask, ['error', 'cause', 'remediation', 'code', 'field']);

/** Reads the response to a command: an outcome, or where the unit's task can be polled. */
export async function readAnswer(unit: string, answer: UnitAnswer): Promise<UnitOutcome | Following> {
  const decoded = await decode(answer.text);
  if (answer.status >= 400) return httpError(unit, answer, decoded);
  if (answer.status < 200 || answer.status >= 300) {
    return failed(
      unit,
      'invalid_response',
      { message: `${unit} answered with HTTP ${answer.status}.` },
      answer.status,
      false,
    );
  }
  if (!decoded.ok) return undecodable(unit, answer);
  const { body } = decoded;
  if (answer.status === 202) {
    if (hasShape(Accepted, body)) return { resultPath: body.result_url_path };
    if (hasShape(Locked, body)) {
      const { lock, remediation } = body;
      return failed(unit, 'locked', { message: `${unit} is busy (${lock}).`, remediation }, 202, true);
    }
  }
  return succeeded(unit, body);
}

/** Reads the response to a poll of the unit's task; undefined while the task has not ended. */
export async function readTask(unit: string, answer: UnitAnswer): Promise<UnitOutcome | undefined> {
  if (answer.status === 202) return undefined;
  const decoded = await decode(answer.text);
  if (answer.status >= 400) return httpError(unit, answer, decoded);
  if (!decoded.ok) return undecodable(unit, answer);
  const { body } = decoded;
  const { status, result } = hasShape(EndedTask, body) ? body : { status: 'unknown' };
  if (status === 'succeeded') return succeeded(unit, result);
  if (status === 'failed') {
    const text = hasShape(Failure, body) ? failureText(body) : { message: `The task of ${unit} failed.` };
    return failed(unit, 'task_failed', text, answer.status, false);
  }
  const message = `The task of ${unit} ended in the state '${status}'.`;
  return failed(unit, 'task_incomplete', { message }, answer.status, true);
}
