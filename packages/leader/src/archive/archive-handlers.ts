import { isAbsolute } from 'node:path';
import { ApiError, type archiveRoutes, dayMs, type Handlers, type MovedMonth, type VerifiedMonth } from '@lcs/contract';
import { type TaskContext, type TaskKind, toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { ArchiveFailed } from '../sealed/archive-failed.ts';
import { isBucket } from '../sealed/open-storage.ts';
import { type Archive, defaultArchivePlace } from './archive.ts';
import { type Month, monthNamed } from './month.ts';

/** Units that were away bring readings of a month that has ended. */
const closedAfterMs = 7 * dayMs;

/** @throws ApiError month_invalid */
function expectMonth(name: string): Month {
  const month = monthNamed(name);
  if (month === undefined) throw new ApiError('month_invalid', { month: name });
  return month;
}

type SealInput = { readonly month: string; readonly place: string };
type MonthInput = { readonly month: string };

/** One at a time: each needs the manifest as the one before has left it. */
const lock = 'archive-lock';

async function orFailed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveFailed) throw new ApiError('archive_failed', { cause: error.message });
    throw error;
  }
}

/** Sealed months: routes and tasks. Create it before the tasks start. */
export function archiveHandlers(context: LeaderContext, archive: Archive): Handlers<typeof archiveRoutes> {
  const { tasks, leader, clock, dataFolder, database } = context;
  const progressOf = (task: TaskContext) => (fraction: number, message: string) => task.progress(fraction, message);
  const seal: TaskKind<SealInput> = {
    kind: 'seal_month',
    lock,
    run: async ({ month, place }, task): Promise<MovedMonth> => ({
      month,
      ...(await orFailed(() => archive.seal(expectMonth(month), place, task.signal, progressOf(task)))),
    }),
  };
  const verify: TaskKind<MonthInput> = {
    kind: 'verify_month',
    lock,
    run: async ({ month }, task): Promise<VerifiedMonth> => {
      const { length: files } = await archive.files(month);
      const faulty = await orFailed(() => archive.verify(expectMonth(month), task.signal, progressOf(task)));
      return { month, files, faulty: [...faulty] };
    },
  };
  const unseal: TaskKind<MonthInput> = {
    kind: 'unseal_month',
    lock,
    run: async ({ month }, task): Promise<MovedMonth> => ({
      month,
      ...(await orFailed(() => archive.unseal(expectMonth(month), task.signal, progressOf(task)))),
    }),
  };
  for (const kind of [seal, verify, unseal]) tasks.register(kind);

  /** @throws ApiError month_invalid, month_not_sealed */
  async function expectSealed(name: string): Promise<void> {
    const { name: month } = expectMonth(name);
    if ((await archive.files(month)).length === 0) throw new ApiError('month_not_sealed', { month });
  }

  return {
    listArchive: async () => {
      const names = new Map(
        (await database.read.selectFrom('experiments').select(['uid', 'name']).execute()).map(({ uid, name }) => [
          uid,
          name,
        ]),
      );
      const files = (await archive.files()).map((file) => ({
        month: file.month,
        experiment: names.get(file.experiment_uid) ?? file.experiment_uid,
        place: file.place,
        file: file.file,
        rows: file.row_count,
        bytes: file.bytes,
        sha256: file.sha256,
        first_at: toTimestamp(file.first_at),
        last_at: toTimestamp(file.last_at),
        sealed_at: toTimestamp(file.sealed_at),
        is_complete: file.state === 'sealed',
      }));
      return { status: 200, body: { files } };
    },
    sealMonth: async ({ params, body }) => {
      const month = expectMonth(params.month);
      const place = body.to ?? defaultArchivePlace(dataFolder);
      if (!isAbsolute(place) && !isBucket(place)) throw new ApiError('archive_place_invalid', { place });
      const closedAtMs = month.toMs + closedAfterMs;
      if (clock.now() < closedAtMs)
        throw new ApiError('month_not_closed', { month: month.name, closedAt: toTimestamp(closedAtMs) });
      const { taskId } = await tasks.submit(seal, { month: month.name, place });
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
    verifyMonth: async ({ params }) => {
      await expectSealed(params.month);
      const { taskId } = await tasks.submit(verify, { month: params.month });
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
    unsealMonth: async ({ params }) => {
      await expectSealed(params.month);
      const { taskId } = await tasks.submit(unseal, { month: params.month });
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
  };
}
