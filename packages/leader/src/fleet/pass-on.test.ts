import { PassedOnError } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { passedOn } from './pass-on.ts';

const error = (status: number, code: string) => ({
  status,
  contentType: 'application/json',
  text: JSON.stringify({ error: 'E.', cause: 'C.', remediation: 'R.', status, code }),
});

describe('a response of a unit, as it is passed on', () => {
  it('is the body, or the error of the unit', async () => {
    const answered = { status: 200, contentType: 'application/json', text: '{"a":1}' };
    expect(await passedOn('unit1', answered)).toEqual({ status: 200, body: { a: 1 } });
    await expect(passedOn('unit1', error(409, 'job_excluded'))).rejects.toBeInstanceOf(PassedOnError);
  });

  it('is not the refusal of a unit that does not know this leader: the caller has signed in', async () => {
    await expect(passedOn('unit1', error(401, 'not_signed_in'))).rejects.toMatchObject({
      code: 'unit_gave_no_answer',
      status: 502,
    });
  });
});
