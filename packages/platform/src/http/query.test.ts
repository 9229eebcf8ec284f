import { describe, expect, it } from 'vitest';
import { startToy } from '../testing/toy-server.ts';

describe('query parameters', () => {
  it.each([
    ['', { page: 1 }],
    ['count=0', { count: 0, page: 1 }],
    ['count=100&page=7', { count: 100, page: 7 }],
    ['ratio=-1.5e-3', { ratio: -0.0015, page: 1 }],
    ['ratio=2', { ratio: 2, page: 1 }],
    ['all=true', { all: true, page: 1 }],
    ['all=0', { all: false, page: 1 }],
    ['sort=up', { sort: 'up', page: 1 }],
    ['tags=a', { tags: ['a'], page: 1 }],
    ['tags=a&tags=b%20c&tags=d+e', { tags: ['a', 'b c', 'd e'], page: 1 }],
    ['search=', { search: '', page: 1 }],
    ['search=007', { search: '007', page: 1 }],
    ['search=a+b%20c', { search: 'a b c', page: 1 }],
    ['search=%ff%zz', { search: '%ff%zz', page: 1 }],
    ['search=1=2?3', { search: '1=2?3', page: 1 }],
    ['_=1700000000&__proto__=1', { page: 1 }],
  ])('are read as declared: %s', async (search, expected) => {
    await using toy = await startToy();
    const response = await toy.fetch(`/api/shelves/a?${search}`);
    expect(await response.json()).toEqual({ shelf: 'a', echo: expected });
  });

  it.each([
    ['count=abc', 'count', "Expected an integer from 0 to 100, got 'abc'."],
    ['count=1.5', 'count', "Expected an integer from 0 to 100, got '1.5'."],
    ['count=1e1', 'count', "Expected an integer from 0 to 100, got '1e1'."],
    ['count=', 'count', 'Expected an integer from 0 to 100, got nothing.'],
    ['count=%2B1', 'count', "Expected an integer from 0 to 100, got '+1'."],
    ['count=99999999999999999999', 'count', "Expected an integer from 0 to 100, got '99999999999999999999'."],
    ['count=101', 'count', 'expected a number of at most 100, got 101'],
    ['count=1&count=2', 'count', 'The parameter is given 2 times.'],
    ['ratio=nan', 'ratio', "Expected a number, got 'nan'."],
    ['ratio=inf', 'ratio', "Expected a number, got 'inf'."],
    ['ratio=Infinity', 'ratio', "Expected a number, got 'Infinity'."],
    ['ratio=1e999', 'ratio', "Expected a number, got '1e999'."],
    ['ratio=0x10', 'ratio', "Expected a number, got '0x10'."],
    ['all=yes', 'all', "Expected a boolean, got 'yes'."],
    ['all=', 'all', 'Expected a boolean, got nothing.'],
    ['sort=sideways', 'sort', "Expected 'up' or 'down', got 'sideways'."],
    ['page=x', 'page', "Expected an integer, got 'x'."],
  ])('are refused by name: %s', async (search, name, cause) => {
    await using toy = await startToy();
    const response = await toy.fetch(`/api/shelves/a?${search}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: `The query parameter '${name}' is not valid.`,
      cause,
      remediation: expect.stringContaining(`Send ${name} as `),
      code: 'invalid_query',
      field: name,
    });
  });

  it('are ignored where none is declared', async () => {
    await using toy = await startToy();
    expect((await toy.fetch('/api/plan?count=abc&%')).status).toBe(200);
  });

  it('report a missing required one', async () => {
    const { Type } = await import('typebox');
    const { queryReader } = await import('./query-reader.ts');
    const read = queryReader(Type.Object({ unit: Type.String(), from: Type.Optional(Type.Number({ minimum: 2 })) }));
    expect(() => read({})).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ cause: 'The parameter is missing.' }) }),
    );
    expect(read({ unit: 'a' })).toEqual({ unit: 'a' });
    expect(() => read({ unit: 'a', from: '1' })).toThrow(
      expect.objectContaining({
        body: expect.objectContaining({ remediation: 'Send from as a number of at least 2, or leave it out.' }),
      }),
    );
  });
});
