import type { LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from './experiments.ts';

/** A machine that has said who and where it is. */
export interface StoredEnrolment {
  readonly reactor_unit: string;
  readonly machine_id: string;
  readonly base_url: string;
  readonly epoch: string;
  readonly boot: number;
  readonly protocol: number;
  readonly app_version: string;
  readonly model_name: string | null;
  readonly model_version: string | null;
  /** Milliseconds since 1970: of the first time, and of the last. */
  readonly enrolled_at: number;
  readonly renewed_at: number;
}

export const enrolments = (database: LeaderReader) =>
  database.selectFrom('enrolments').selectAll().orderBy('reactor_unit');

export const enrolmentOf = (database: LeaderReader, unit: string) =>
  database.selectFrom('enrolments').selectAll().where('reactor_unit', '=', unit);

/** Under which name a machine is known. */
export const enrolmentOfMachine = (database: LeaderReader, machineId: string) =>
  database.selectFrom('enrolments').selectAll().where('machine_id', '=', machineId);

/** The name that was taken from a machine. */
export const replacementOf = (database: LeaderReader, machineId: string) =>
  database.selectFrom('replaced_machines').select('reactor_unit').where('machine_id', '=', machineId);

/** The machine is known under this name from now on; whatever else had the name or the machine is not. */
export async function keepEnrolment(transaction: LeaderTransaction, enrolment: StoredEnrolment): Promise<void> {
  const { reactor_unit, machine_id, renewed_at } = enrolment;
  const holder = await enrolmentOf(transaction, reactor_unit).executeTakeFirst();
  if (holder && holder.machine_id !== machine_id) {
    await transaction
      .insertInto('replaced_machines')
      .values({ machine_id: holder.machine_id, reactor_unit, replaced_at: renewed_at })
      .onConflict((conflict) => conflict.column('machine_id').doUpdateSet({ reactor_unit, replaced_at: renewed_at }))
      .execute();
  }
  await transaction.deleteFrom('replaced_machines').where('machine_id', '=', machine_id).execute();
  await transaction
    .deleteFrom('enrolments')
    .where(({ or, eb }) => or([eb('machine_id', '=', machine_id), eb('reactor_unit', '=', reactor_unit)]))
    .execute();
  await transaction.insertInto('enrolments').values(enrolment).execute();
}
