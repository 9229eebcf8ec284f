import { type Compilable, CompiledQuery, type Kysely } from 'kysely';

const compiled = (query: string | Compilable) =>
  typeof query === 'string' ? CompiledQuery.raw(query) : query.compile();

/**
 * The query plan, one line per step, so that a test can assert that a hot query uses its index:
 * `expect(await explain(read, query)).toContainEqual(expect.stringContaining('USING INDEX'))`.
 */
export const explain = async <Schema>(read: Kysely<Schema>, query: string | Compilable): Promise<string[]> => {
  const { sql, parameters } = compiled(query);
  const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
  const { rows } = await read.executeQuery<{ detail: string }>({ ...plan, query: plan.query });
  return rows.map((row) => row.detail);
};
