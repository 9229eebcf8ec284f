import { ApiError, isErrorBody, type Json, PassedOnError } from '@lcs/contract';
import { parseInPieces } from '@lcs/platform';
import type { PassedOnAnswer } from '../core/leader-context.ts';
import type { UnitAnswer } from './unit-http.ts';

const isJson = (contentType: string): boolean => /^application\/json\b/i.test(contentType);

/** The unit does not know the leader. Passed on, the web UI would ask the person to sign in. */
const refusesLeader = (status: number): boolean => status === 401;

/** A unit's response as the leader passes it on. @throws PassedOnError, ApiError unit_gave_no_answer */
export async function passedOn(
  unit: string,
  { status, text, contentType = '', retryAfterS }: UnitAnswer,
): Promise<PassedOnAnswer> {
  const body = isJson(contentType) ? await parsed(unit, text) : text;
  if (status >= 200 && status < 300) return { status, body };
  if (refusesLeader(status)) {
    const cause = 'It did not accept the credentials of this leader; they are renewed when the unit enrols again.';
    throw new ApiError('unit_gave_no_answer', { unit, cause });
  }
  if (isErrorBody(body) && body.status === status) throw new PassedOnError(body, retryAfterS);
  throw new ApiError('unit_gave_no_answer', { unit, cause: `It answered with HTTP ${status}.` });
}

async function parsed(unit: string, text: string): Promise<Json> {
  try {
    return await parseInPieces(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApiError('unit_gave_no_answer', { unit, cause: 'Its answer is not JSON.' });
  }
}
