import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, StartupError, writeFileDurably } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const DemoPast = Type.Object({
  experiment: Type.String(),
  experiment_uid: Type.String(),
  /** Milliseconds since 1970 UTC, as is the next. */
  began_at: Type.Integer(),
  /** When the demonstration was started first: the past ends here. */
  started_at: Type.Integer(),
  units: Type.Array(Type.String()),
  /** Whether the experiment is in the leader's store. */
  is_begun: Type.Boolean(),
  /** Units whose past is written and whose jobs were started. */
  done: Type.Array(Type.String()),
});
export type DemoPast = Static<typeof DemoPast>;

const ProgressFile = Type.Object({
  seed: Type.Integer(),
  /** Null: the leader had other experiments, or the demonstration's was deleted. No history is computed then. */
  past: Type.Union([DemoPast, Type.Null()]),
  /** Units without a past that were added to the leader's inventory. */
  joined: Type.Array(Type.String()),
});
type ProgressFile = Static<typeof ProgressFile>;

/** Progress of the first start of a demonstration; it continues there after a restart. */
export class DemoProgress {
  readonly #path: string;
  #content: ProgressFile | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, 'demo.json');
  }

  /** @throws StartupError when the file is damaged */
  async load(): Promise<void> {
    try {
      const content: unknown = JSON.parse(await readFile(this.#path, 'utf8'));
      if (!Value.Check(ProgressFile, content)) throw new SyntaxError('It has another shape.');
      this.#content = content;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return;
      if (!(error instanceof SyntaxError)) throw error;
      throw new StartupError(`The file ${this.#path} is damaged. Remove it, or use another data folder.`, {
        cause: error,
      });
    }
  }

  /** Undefined before the first start. */
  get seed(): number | undefined {
    return this.#content?.seed;
  }

  /** Undefined before the first start, and where there is none. */
  get past(): DemoPast | undefined {
    return this.#content?.past ?? undefined;
  }

  /** Units that must be added to the leader's inventory. */
  unitsToAdd(units: readonly string[]): readonly string[] {
    const present = [...(this.past?.units ?? []), ...(this.#content?.joined ?? [])];
    return units.filter((unit) => !present.includes(unit));
  }

  /** Units whose first start is not complete. */
  get incompleteUnits(): readonly string[] {
    const past = this.past;
    return past?.is_begun ? past.units.filter((unit) => !past.done.includes(unit)) : [];
  }

  /** Call it before any other write, so that a crash is detected. */
  plan(seed: number, past: Omit<DemoPast, 'is_begun' | 'done'>): Promise<void> {
    return this.#write({ seed, past: { ...past, is_begun: false, done: [] }, joined: [] });
  }

  recordBegun(): Promise<void> {
    return this.#writePast((past) => ({ ...past, is_begun: true }));
  }

  async dropPast(): Promise<void> {
    if (!this.#content?.past) return;
    const { past, joined } = this.#content;
    // Units are added only once: a person may have removed them.
    await this.#write({
      ...this.#content,
      past: null,
      joined: past.is_begun ? [...joined, ...past.units] : joined,
    });
  }

  recordComplete(unit: string): Promise<void> {
    return this.#writePast((past) => ({ ...past, done: [...past.done, unit] }));
  }

  async recordAdded(units: readonly string[]): Promise<void> {
    if (this.#content !== undefined)
      await this.#write({ ...this.#content, joined: [...this.#content.joined, ...units] });
  }

  async #writePast(change: (past: DemoPast) => DemoPast): Promise<void> {
    if (this.#content?.past) await this.#write({ ...this.#content, past: change(this.#content.past) });
  }

  /** One write at a time: several units may be done at once. */
  #write(content: ProgressFile): Promise<void> {
    this.#content = content;
    const write = () => writeFileDurably(this.#path, `${JSON.stringify(this.#content)}\n`, { mode: 0o600 });
    this.#written = this.#written.then(write, write);
    return this.#written;
  }
}
