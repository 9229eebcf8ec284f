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
