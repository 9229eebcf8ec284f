import {
  ApiError,
  type Backup,
  type Backups,
  type backupRoutes,
  type Handlers,
  hourMs,
  StreamBody,
} from '@lcs/contract';
import { expectFileAccess, type FoundBackup, type JobDefinition } from '@lcs/node';
import { type Service, toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { backupJob } from './backup-job.ts';
import { BackupSchedule } from './backup-schedule.ts';
import { LeaderBackups, type LeaderBackupsOptions } from './leader-backups.ts';

export interface BackupsOptions extends Omit<LeaderBackupsOptions, 'context'> {
  readonly context: LeaderContext;
}

/** Backups of the leader: on a schedule, by hand, as a job. */
export interface BackupsFeature {
  readonly handlers: Handlers<typeof backupRoutes>;
  /** Services that submit tasks: they start after the task runner. */
  readonly schedule: Service;
  readonly definition: JobDefinition;
}

const shown = ({ folder, createdAtMs, version, bytes }: FoundBackup): Backup => ({
  backup_name: folder,
  created_at: toTimestamp(createdAtMs),
  app_version: version,
  bytes,
});

/** When the newest backup was made. If the folder is not reachable, a backup is tried: its failure is logged and raises the alarm. */
async function newestAtMs(backups: LeaderBackups): Promise<number | undefined> {
  try {
    return (await backups.list())[0]?.createdAtMs;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'backup_place_missing') return undefined;
    throw error;
  }
}

/** Creates the feature; registers the kind of its task. */
export function createBackups(options: BackupsOptions): BackupsFeature {
  const { leader, dataFolder, tasks, clock, wire, log } = options.context;
  const backups = new LeaderBackups(options);
  const kind = {
    kind: 'backup_database',
    lock: 'backup-lock',
    run: (_: null, task: Parameters<LeaderBackups['make']>[0]) => backups.make(task),
  };
  tasks.register(kind);
  const submit = () => tasks.submit(kind, null);
  /** The existing backups, or why they cannot be read. */
  const found = async (): Promise<Pick<Backups, 'backups' | 'problem'>> => {
    try {
      const list = await backups.list();
      return { backups: list.map(shown), problem: await backups.problem(list[0]?.createdAtMs) };
    } catch (error) {
      return { backups: [], problem: error instanceof Error ? error.message : String(error) };
    }
  };
  return {
    handlers: {
      listBackups: async () => {
        const { intervalMs, place, retention } = backups;
        const { backups: list, problem } = await found();
        const newest = list[0] === undefined ? clock.now() : Date.parse(list[0].created_at);
        const next_at = intervalMs === 0 ? null : toTimestamp(newest + (list[0] === undefined ? 0 : intervalMs));
        return {
          status: 200,
          body: {
            place: place.folder,
            is_second_place: place.isSecond,
            interval_hours: intervalMs / hourMs,
            next_at,
            keep_daily: retention.daily,
            keep_weekly: retention.weekly,
            has_keys: await backups.hasPassphrase(),
            problem,
            backups: list,
          },
        };
      },
      createBackup: async () => {
        await backups.expectPlace();
        const { taskId } = await submit();
        return { status: 202, body: acceptedTask(leader, taskId) };
      },
      downloadBackup: async ({ params: { backup_name } }) => {
        await expectFileAccess(dataFolder);
        const chunks = await backups.zip(backup_name);
        const headers = { 'content-disposition': `attachment; filename="${backup_name}.zip"` };
        return { status: 200, headers, body: new StreamBody(chunks) };
      },
    },
    schedule: new BackupSchedule({
      newestAtMs: () => newestAtMs(backups),
      intervalMs: () => backups.intervalMs,
      submit,
      clock,
      wire,
      log,
    }),
    definition: backupJob(backups),
  };
}
