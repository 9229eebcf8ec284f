import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { ApiError, ErrorBody, isErrorBody } from './errors.ts';

const { body } = new ApiError('experiment_not_found', { experiment: 'x' }, [{ line: 3 }]);

describe('isErrorBody', () => {
  it('knows the body of every error', () => {
    expect(isErrorBody(body)).toBe(true);
    expect(isErrorBody(new ApiError('deadline_passed', {}).body)).toBe(true);
    expect(Value.Check(ErrorBody, body)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'error'],
    ['an array', [body]],
    ['a body without a cause', { ...body, cause: undefined }],
    ['a body without a remediation', { ...body, remediation: undefined }],
    ['a status that is text', { ...body, status: '404' }],
    ['diagnostics that are no list', { ...body, diagnostics: 'x' }],
    ['the error body of another program', { message: 'no', statusCode: 404 }],
  ])('is not taken in by %s', (_, value) => {
    expect(isErrorBody(value)).toBe(false);
    expect(Value.Check(ErrorBody, value)).toBe(false);
  });
});
