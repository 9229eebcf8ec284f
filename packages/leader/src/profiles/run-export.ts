import type { ProfileRunExport } from '@lcs/contract';
import { type Clock, toTimestamp } from '@lcs/platform';
import { storedBeginning } from './run-beginning.ts';
import { changesOfRun, expectRun, type RunKey, type RunRecordOptions, runActions } from './run-record.ts';
import { profileRun, unitsIn } from './run-store.ts';

/** The record of a run as one document. @throws ApiError profile_run_not_found */
export async function runExport(
  options: RunRecordOptions & { readonly clock: Pick<Clock, 'now'> },
  key: RunKey,
): Promise<ProfileRunExport> {
  const { database, texts, clock } = options;
  const run = await expectRun(database, key);
  const parsed = await texts.read('profile', run.profile_text);
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
    changes: await changesOfRun(database, run.id),
  };
}
