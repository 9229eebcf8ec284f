import { createHash } from 'node:crypto';

/**
 * What SQLite has as functions and PostgreSQL has not, with the same results, in a schema `sqlite` on the search path. A function of JSON
 * returns text: queries cast it where they need a number.
 */
const functions = `
create collation if not exists sqlite.nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

create or replace function sqlite.json_extract(document text, path text) returns text
  immutable strict parallel safe language plpgsql as $$
declare found json := document::json #> string_to_array(substr(path, 3), '.');
begin
  return case json_typeof(found)
    when 'boolean' then case found #>> '{}' when 'true' then '1' else '0' end
    when 'null' then null
    else found #>> '{}' end;
end $$;

create or replace function sqlite.json_type(document text, path text) returns text
  immutable strict parallel safe language plpgsql as $$
declare found jsonb := document::jsonb #> string_to_array(substr(path, 3), '.');
begin
  return case jsonb_typeof(found)
    when 'boolean' then found #>> '{}'
    when 'string' then 'text'
    when 'number' then case when found #>> '{}' ~ '[.eE]' then 'real' else 'integer' end
    else jsonb_typeof(found) end;
end $$;

create or replace function sqlite.json_field(document text, key text) returns text
  immutable strict parallel safe language sql as $$ select document::jsonb ->> key $$;
do $$ begin
  if to_regoperator('sqlite.->>(text, text)') is null then
    create operator sqlite.->> (leftarg = text, rightarg = text, function = sqlite.json_field);
  end if;
end $$;

create or replace function sqlite.json_each(document text) returns table (key bigint, value text)
  immutable strict parallel safe language sql as $$
    select place - 1, element #>> '{}' from jsonb_array_elements(document::jsonb) with ordinality as list (element, place) $$;

create or replace function sqlite.json_set(document text, path text, value bigint) returns text
  immutable strict parallel safe language sql as $$
    select jsonb_set(document::jsonb, string_to_array(substr(path, 3), '.'), to_jsonb(value))::text $$;
create or replace function sqlite.json_set(document text, path text, value bigint, path2 text, value2 bigint) returns text
  immutable strict parallel safe language sql as $$
    select sqlite.json_set(sqlite.json_set(document, path, value), path2, value2) $$;

create or replace function sqlite.max(a anycompatible, b anycompatible) returns anycompatible
  immutable strict parallel safe language sql as $$ select greatest(a, b) $$;
create or replace function sqlite.min(a anycompatible, b anycompatible) returns anycompatible
  immutable strict parallel safe language sql as $$ select least(a, b) $$;
create or replace function sqlite.iif(condition boolean, yes anycompatible, no anycompatible) returns anycompatible
  immutable parallel safe language sql as $$ select case when condition then yes else no end $$;
create or replace function sqlite.instr(whole text, part text) returns bigint
  immutable strict parallel safe language sql as $$ select strpos(whole, part) $$;
create or replace function sqlite.hex(value bytea) returns text
  immutable strict parallel safe language sql as $$ select upper(encode(value, 'hex')) $$;

create or replace function sqlite.round(value double precision, places integer) returns double precision
  immutable strict parallel safe language sql as $$ select round(value::numeric, places)::double precision $$;
create or replace function sqlite.typeof(value bigint) returns text
  immutable parallel safe language sql as $$ select case when value is null then 'null' else 'integer' end $$;
create or replace function sqlite.typeof(value integer) returns text
  immutable parallel safe language sql as $$ select case when value is null then 'null' else 'integer' end $$;
create or replace function sqlite.typeof(value boolean) returns text
  immutable parallel safe language sql as $$ select case when value is null then 'null' else 'integer' end $$;
create or replace function sqlite.typeof(value double precision) returns text
  immutable parallel safe language sql as $$ select case when value is null then 'null' else 'real' end $$;
create or replace function sqlite.typeof(value numeric) returns text
  immutable parallel safe language sql as $$
    select case when value is null then 'null' when scale(value) = 0 then 'integer' else 'real' end $$;
create or replace function sqlite.typeof(value bytea) returns text
  immutable parallel safe language sql as $$ select case when value is null then 'null' else 'blob' end $$;
create or replace function sqlite.typeof(value text) returns text
  immutable parallel safe language sql as $$ select case when value is null then 'null' else 'text' end $$;

create or replace function sqlite.moment_of(value text) returns timestamp
  stable strict parallel safe language sql as $$ select value::timestamptz at time zone 'UTC' $$;
create or replace function sqlite.date(value text) returns text
  stable strict parallel safe language sql as $$ select to_char(sqlite.moment_of(value), 'YYYY-MM-DD') $$;
create or replace function sqlite.time(value text) returns text
  stable strict parallel safe language sql as $$ select to_char(sqlite.moment_of(value), 'HH24:MI:SS') $$;
create or replace function sqlite.datetime(value text) returns text
  stable strict parallel safe language sql as $$ select to_char(sqlite.moment_of(value), 'YYYY-MM-DD HH24:MI:SS') $$;
create or replace function sqlite.unixepoch(value text) returns bigint
  stable strict parallel safe language sql as $$ select floor(extract(epoch from sqlite.moment_of(value)))::bigint $$;
create or replace function sqlite.julianday(value text) returns double precision
  stable strict parallel safe language sql as $$
    select (extract(epoch from sqlite.moment_of(value)) / 86400.0 + 2440587.5)::double precision $$;
create or replace function sqlite.strftime(format text, value text) returns text
  stable strict parallel safe language plpgsql as $$
declare moment timestamp := sqlite.moment_of(value); pattern text := ''; part text; index integer := 1;
begin
  while index <= length(format) loop
    part := substr(format, index, 1);
    if part = '%' then
      index := index + 1;
      part := case substr(format, index, 1)
        when 'Y' then to_char(moment, 'YYYY') when 'm' then to_char(moment, 'MM') when 'd' then to_char(moment, 'DD')
        when 'H' then to_char(moment, 'HH24') when 'M' then to_char(moment, 'MI') when 'S' then to_char(moment, 'SS')
        when 'f' then to_char(moment, 'SS.MS') when 'j' then to_char(moment, 'DDD')
        when 'w' then extract(dow from moment)::text when 's' then floor(extract(epoch from moment))::bigint::text
        when '%' then '%' end;
    end if;
    pattern := pattern || part;
    index := index + 1;
  end loop;
  return pattern;
end $$;

create or replace function sqlite.within_length(bytes integer, longest integer) returns boolean
  immutable strict parallel safe language plpgsql as $$
begin
  if bytes > longest then raise exception 'string or blob too big'; end if;
  return true;
end $$;

create or replace view sqlite.sqlite_schema as
  select case c.relkind when 'i' then 'index' when 'v' then 'view' else 'table' end as type, c.relname::text as name,
    coalesce(t.relname, c.relname)::text as tbl_name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
  left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
  where c.relkind in ('r', 'v', 'i');

create or replace function sqlite.pragma_page_size() returns table (page_size bigint)
  stable language sql as $$ select current_setting('block_size')::bigint $$;
create or replace function sqlite.pragma_page_count() returns table (page_count bigint)
  stable language sql as $$ select pg_database_size(current_database()) / current_setting('block_size')::bigint $$;
create or replace view sqlite.pragma_page_size as select page_size from sqlite.pragma_page_size();
create or replace view sqlite.pragma_page_count as select page_count from sqlite.pragma_page_count();
create or replace view sqlite.pragma_freelist_count as select 0::bigint as freelist_count;

create or replace function sqlite.as_json(list anycompatiblearray) returns text
  immutable parallel safe language sql as $$ select coalesce(to_json(list)::text, '[]') $$;
create or replace aggregate sqlite.json_group_array(anycompatible) (
  sfunc = array_append, stype = anycompatiblearray, initcond = '{}', finalfunc = sqlite.as_json);

create or replace function sqlite.add_to_list(list text, element anyelement) returns text
  immutable parallel safe language sql as $$
    select case when element is null then list when list is null then element::text else list || ',' || element::text end $$;
create or replace aggregate sqlite.group_concat(anyelement) (sfunc = sqlite.add_to_list, stype = text);

create or replace function sqlite.add_truth(total bigint, value boolean) returns bigint
  immutable parallel safe language sql as $$ select case when value is null then total else coalesce(total, 0) + value::integer end $$;
create or replace function sqlite.either(one boolean, other boolean) returns boolean
  immutable strict parallel safe language sql as $$ select one or other $$;
create or replace aggregate sqlite.max(boolean) (sfunc = sqlite.either, stype = boolean);
create or replace aggregate sqlite.sum(boolean) (sfunc = sqlite.add_truth, stype = bigint);
`;

const fingerprint = createHash('sha256').update(functions, 'utf8').digest('hex');

/** Makes the schema with its functions, unless the database has them already in this form. */
export const sqliteFunctions = {
  fingerprint,
  /** The fingerprint of the functions that the database has; no row or null for none. */
  presentSql: `select obj_description(oid, 'pg_namespace') as fingerprint from pg_namespace where nspname = 'sqlite'`,
  makeSql: `create schema if not exists sqlite; ${functions} comment on schema sqlite is '${fingerprint}';`,
} as const;
