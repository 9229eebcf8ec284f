import { ApiError, type ChartPreferences, type ChartPreferencesChange } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { experimentKey, type LeaderReader } from '../queries/experiments.ts';

const nothingChosen: ChartPreferences = { overview_chart_keys: null, reactor_chart_keys: null };

const fields = ['overview_chart_keys', 'reactor_chart_keys'] as const;

function toKeys(text: string | null): string[] | null {
  const keys: string[] | null = text === null ? null : JSON.parse(text);
  return keys;
}

const toText = (keys: readonly string[] | null): string | null => (keys === null ? null : JSON.stringify(keys));

/** The row with the chart preferences of an experiment, if it has any. */
export const storedPreferences = (database: LeaderReader, experimentId: number) =>
  database
    .selectFrom('chart_preferences')
    .where('experiment_id', '=', experimentId)
    .select(['overview_chart_keys', 'reactor_chart_keys']);

async function readPreferences(database: LeaderReader, experimentId: number): Promise<ChartPreferences> {
  const row = await storedPreferences(database, experimentId).executeTakeFirst();
  if (!row) return nothingChosen;
  return { overview_chart_keys: toKeys(row.overview_chart_keys), reactor_chart_keys: toKeys(row.reactor_chart_keys) };
}

async function existingExperiment(database: LeaderReader, name: string) {
  const experiment = await experimentKey(database, name).executeTakeFirst();
  if (!experiment) throw new ApiError('experiment_not_found', { experiment: name });
  return experiment;
}

/** The chart preferences of an experiment; null where there are none. @throws ApiError experiment_not_found */
export async function chartPreferences(database: LeaderReader, name: string): Promise<ChartPreferences> {
  const experiment = await existingExperiment(database, name);
  return readPreferences(database, experiment.id);
}

/** Stored keys that have vanished since are not an error of the caller: only new keys are validated. */
function checkKeys(change: ChartPreferencesChange, available: ReadonlySet<string>): void {
  for (const field of fields) {
    const seen = new Set<string>();
    for (const key of change[field] ?? []) {
      if (!available.has(key))
        throw new ApiError('chart_keys_invalid', { cause: `${field}: there is no chart '${key}'.` });
      if (seen.has(key)) throw new ApiError('chart_keys_invalid', { cause: `${field}: '${key}' occurs twice.` });
      seen.add(key);
    }
  }
}

/**
 * Sets the charts of an experiment; a list that is absent does not change.
 * @throws ApiError nothing_to_change, experiment_not_found, chart_keys_invalid
 */
export async function updateChartPreferences(
  context: LeaderContext,
  name: string,
  change: ChartPreferencesChange,
  available: ReadonlySet<string>,
): Promise<ChartPreferences> {
  if (fields.every((field) => change[field] === undefined)) {
    throw new ApiError('nothing_to_change', { fields: fields.join(', ') });
  }
  return context.change(async (transaction, effects) => {
    const experiment = await existingExperiment(transaction, name);
    checkKeys(change, available);
    const before = await readPreferences(transaction, experiment.id);
    const chosen: ChartPreferences = {
      overview_chart_keys:
        change.overview_chart_keys === undefined ? before.overview_chart_keys : change.overview_chart_keys,
      reactor_chart_keys:
        change.reactor_chart_keys === undefined ? before.reactor_chart_keys : change.reactor_chart_keys,
    };
    const row = {
      overview_chart_keys: toText(chosen.overview_chart_keys),
      reactor_chart_keys: toText(chosen.reactor_chart_keys),
      updated_at: context.clock.now(),
    };
    await transaction
      .insertInto('chart_preferences')
      .values({ experiment_id: experiment.id, ...row })
      .onConflict((conflict) => conflict.column('experiment_id').doUpdateSet(row))
      .execute();
    effects.live('chart_preferences', name, { experiment: name, ...chosen });
    return chosen;
  });
}
