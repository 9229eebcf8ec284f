import { ApiError, type Handlers, type InterruptionQuery, type interruptionRoutes } from '@lcs/contract';
import { type LeaderContext, systemExperiment } from '../core/leader-context.ts';
import { queryTimestamp } from '../core/timestamps.ts';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';
import { type InterruptionCursor, type InterruptionFilter, readInterruptions } from './interruption-store.ts';
import { toInterruption } from './to-interruption.ts';

const usualLimit = 100;
const cursorPattern = /^(-?\d{1,15})\.([01])\.(\d{1,15})$/;

/** @throws ApiError invalid_query */
function cursor(text: string): InterruptionCursor {
  const [, at, table, id] = cursorPattern.exec(text) ?? [];
  if (at !== undefined && table !== undefined && id !== undefined)
    return { at: Number(at), table: Number(table), id: Number(id) };
  throw new ApiError('invalid_query', {
    name: 'before',
    cause: `'${text}' is not the mark of a page.`,
    remediation: 'Send the value of x-next-before of the previous page.',
  });
}

const filterOf = ({ reactor_unit, kind, since, until, before, limit }: InterruptionQuery): InterruptionFilter => ({
  ...(reactor_unit === undefined ? {} : { unit: reactor_unit }),
  ...(kind === undefined ? {} : { kind }),
  ...(since === undefined ? {} : { since: queryTimestamp('since', since) }),
  ...(until === undefined ? {} : { until: queryTimestamp('until', until) }),
  ...(before === undefined ? {} : { before: cursor(before) }),
  limit: limit ?? usualLimit,
});

/** The missing records of an experiment with their reasons, page by page. `reads` queries outside of the main thread. */
export function interruptionHandlers(
  { database }: Pick<LeaderContext, 'database'>,
  reads: LeaderReader,
): Handlers<typeof interruptionRoutes> {
  return {
    listInterruptions: async ({ params: { experiment }, query }) => {
      const filter = filterOf(query);
      const known =
        experiment === systemExperiment ? undefined : await experimentKey(database.read, experiment).executeTakeFirst();
      if (known === undefined && experiment !== systemExperiment) return { status: 200, body: [], headers: {} };
      const rows = await readInterruptions(reads, { ...filter, ...(known && { experimentId: known.id }) });
      const last = rows.at(-1);
      const isFull = last !== undefined && rows.length === filter.limit;
      const headers: Record<string, string> = isFull ? { 'x-next-before': `${last.at}.${last.table}.${last.id}` } : {};
      return { status: 200, body: rows.map(toInterruption), headers };
    },
  };
}
