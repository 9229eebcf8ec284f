import type { ProfileRunExport } from '@lcs/contract';
import { type Clock, toTimestamp } from '@lcs/platform';
import { storedBeginning } from './run-beginning.ts';
import { expectRun, type RunKey, type RunRecordOptions, runActions } from './run-record.ts';
import { profileRun, storedKey, unitsIn } from './run-store.ts';

/** The record of a run as one document. @throws ApiError profile_run_not_found */
export async function runExport(
  options: RunRecordOptions & { readonly clock: Pick<Clock, 'now'> },
  key: RunKey,
): Promise<ProfileRunExport> {
  const { database, texts, clock } = options;
  const run = await expectRun(database, key);
  const parsed = await texts.read('profile', run.profile_text);
  const changes = await database
    .selectFrom('profile_changes')
    .where('run_id', '=', run.id)
    .selectAll()
    .orderBy('at')
    .orderBy('id')
    .execute();
  return {
    kind: 'experiment_profile_run',
    exported_at: toTimestamp(clock.now()),
    run: profileRun(run, key.experiment),
    profile_text: run.profile_text,
    inputs: 'profile' in parsed ? { ...parsed.profile.inputs } : {},
    common_units: [...unitsIn(run.common_units)],
    own_units: [...unitsIn(run.own_units)],
    began_with: storedBeginning(run.began_with),
    actions: (await runActions(options, key, {})).reverse(),
    changes: changes.map(({ at, kind, account, item }) => {
      const about = item === null ? undefined : storedKey(item);
      const shown = about && { reactor_unit: about.unit, path: about.path, iteration: about.iteration };
      return { at: toTimestamp(at), kind, account, item: shown ?? null };
    }),
  };
}
