/** The end of the present month, in milliseconds since 1970. */
const monthEnd = `(extract(epoch from date_trunc('month', now() at time zone 'UTC') + interval '1 month') * 1000)::bigint`;

/**
 * On PostgreSQL, readings are in partitions by month (`series/reading-partitions.ts`). Those that are stored already, and this month's, are the
 * first one: its rows stay where they are. What belongs to no month is in the default partition.
 */
export const partitionsMigration = {
  set: 'partitions',
  id: 1,
  name: 'readings by month',
  up: '',
  upPostgres: `
    alter table samples rename to samples_first;
    alter index samples_pkey rename to samples_first_pkey;
    create table samples (
      series_id integer not null,
      at integer not null,
      value real not null,
      era integer,
      primary key (series_id, at)
    ) partition by range (at);
    do $$ begin execute 'create table samples_default partition of samples default'; end $$;
    with ahead as (delete from samples_first where at >= ${monthEnd} returning *)
      insert into samples_default select * from ahead;
    do $$ begin
      execute format('alter table samples attach partition samples_first for values from (minvalue) to (%s)', ${monthEnd});
    end $$;
  `,
} as const;
