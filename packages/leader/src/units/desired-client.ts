import { type DesiredState, isErrorBody } from '@lcs/contract';
import type { UnitAnswer, UnitCall } from '../fleet/unit-http.ts';
import { type ReadReport, readReport } from './desired-report.ts';

/** A report, and its JSON to be kept. */
export interface ReceivedReport extends ReadReport {
  readonly text: string;
}

/** The answer of a unit to its document. `refused`: another answer than a report, with its code. */
export type DesiredAnswer =
  | { readonly is: 'report'; readonly report: ReceivedReport }
  | { readonly is: 'refused'; readonly code: string; readonly cause: string };

export interface DesiredClientOptions {
  /** Sends one call; rejects when no whole answer came. */
  readonly send: (call: UnitCall) => Promise<UnitAnswer>;
}

const path = '/unit_api/desired';

/** Sends a unit its document. Rejects when there is no answer. */
export async function putDesired(
  { send }: DesiredClientOptions,
  base: string,
  document: DesiredState,
  signal: AbortSignal,
): Promise<DesiredAnswer> {
  return read(await send({ method: 'PUT', url: new URL(path, base), body: document, signal }));
}

/** Reads which document a unit has. Rejects when there is no answer. */
export async function getDesired(
  { send }: DesiredClientOptions,
  base: string,
  signal: AbortSignal,
): Promise<DesiredAnswer> {
  return read(await send({ method: 'GET', url: new URL(path, base), signal }));
}

function read({ status, text }: UnitAnswer): DesiredAnswer {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return { is: 'refused', code: 'invalid_answer', cause: `HTTP ${status} without JSON (${String(error)})` };
  }
  if (status === 200) {
    const report = readReport(body);
    if (report) return { is: 'report', report: { ...report, text: JSON.stringify(body) } };
    return { is: 'refused', code: 'invalid_answer', cause: 'The answer is no report.' };
  }
  if (isErrorBody(body)) return { is: 'refused', code: body.code, cause: `${body.error} ${body.cause}` };
  return { is: 'refused', code: 'invalid_answer', cause: `HTTP ${status}` };
}
