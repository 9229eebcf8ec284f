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

/** Whatever runs a query: a Kysely or a transaction of any schema that includes the tables the query is about. */
export interface QueryTarget {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>;
}

/**
 * Builds queries only; they run wherever the caller says. For a feature that knows its own tables and is used with databases
 * that have others beside them.
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
