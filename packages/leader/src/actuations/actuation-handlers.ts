import { type Actuation, type ActuationQuery, ApiError, type actuationRoutes, type Handlers } from '@lcs/contract';
import { type LeaderContext, systemExperiment } from '../core/leader-context.ts';
import { queryTimestamp } from '../core/timestamps.ts';
import { broadcast } from '../queries/addressed-units.ts';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';
import { type ActuationCursor, type ActuationFilter, readActuations, readRunLedgers } from './actuation-store.ts';
import { runOf, toActuation } from './to-actuation.ts';

const usualLimit = 100;
const cursorPattern = /^(-?\d{1,15})\.(\d{1,15})$/;

/** @throws ApiError invalid_query */
function cursor(text: string): ActuationCursor {
  const [, at, id] = cursorPattern.exec(text) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id: Number(id) };
  throw new ApiError('invalid_query', {
    name: 'before',
    cause: `'${text}' is not the mark of a page.`,
    remediation: 'Send the value of x-next-before of the previous page.',
  });
}

const filterOf = ({ output, since, until, before, limit }: ActuationQuery): ActuationFilter => ({
  ...(output === undefined ? {} : { output }),
  ...(since === undefined ? {} : { since: queryTimestamp('since', since) }),
  ...(until === undefined ? {} : { until: queryTimestamp('until', until) }),
  ...(before === undefined ? {} : { before: cursor(before) }),
  limit: limit ?? usualLimit,
});

type Page = { readonly status: 200; readonly body: Actuation[]; readonly headers: { readonly [name: string]: string } };

/** The record of actuations and their reasons, page by page. `reads` queries outside of the main thread. */
export function actuationHandlers(
  { database, clock }: Pick<LeaderContext, 'database' | 'clock'>,
  reads: LeaderReader,
): Handlers<typeof actuationRoutes> {
  const page = async (filter: ActuationFilter): Promise<Page> => {
    const rows = await readActuations(reads, filter);
    const ledgers = await readRunLedgers(
      reads,
      rows.filter((row) => runOf(row) !== null).map(({ id }) => id),
    );
    const last = rows.at(-1);
    const headers: Record<string, string> =
      last !== undefined && rows.length === filter.limit ? { 'x-next-before': `${last.at}.${last.id}` } : {};
    return {
      status: 200,
      body: rows.map((row) => toActuation(row, ledgers.get(row.id) ?? null, clock.now())),
      headers,
    };
  };

  return {
    listWorkerActuations: ({ params: { reactor_unit: unit }, query }) =>
      page({ ...filterOf(query), ...(unit === broadcast ? {} : { unit }) }),

    listExperimentActuations: async ({ params: { experiment }, query }) => {
      const filter = filterOf(query);
      if (experiment === systemExperiment) return page({ ...filter, experimentUid: systemExperiment });
      const known = await experimentKey(database.read, experiment).select('uid').executeTakeFirst();
      return known === undefined
        ? { status: 200, body: [], headers: {} }
        : page({ ...filter, experimentUid: known.uid });
    },
  };
}
