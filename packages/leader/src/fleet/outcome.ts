import { isErrorBody, isObject, type Json, PreparedJson, type UnitOutcome } from '@lcs/contract';
import { jsonInPieces, parseInPieces } from '@lcs/platform';
import type { UnitAnswer } from './unit-http.ts';

/** Why there is no value, by the words that programs know. */
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

interface FailureText {
  readonly message: string;
  readonly cause?: string;
  readonly remediation?: string;
  readonly code?: string;
  readonly field?: string;
}

export type FailedOutcome = Extract<UnitOutcome, { ok: false }>;

/** An object of JSON, whose members are not known yet. */
type JsonObject = Readonly<Record<string, unknown>>;
/** Outcomes hold what units sent as JSON, so they are JSON; only their type does not say it. */
export const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));

/** By unit: the outcome, what the unit answered, and two levels of that, such as its calibrations by device. */
const levelsOfOutcomes = 5;

/** Outcomes as the result of a task. There may be many, and long ones: they are written piece by piece. */
export const resultOfOutcomes = async (outcomes: object): Promise<PreparedJson<Json>> =>
  PreparedJson.from<Json>(await jsonInPieces(outcomes, levelsOfOutcomes));

export const failed = (
  unit: string,
  kind: FailureKind,
  text: FailureText,
  statusCode: number | null,
  retryable: boolean,
): FailedOutcome => ({
  ok: false,
  unit,
  error: { kind, ...text },
  status_code: statusCode,
  retryable,
});

/** An object's `status: success` says no more than `ok` does: it is left out. */
function succeeded(unit: string, value: unknown): UnitOutcome {
  if (!isObject(value) || value.status !== 'success') return { ok: true, unit, value };
  const { status: _, ...rest } = value;
  return { ok: true, unit, value: rest };
}

/** The unit does the work in a task of its own; ask there. */
export interface Following {
  readonly resultPath: string;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function failureText(body: JsonObject, otherwise: string): FailureText {
  const cause = textOf(body.cause);
  const remediation = textOf(body.remediation);
  const code = textOf(body.code);
  const field = textOf(body.field);
  return {
    message: textOf(body.error) ?? otherwise,
    ...(cause === undefined ? {} : { cause }),
    ...(remediation === undefined ? {} : { remediation }),
    ...(code === undefined ? {} : { code }),
    ...(field === undefined ? {} : { field }),
  };
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

function httpError(unit: string, { status }: UnitAnswer, decoded: Decoded): FailedOutcome {
  const body = decoded.ok ? decoded.body : undefined;
  const text = isErrorBody(body) && body.status === status ? failureText(body, '') : undefined;
  return failed(
    unit,
    'http_error',
    text ?? { message: `${unit} answered with HTTP ${status}.` },
    status,
    status >= 500,
  );
}

const undecodable = (unit: string, { status }: UnitAnswer): FailedOutcome =>
  failed(unit, 'decode_error', { message: `The answer of ${unit} is not JSON.` }, status, false);

/** The unit refused because the same kind of work is under way there. */
function lockedOutcome(unit: string, body: JsonObject, lock: string): FailedOutcome {
  const remediation = textOf(body.remediation);
  return failed(
    unit,
    'locked',
    {
      message: `${unit} is busy (${lock}).`,
      ...(remediation === undefined ? {} : { remediation }),
    },
    202,
    true,
  );
}

/** Reads the answer to a command: an outcome, or where the unit's task can be followed. */
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
  if (answer.status === 202 && isObject(body)) {
    const resultPath = textOf(body.result_url_path);
    if (resultPath !== undefined) return { resultPath };
    const lock = textOf(body.lock);
    if (lock !== undefined) return lockedOutcome(unit, body, lock);
  }
  return succeeded(unit, body);
}

/** Reads what a poll of the unit's task answered; undefined while the task has not ended. */
export async function readTask(unit: string, answer: UnitAnswer): Promise<UnitOutcome | undefined> {
  if (answer.status === 202) return undefined;
  const decoded = await decode(answer.text);
  if (answer.status >= 400) return httpError(unit, answer, decoded);
  if (!decoded.ok) return undecodable(unit, answer);
  const body = isObject(decoded.body) ? decoded.body : {};
  if (body.status === 'succeeded') return succeeded(unit, body.result);
  if (body.status === 'failed') {
    return failed(unit, 'task_failed', failureText(body, `The task of ${unit} failed.`), answer.status, false);
  }
  const state = textOf(body.status) ?? 'unknown';
  return failed(
    unit,
    'task_incomplete',
    { message: `The task of ${unit} ended in the state '${state}'.` },
    answer.status,
    true,
  );
}
