import { ApiError } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { unitUrl } from './unit-url.ts';

const base = 'http://127.0.0.1:4999';

describe('the address of a route of a unit', () => {
  it.each(['..', '.', '%2e', '%2E%2e', '.%2e', '%2e.'])('does not lead to another route by %j', (name) => {
    expect(() => unitUrl(`/unit_api/calibrations/sessions/${name}/inputs`, base)).toThrow(ApiError);
    expect(() => unitUrl(`/unit_api/jobs/${name}?a=1`, base)).toThrow(ApiError);
  });

  it.each(['...', '.a', 'a..', '%2e%2ea', '%252e%252e', '..%2F..', 'x?../y'])('keeps the path %j', (name) => {
    const url = unitUrl(`/unit_api/jobs/${name}`, base);
    expect(url.pathname + url.search).toBe(`/unit_api/jobs/${name}`);
  });
});
