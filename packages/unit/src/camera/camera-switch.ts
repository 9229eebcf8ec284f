import type { Database, Service } from '@lcs/platform';
import type { CameraTables } from './camera-tables.ts';

const key = 'auto_capture_enabled';

/** Whether scheduled stills are on for this unit: a choice of users, stored separately from the configuration. */
export class CameraSwitch implements Service {
  readonly name = 'switch of the camera';
  readonly #database: Pick<Database<CameraTables>, 'read' | 'write'>;
  #isOn = true;

  constructor(database: Pick<Database<CameraTables>, 'read' | 'write'>) {
    this.#database = database;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  async start(): Promise<void> {
    const row = await this.#database.read
      .selectFrom('camera_settings')
      .where('key', '=', key)
      .select('value')
      .executeTakeFirst();
    this.#isOn = row?.value !== '0';
  }

  async stop(): Promise<void> {}

  /** On disk when it resolves. */
  async set(isOn: boolean): Promise<void> {
    const value = isOn ? '1' : '0';
    await this.#database.write((transaction) =>
      transaction
        .insertInto('camera_settings')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute(),
    );
    this.#isOn = isOn;
  }
}
