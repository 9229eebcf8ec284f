import { describe, expect, it } from 'vitest';
import { foreignQuery } from './foreign-query.ts';

const schemas = new Set(['lcs', 'lcs_audit', 'lcs_views', 'sqlite', 'pg_catalog', 'information_schema', 'public']);

describe('a query that a person wrote', () => {
  it.each([
    ['select * from lcs.users', 'a table of the store'],
    ['select * from "lcs"."users"', 'in quotes'],
    ['select * from LCS /* x */ . users', 'with a comment between'],
    ['select * from lcs_audit.entries', 'of the audit'],
    ['select * from pg_authid', 'of the server'],
    ['select * from "pg_shadow"', 'of the server in quotes'],
    ['select * from information_schema.tables', 'the schema'],
    ['select * from sqlite_schema', 'the schema as SQLite has it'],
    ['select * from pragma_page_size', 'a pragma'],
    ["select set_config('role', 'lcs', false)", 'a function that changes settings'],
    ["select \"set_config\"('role', 'lcs', false)", 'one in quotes'],
    ["select query_to_xml('select * from lcs.users', true, true, '')", 'a function that runs a text'],
    ["select * from od_readings, query_to_xml('x') as (a)", 'one among tables'],
    ["select * from (select 1) x, query_to_xml('x') as (a text)", 'one that looks like a table expression'],
    ["with a as (select 1) select query_to_xml('x', true, true, '') as (b)", 'one after a table expression'],
    ["select pg_read_file('/etc/passwd')", 'a function that reads files'],
    ['select lcs.f(1)', 'a function of a schema'],
    ['select 1 operator(pg_catalog.+) 2', 'an operator of a schema'],
    ["select /* /* */ ' */ query_to_xml('x') /* ' */", 'one hidden by a comment in a comment'],
    ["select E'\\' || query_to_xml($$x$$) --'", 'one hidden by an escape'],
    ["select $$x$$, query_to_xml('x')", 'dollar quotes'],
    ["select 'x'::regclass", 'a cast of PostgreSQL'],
    ['select ?', 'a parameter'],
    ['select 1; select 2', 'two statements'],
    ['select 1) union (select 2', 'an end of the brackets around it'],
    ['delete from experiments', 'no query'],
    ['select 0x1f', 'a number that the engines read in different ways'],
  ])('is refused: %s (%s)', (query) => {
    expect(() => foreignQuery(query, schemas)).toThrow(expect.objectContaining({ code: 'query_failed' }));
  });

  it.each([
    ['select experiment from experiments', 'select experiment from experiments'],
    ['Select Count(*) From Od_Readings;', 'select count ( * ) from od_readings'],
    ['select main.logs.message from main.logs', 'select logs . message from logs'],
    ['select od_reading as OD from od_readings -- x\n', 'select od_reading as "OD" from od_readings'],
    ['select cast(a as INTEGER) from t', 'select cast ( a as integer ) from t'],
    ['with x (a, b) as (values (1, 2)), y as not materialized (select 1) select * from x, y', undefined],
    ['select max(x) filter (where a in (1, 2)) over (partition by b) from t', undefined],
    ["select 'it''s; (' || \"a(b\" from t", "select 'it''s; (' || \"a(b\" from t"],
    ['select a from t order by a', 'select a from t order by a nulls first'],
    [
      'select a from t order by f.a desc, b limit 5',
      'select a from t order by f . a desc nulls last , b nulls first limit 5',
    ],
    [
      'select sum(a) over (order by b rows between 1 preceding and current row) from t order by a nulls last',
      'select sum ( a ) over ( order by b nulls first rows between 1 preceding and current row ) from t order by a nulls last',
    ],
  ])('is accepted: %s', (query, expected) => {
    const accepted = foreignQuery(query, schemas);
    if (expected !== undefined) expect(accepted).toBe(expected);
  });
});
