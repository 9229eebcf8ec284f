import { describe, expect, it } from 'vitest';
import { PathTable } from './path-table.ts';

function tableOf(...paths: readonly string[]): PathTable<string> {
  const table = new PathTable<string>();
  for (const path of paths) table.add(path.replace('…', ''), path.endsWith('…'), path);
  return table;
}

describe('a table of paths', () => {
  const table = tableOf(
    '/api/units',
    '/api/units/',
    '/api/units/{unit}',
    '/api/units/$broadcast/jobs',
    '/api/units/{unit}/jobs/{job}',
    '/api/units/{unit}/files/{path}…',
    '/api/units/{unit}/files/',
  );

  it.each([
    ['/api/units', '/api/units', []],
    ['/api/units/', '/api/units/', []],
    ['/api/units/a', '/api/units/{unit}', ['a']],
    ['/api/units/a%2Fb%20%C3%A4', '/api/units/{unit}', ['a/b ä']],
    ['/api/units/$broadcast/jobs', '/api/units/$broadcast/jobs', []],
    ['/api/units/%24broadcast/jobs', '/api/units/$broadcast/jobs', []],
    ['/api/units/$broadcast/jobs/stirring', '/api/units/{unit}/jobs/{job}', ['$broadcast', 'stirring']],
    ['/api/units/a/files/x/y%20z', '/api/units/{unit}/files/{path}…', ['a', 'x/y z']],
    ['/api/units/a/files//x', '/api/units/{unit}/files/{path}…', ['a', '/x']],
    ['/api/units/a/files/', '/api/units/{unit}/files/', ['a']],
  ])('leads %s to %s', (path, leaf, values) => {
    expect(table.find(path)).toEqual({ leaf, values });
  });

  it.each([
    '',
    '*',
    '/',
    '/api',
    '/API/units',
    '/api//units',
    '/api/units//jobs/x',
    '/api/units/a/',
    '/api/units/a/jobs',
    '/api/units/a/jobs/',
    '/api/units/a/files',
    '/api/units/{unit}/more',
  ])('has nothing at %j', (path) => {
    expect(table.find(path)).toBeUndefined();
  });

  it('takes no part of a path that is not the encoding of a text', () => {
    expect(() => table.find('/api/units/%ff')).toThrow(URIError);
  });

  it('matches no route with an empty rest', () => {
    expect(tableOf('/static/{path}…').find('/static/')).toBeUndefined();
  });
});
