import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** A Kysely or a transaction of any schema that includes the tables of the query. */
export interface QueryTarget {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
}

/**
 * Builds queries only; `runOn` runs them. For a feature with its own tables, in databases that have others too.
 */
export const queryBuilder = <Tables>(): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });

export const runOn = <Row>(target: QueryTarget, query: Compilable<Row>): Promise<QueryResult<Row>> =>
  target.executeQuery(query.compile());

/** Takes the place of the value while the query is compiled. */
const placeholder = 'value of the parameter';

/** A query by one text that is built and compiled at its first run only, for what is asked again and again. */
export function compiledOnce<Row>(
  build: (value: string) => Compilable<Row>,
): (target: QueryTarget, value: string) => Promise<QueryResult<Row>> {
  let compiled: CompiledQuery<Row> | undefined;
  return (target, value) => {
    compiled ??= build(placeholder).compile();
    const parameters = compiled.parameters.map((one) => (one === placeholder ? value : one));
    return target.executeQuery({ ...compiled, parameters });
  };
}
