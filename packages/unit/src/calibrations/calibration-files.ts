import { createHash } from 'node:crypto';
import { ApiError } from '@lcs/contract';
import { validateCalibrationName, validateDeviceName } from '@lcs/domain';
import { type Cancel, type Database, Listeners, type Log, type Service } from '@lcs/platform';
import { canonicalJson } from '../canonical-json.ts';
import { type CalibrationFolder, UnusableFile } from './calibration-folder.ts';
import type { CalibrationTables } from './calibration-tables.ts';

/** The change of a file. */
export interface CalibrationFileChange {
  readonly device: string;
  readonly name: string;
  readonly change: 'created' | 'activated' | 'deactivated' | 'deleted';
}

export interface CalibrationFilesOptions<Content extends object> {
  readonly kind: CalibrationTables['active_artefacts']['kind'];
  readonly unit: string;
  readonly files: CalibrationFolder<Content>;
  readonly database: Pick<Database<CalibrationTables>, 'read' | 'write'>;
  readonly nameOf: (content: Content) => string;
  readonly unknown: (device: string, name: string) => ApiError;
  readonly invalid: (cause: string) => ApiError;
  /** Why a content cannot be used, as a sentence; undefined: it can be used. */
  readonly faultOf: (content: Content) => string | undefined;
  readonly unusable: (cause: string) => ApiError;
  readonly log: Log;
}

/** The active file of a device, at hand. */
export interface ActiveCalibrationFile<Content> {
  readonly content: Content;
  /** The first 16 hexadecimal digits of the SHA-256 of its content. */
  readonly hash: string;
}

/** A calibration file with the fields of a response. */
export type Shown<Content> = Content & {
  readonly is_active: boolean;
  readonly reactor_unit: string;
};

const hashOf = (content: object): string =>
  createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 16);

/**
 * Calibrations, or estimators, of a unit: files by device and name, and which of them is the active one of each device. What
 * is active is in memory too, for jobs cannot wait.
 */
export class CalibrationFiles<Content extends object> implements Service {
  readonly name: string;
  readonly #options: CalibrationFilesOptions<Content>;
  readonly #pointers = new Map<string, string>();
  readonly #active = new Map<string, ActiveCalibrationFile<Content>>();
  /** Changes wait for each other: a file and its pointer belong together. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #changes = new Listeners<CalibrationFileChange>();

  constructor(options: CalibrationFilesOptions<Content>) {
    this.#options = options;
    this.name = options.kind;
  }

  async start(): Promise<void> {
    const { files, database, kind } = this.#options;
    await files.open();
    const rows = await database.read.selectFrom('active_artefacts').where('kind', '=', kind).selectAll().execute();
    this.#pointers.clear();
    this.#active.clear();
    for (const { device, name } of rows) {
      this.#pointers.set(device, name);
      await this.#recall(device, name);
    }
  }

  async stop(): Promise<void> {
    await this.#last.catch(() => {});
  }

  /** Calls `listener` after each change, when it is on disk; the returned function ends that. */
  onChange(listener: (change: CalibrationFileChange) => void): Cancel {
    return this.#changes.add(listener);
  }

  /** The active one of a device; undefined when none is, or its file cannot be used. */
  active(device: string): ActiveCalibrationFile<Content> | undefined {
    return this.#active.get(device);
  }

  /** Of each device that has some that can be used. */
  async all(): Promise<Record<string, Shown<Content>[]>> {
    const { files } = this.#options;
    const all: [string, Shown<Content>[]][] = [];
    for (const device of await files.devices()) {
      const found = (await files.ofDevice(device)) ?? [];
      if (found.length > 0) all.push([device, found.map((content) => this.#shown(device, content))]);
    }
    return Object.fromEntries(all);
  }

  /** Undefined when the device has no folder. @throws ApiError artefact_name_invalid */
  async ofDevice(device: string): Promise<Shown<Content>[] | undefined> {
    expectDevice(device);
    return (await this.#options.files.ofDevice(device))?.map((content) => this.#shown(device, content));
  }

  /** @throws ApiError artefact_name_invalid, the unknown one, artefact_unreadable */
  async one(device: string, name: string): Promise<Shown<Content>> {
    expectNames(device, name);
    const { files, unknown } = this.#options;
    try {
      const content = await files.read(device, name);
      if (content === undefined) throw unknown(device, name);
      return this.#shown(device, content);
    } catch (error) {
      if (error instanceof UnusableFile)
        throw new ApiError('artefact_unreadable', { path: error.path, cause: error.message });
      throw error;
    }
  }

  /** Whether there is a file of this name. */
  async exists(device: string, name: string): Promise<boolean> {
    try {
      return (await this.#options.files.read(device, name)) !== undefined;
    } catch (error) {
      if (error instanceof UnusableFile) return true;
      throw error;
    }
  }

  /** The active files, by device; pointers to unusable files are left out and logged. */
  async allActive(): Promise<Record<string, Shown<Content>>> {
    const { files, log } = this.#options;
    const all: [string, Shown<Content>][] = [];
    for (const [device, name] of [...this.#pointers].sort(([a], [b]) => (a < b ? -1 : 1))) {
      try {
        const content = await files.read(device, name);
        if (content === undefined) log.error('The active file of a device is missing', { device, name });
        else all.push([device, { ...this.#shown(device, content), is_active: true }]);
      } catch (error) {
        if (!(error instanceof UnusableFile)) throw error;
        log.error('The active file of a device cannot be used', { path: error.path, cause: error.message });
      }
    }
    return Object.fromEntries(all);
  }

  /** @throws ApiError the error of an unusable file */
  expectUsable(content: Content): void {
    const { faultOf, unusable } = this.#options;
    const cause = faultOf(content);
    if (cause !== undefined) throw unusable(cause);
  }

  /**
   * Stores a file, replacing one of the same name.
   * @throws ApiError artefact_name_invalid; the unusable one, when it is to be active: nothing is stored then
   */
  store(device: string, content: Content, text: string, isToBeActive: boolean) {
    expectDevice(device);
    const { files, nameOf } = this.#options;
    const name = nameOf(content);
    return this.#inTurn(async () => {
      if (isToBeActive || this.#pointers.get(device) === name) this.expectUsable(content);
      const replaced = await files.write(device, name, text);
      if (this.#pointers.get(device) === name) this.#hold(device, content);
      this.#changes.publish({ device, name, change: 'created' });
      if (isToBeActive) await this.#point(device, name, content);
      return { name, path: files.pathOf(device, name), replaced };
    });
  }

  /** @throws ApiError artefact_name_invalid, the unknown one */
  remove(device: string, name: string): Promise<void> {
    expectNames(device, name);
    const { files, unknown } = this.#options;
    return this.#inTurn(async () => {
      // First the pointer: after a crash in between the file is there and not active, never the other way round.
      if (!(await this.exists(device, name))) throw unknown(device, name);
      if (this.#pointers.get(device) === name) await this.#unpoint(device);
      if (!(await files.remove(device, name))) throw unknown(device, name);
      this.#changes.publish({ device, name, change: 'deleted' });
    });
  }

  /** @throws ApiError artefact_name_invalid, the unknown one, the unusable one, the invalid one for a file that cannot be read */
  activate(device: string, name: string): Promise<void> {
    expectNames(device, name);
    const { files, unknown, invalid } = this.#options;
    return this.#inTurn(async () => {
      try {
        const content = await files.read(device, name);
        if (content === undefined) throw unknown(device, name);
        this.expectUsable(content);
        await this.#point(device, name, content);
      } catch (error) {
        if (error instanceof UnusableFile) throw invalid(`${error.path}: ${error.message}`);
        throw error;
      }
    });
  }

  /** Also when none was active. @throws ApiError artefact_name_invalid */
  deactivate(device: string): Promise<void> {
    expectDevice(device);
    return this.#inTurn(() => this.#unpoint(device));
  }

  #shown(device: string, content: Content): Shown<Content> {
    const { unit, nameOf } = this.#options;
    return { ...content, is_active: this.#pointers.get(device) === nameOf(content), reactor_unit: unit };
  }

  #hold(device: string, content: Content): void {
    this.#active.set(device, { content, hash: hashOf(content) });
  }

  async #recall(device: string, name: string): Promise<void> {
    const { files, log } = this.#options;
    try {
      const content = await files.read(device, name);
      if (content !== undefined) this.#hold(device, content);
      else log.error('The active file of a device is missing', { device, name });
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      log.error('The active file of a device cannot be used', { path: error.path, cause: error.message });
    }
  }

  /** The content is active before the change is published: the guard's limits follow from it. */
  async #point(device: string, name: string, content: Content): Promise<void> {
    const { database, kind } = this.#options;
    if (this.#pointers.get(device) === name) {
      this.#hold(device, content);
      return;
    }
    await database.write((transaction) =>
      transaction
        .insertInto('active_artefacts')
        .values({ kind, device, name })
        .onConflict((conflict) => conflict.columns(['kind', 'device']).doUpdateSet({ name }))
        .execute(),
    );
    this.#pointers.set(device, name);
    this.#hold(device, content);
    this.#changes.publish({ device, name, change: 'activated' });
  }

  async #unpoint(device: string): Promise<void> {
    const name = this.#pointers.get(device);
    if (name === undefined) return;
    const { database, kind } = this.#options;
    await database.write((transaction) =>
      transaction.deleteFrom('active_artefacts').where('kind', '=', kind).where('device', '=', device).execute(),
    );
    this.#pointers.delete(device);
    this.#active.delete(device);
    this.#changes.publish({ device, name, change: 'deactivated' });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    // Only the order is kept here; the caller has the outcome.
    this.#last = turn.catch(() => {});
    return turn;
  }
}

function expectDevice(device: string): void {
  const validated = validateDeviceName(device);
  if (!validated.ok) throw new ApiError('artefact_name_invalid', { field: 'device', cause: validated.cause });
}

function expectNames(device: string, name: string): void {
  expectDevice(device);
  const validated = validateCalibrationName(name);
  if (!validated.ok) throw new ApiError('artefact_name_invalid', { field: 'name', cause: validated.cause });
}
