import type { LeaderTransaction } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';

/** A machine with credentials. */
export interface MachineRecord {
  readonly machineId: string;
  readonly unit: string;
  /** Base64 of the SubjectPublicKeyInfo. */
  readonly publicKey: string;
  readonly generation: number;
  /** The generation that its next enrolment issues. */
  readonly wantedGeneration: number;
  readonly enrolledAt: number;
  readonly revokedAt: number | null;
}

export const readMachines = async (database: LeaderReader): Promise<MachineRecord[]> =>
  (await database.selectFrom('machines').selectAll().execute()).map((row) => ({
    machineId: row.machine_id,
    unit: row.reactor_unit,
    publicKey: row.public_key,
    generation: row.generation,
    wantedGeneration: row.wanted_generation,
    enrolledAt: row.enrolled_at,
    revokedAt: row.revoked_at,
  }));

export async function writeMachine(transaction: LeaderTransaction, machine: MachineRecord): Promise<void> {
  const row = {
    reactor_unit: machine.unit,
    public_key: machine.publicKey,
    generation: machine.generation,
    wanted_generation: machine.wantedGeneration,
    enrolled_at: machine.enrolledAt,
    revoked_at: machine.revokedAt,
  };
  await transaction
    .insertInto('machines')
    .values({ machine_id: machine.machineId, ...row })
    .onConflict((conflict) => conflict.column('machine_id').doUpdateSet(row))
    .execute();
}
