import { announceAssignment } from '../assignments/announce.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { replaceTags } from '../experiments/experiment-tags.ts';
import { openAssignment } from '../queries/assignments.ts';
import { experimentNamed, type LeaderReader, toExperiment } from '../queries/experiments.ts';
import { assignmentOf, toWorker, workerNamed } from '../queries/workers.ts';
import type { SeriesIngest } from '../series/series-ingest.ts';

/** A unit that has been part of an experiment since its beginning. */
interface PastUnit {
  readonly unit: string;
  readonly model: { readonly name: string; readonly version: string };
}

/** An experiment whose beginning precedes its creation in the store. */
interface PastExperiment {
  /** Chosen and stored by the caller before, who recognises it after a crash. */
  readonly uid: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Milliseconds since 1970 UTC. */
  readonly beganAt: number;
  readonly units: readonly PastUnit[];
}

/** Writes the past of a demonstration; everything else happens now, through the routes. */
export interface HistoryPort {
  /** Creates the experiment with its units, unless the leader has experiments already. Resolves to whether it exists now. */
  begin(past: PastExperiment): Promise<boolean>;
  /** Whether the experiment is still there. */
  has(uid: string): Promise<boolean>;
  /** Readings of one unit, not flushed to disk: those lost in a power cut are simulated again. */
  write: SeriesIngest['write'];
}

type History = Pick<LeaderContext, 'change' | 'clock' | 'database' | 'desired'>;

export const historyPort = (context: History, ingest: Pick<SeriesIngest, 'write'>): HistoryPort => ({
  begin: (past) => begin(context, past),
  has: (uid) => isThere(context.database.read, uid),
  write: (batch) => ingest.write(batch),
});

/** An experiment that is being deleted does not exist any more. */
async function isThere(database: LeaderReader, uid: string): Promise<boolean> {
  const existing = database.selectFrom('experiments').where('uid', '=', uid).where('deleting_at', 'is', null);
  return (await existing.select('id').executeTakeFirst()) !== undefined;
}

async function begin({ change, clock, desired }: History, past: PastExperiment): Promise<boolean> {
  const { uid, name, beganAt, units } = past;
  return change(async (transaction, effects) => {
    const any = await transaction.selectFrom('experiments').select('id').limit(1).executeTakeFirst();
    if (any) return isThere(transaction, uid);
    const { id } = await transaction
      .insertInto('experiments')
      .values({ uid, name, created_at: beganAt, description: past.description })
      .returning('id')
      .executeTakeFirstOrThrow();
    await replaceTags(transaction, id, past.tags);
    for (const { unit, model } of units) {
      const known = await workerNamed(transaction, unit).executeTakeFirst();
      const worker = known ?? {
        reactor_unit: unit,
        added_at: beganAt,
        is_active: 1,
        model_name: model.name,
        model_version: model.version,
      };
      if (!known) await transaction.insertInto('workers').values(worker).execute();
      if (await assignmentOf(transaction, unit).executeTakeFirst()) continue;
      await openAssignment(transaction, unit, { id, name }, beganAt);
      effects.live('worker', unit, toWorker(worker));
      const assignment = { reactor_unit: unit, experiment: name, is_active: 1, assigned_at: beganAt } as const;
      announceAssignment(effects, assignment, clock.now());
    }
    effects.afterCommit(() => desired.refresh(units.map(({ unit }) => unit)));
    const experiment = await experimentNamed(transaction, name).executeTakeFirstOrThrow();
    effects.live('experiment', name, toExperiment(experiment, clock.now()));
    await effects.logEvent({
      experiment: { id, name },
      level: 'INFO',
      message: `Began ${name} with ${units.length} simulated units. Its past was computed with the simulated vials.`,
      task: 'demo',
    });
    return true;
  });
}
