import { type CalibrationSession, dayMs, type Json } from '@lcs/contract';
import type { Database } from '@lcs/platform';
import type { CalibrationTables } from './calibration-tables.ts';

type Values = Readonly<Record<string, Json>>;

/** A stored session. */
export interface StoredSession extends Omit<CalibrationSession, 'data' | 'created_at' | 'updated_at'> {
  readonly data: Values;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The work that was begun and is not recorded as ended: the unit ended in the middle of it. */
  readonly working?: string;
}

/** Sessions without changes for a week are deleted. */
const keptMs = 7 * dayMs;

/** Calibration sessions on disk. */
export class SessionStore {
  readonly #database: Pick<Database<CalibrationTables>, 'read' | 'write'>;
  readonly #now: () => number;

  constructor(database: Pick<Database<CalibrationTables>, 'read' | 'write'>, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Undefined when it is unknown or was forgotten. */
  async find(sessionId: string): Promise<StoredSession | undefined> {
    const row = await this.#database.read
      .selectFrom('calibration_sessions')
      .where('session_id', '=', sessionId)
      .where('updated_at', '>', this.#now() - keptMs)
      .select('session')
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const session: StoredSession = JSON.parse(row.session);
    return session;
  }

  /** All sessions that are in progress. */
  async open(): Promise<readonly StoredSession[]> {
    const rows = await this.#database.read
      .selectFrom('calibration_sessions')
      .where('status', '=', 'in_progress')
      .where('updated_at', '>', this.#now() - keptMs)
      .select('session')
      .execute();
    return rows.map(({ session }): StoredSession => JSON.parse(session));
  }

  /** On disk when it resolves; expired sessions are deleted with it. */
  async save(session: StoredSession): Promise<void> {
    const updatedAtMs = Math.floor(this.#now());
    const row = {
      session_id: session.session_id,
      device: session.target_device,
      status: session.status,
      updated_at: updatedAtMs,
      session: JSON.stringify({ ...session, updatedAtMs }),
    };
    await this.#database.write(async (transaction) => {
      await transaction
        .insertInto('calibration_sessions')
        .values(row)
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet(row))
        .execute();
      await transaction
        .deleteFrom('calibration_sessions')
        .where('updated_at', '<=', updatedAtMs - keptMs)
        .execute();
    });
  }
}
