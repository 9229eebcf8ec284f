import { readRestoreRecord, removeRestoreRecord } from '@lcs/node';
import { type Service, toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';

interface RestoreLogOptions {
  readonly context: Pick<LeaderContext, 'dataFolder' | 'change'>;
  readonly access: { readonly hasPeople: boolean };
}

const openToAll =
  'Nobody has an account since the restore: whoever reaches this leader can change everything. Open Settings, People, and create the first account.';

/** The first start after a restore writes it into the event log. */
export function restoreLog({ context, access }: RestoreLogOptions): Service {
  const { dataFolder, change } = context;
  return {
    name: 'log of a restore',
    async start() {
      const record = await readRestoreRecord(dataFolder);
      if (record === undefined) return;
      const { backup, version, created_at, restored_at, set_aside } = record;
      const aside = set_aside === null ? '' : ` The former data folder is ${set_aside}.`;
      const message = `Restored at ${toTimestamp(restored_at)} from ${backup}, made at ${toTimestamp(created_at)} by version ${version}.${aside} Nothing of the time between is in this leader.`;
      await change(async (_, effects) => {
        await effects.logEvent({ level: 'WARNING', message, task: 'restore' });
        if (!access.hasPeople) await effects.logEvent({ level: 'WARNING', message: openToAll, task: 'restore' });
      });
      await removeRestoreRecord(dataFolder);
    },
    async stop() {},
  };
}
