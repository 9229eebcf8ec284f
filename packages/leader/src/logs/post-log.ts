import { ApiError, logLevels, type PostedLogEntry } from '@lcs/contract';
import { actingAccount, toTimestamp } from '@lcs/platform';
import { type LeaderContext, systemExperiment } from '../core/leader-context.ts';
import { parseTimestamp } from '../core/timestamps.ts';
import { broadcast, expectKnown } from '../queries/addressed-units.ts';
import { workersOfExperiment } from '../queries/assignments.ts';
import { experimentKey } from '../queries/experiments.ts';
import { workerNames } from '../queries/workers.ts';
import { levelNamed } from './log-filter.ts';

const remediation = 'Send message, level and source as text; timestamp (RFC 3339), task and source_ if you like.';

const invalid = (field: keyof PostedLogEntry, cause: string) =>
  new ApiError('invalid_body', { field, cause, remediation });

/** The years that a time stamp can have. */
const latest = Date.UTC(9999, 11, 31);

/** The validated fields of a posted entry. */
function entryOf(posted: PostedLogEntry, now: number) {
  const message = posted.message.trim();
  if (message === '') throw invalid('message', 'message must not be empty.');
  const level = levelNamed(posted.level);
  if (!level) throw invalid('level', `level must be one of ${logLevels.join(', ')}, got '${posted.level}'.`);
  const at = posted.timestamp === undefined ? now : parseTimestamp(posted.timestamp);
  if (at === undefined || at < 0 || at > latest)
    throw invalid(
      'timestamp',
      `timestamp '${posted.timestamp}' must be a time with a zone, such as 2026-05-02T09:14:03.120Z.`,
    );
  return { at, level, message, source: actingAccount() ?? posted.source, task: posted.task ?? '' };
}

/**
 * Adds an entry to the event log; for `$broadcast` one for each worker of the experiment. It is stored when the promise resolves, and
 * then published.
 * @throws ApiError invalid_body, unit_unknown, experiment_unknown
 */
export async function postLog(
  context: LeaderContext,
  { unit, experiment }: { readonly unit: string; readonly experiment: string },
  posted: PostedLogEntry,
): Promise<void> {
  const entry = entryOf(posted, context.clock.now());
  if (unit !== broadcast) await expectKnown(context, unit);
  await context.change(async (transaction, effects) => {
    const key = await experimentKey(transaction, experiment).executeTakeFirst();
    if (!key && experiment !== systemExperiment) throw new ApiError('experiment_unknown', { experiment });
    const units =
      unit !== broadcast
        ? [unit]
        : key
          ? (await workersOfExperiment(transaction, experiment).execute()).map(({ reactor_unit }) => reactor_unit)
          : await workerNames(transaction);
    if (units.length === 0) return;
    const rows = units.map((reactor_unit) => ({ experiment_id: key?.id ?? null, experiment, reactor_unit, ...entry }));
    await transaction.insertInto('logs').values(rows).execute();
    const { at, ...texts } = entry;
    const shown = { ...texts, timestamp: toTimestamp(at) };
    for (const reactor_unit of units) {
      effects.live('log', `${experiment}/${entry.task}`, { ...shown, reactor_unit, experiment });
      const topic = `reactor/${reactor_unit}/${experiment}/logs/${posted.source_ ?? 'ui'}/${entry.level.toLowerCase()}`;
      effects.mqtt(topic, JSON.stringify(shown));
    }
  });
}
