import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { ApiError, ErrorBody, type ErrorCode, errorTable, isErrorBody } from './errors.ts';
import { PassedOnError } from './passed-on-error.ts';

const { body } = new ApiError('experiment_not_found', { experiment: 'x' }, [{ line: 3 }]);

describe('isErrorBody', () => {
  it('knows the body of every error', () => {
    expect(isErrorBody(body)).toBe(true);
    expect(isErrorBody(new ApiError('deadline_passed', {}).body)).toBe(true);
    expect(Value.Check(ErrorBody, body)).toBe(true);
    const refused = new ApiError('job_setting_invalid', { job: 'stirring', setting: 'target_rpm', cause: 'c' }).body;
    expect(refused.field).toBe('target_rpm');
    expect(isErrorBody(refused)).toBe(true);
    expect(Value.Check(ErrorBody, refused)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'error'],
    ['an array', [body]],
    ['a body without a cause', { ...body, cause: undefined }],
    ['a body without a remediation', { ...body, remediation: undefined }],
    ['a status that is text', { ...body, status: '404' }],
    ['a field that is not text', { ...body, field: 1 }],
    ['diagnostics that are no list', { ...body, diagnostics: 'x' }],
    ['the error body of another program', { message: 'no', statusCode: 404 }],
  ])('rejects %s', (_, value) => {
    expect(isErrorBody(value)).toBe(false);
    expect(Value.Check(ErrorBody, value)).toBe(false);
  });
});

describe('a temporary error', () => {
  const isCode = (name: string): name is ErrorCode => Object.hasOwn(errorTable, name);
  const later = Object.keys(errorTable)
    .filter(isCode)
    .filter((code) => [429, 503].includes(errorTable[code].status));

  it.each(later)('%s has a time for the next attempt', (code) => {
    // Whatever its sentences need.
    const params = new Proxy({}, { get: () => undefined });
    expect(new ApiError(code, Object(params)).retryAfterS).toBeGreaterThan(0);
    expect(new ApiError(code, Object({ retryAfterS: 7 })).retryAfterS).toBe(7);
  });

  it('of another node has the time of that node, or a minimum', () => {
    const busy = { ...body, status: 503 };
    expect(new PassedOnError(busy, 9).retryAfterS).toBe(9);
    expect(new PassedOnError(busy).retryAfterS).toBeGreaterThan(0);
    expect(new PassedOnError(body).retryAfterS).toBeUndefined();
    expect(new ApiError('deadline_passed', {}).retryAfterS).toBeUndefined();
  });
});
