import type { Blank } from '@lcs/contract';
import { blankEventName } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { sql } from 'kysely';
import { blankIn } from '../queries/blank-events.ts';
import type { LeaderReader } from '../queries/experiments.ts';

interface BlankRow {
  readonly reactor_unit: string;
  readonly experiment: string;
  readonly at: number;
  /** JSON. */
  readonly data: string;
}

/** The blank of each unit in its present experiment. */
export async function blanksInUse(reads: LeaderReader): Promise<readonly Blank[]> {
  const { rows } = await sql<BlankRow>`
    select a.reactor_unit, e.name as experiment, v.at, v.data
    from assignments a
    join experiments e on e.id = a.experiment_id and e.deleting_at is null
    join events v on v.id = (
      select id from events indexed by events_by_experiment
      where experiment_uid = e.uid and name = ${blankEventName} and reactor_unit = a.reactor_unit
      order by at desc, id desc limit 1)
    order by a.reactor_unit`.execute(reads);
  return rows.flatMap(({ reactor_unit, experiment, at, data }) => {
    const blank = blankIn(data);
    return blank === null ? [] : [{ reactor_unit, experiment, measured_at: toTimestamp(at), ...blank }];
  });
}
