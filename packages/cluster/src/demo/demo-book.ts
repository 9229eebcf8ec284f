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

const DemoNotes = Type.Object({
  seed: Type.Integer(),
  /** Null: the leader had experiments of its own, or the demonstration's was deleted. Nothing is invented then. */
  past: Type.Union([DemoPast, Type.Null()]),
  /** Units without a past that were added to the leader's inventory. */
  joined: Type.Array(Type.String()),
});
type DemoNotes = Static<typeof DemoNotes>;

/** How far the beginning of a demonstration has come; it goes on there after a restart. */
export class DemoBook {
  readonly #path: string;
  #notes: DemoNotes | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, 'demo.json');
  }

  /** @throws StartupError when the file is damaged */
  async load(): Promise<void> {
    try {
      const notes: unknown = JSON.parse(await readFile(this.#path, 'utf8'));
      if (!Value.Check(DemoNotes, notes)) throw new SyntaxError('It has another shape.');
      this.#notes = notes;
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
    return this.#notes?.seed;
  }

  /** Undefined before the first start, and where there is none. */
  get past(): DemoPast | undefined {
    return this.#notes?.past ?? undefined;
  }

  /** Units that somebody has to tell the leader of. */
  stillToJoin(units: readonly string[]): readonly string[] {
    const known = [...(this.past?.units ?? []), ...(this.#notes?.joined ?? [])];
    return units.filter((unit) => !known.includes(unit));
  }

  /** Units whose beginning is not complete. */
  get undone(): readonly string[] {
    const past = this.past;
    return past?.is_begun ? past.units.filter((unit) => !past.done.includes(unit)) : [];
  }

  /** Before anything else is written anywhere: what is cut by a crash is then known. */
  plan(seed: number, past: Omit<DemoPast, 'is_begun' | 'done'>): Promise<void> {
    return this.#write({ seed, past: { ...past, is_begun: false, done: [] }, joined: [] });
  }

  begun(): Promise<void> {
    return this.#writePast((past) => ({ ...past, is_begun: true }));
  }

  async withoutPast(): Promise<void> {
    if (!this.#notes?.past) return;
    const { past, joined } = this.#notes;
    // What the demonstration has added once is not added again: somebody may have removed it.
    await this.#write({ ...this.#notes, past: null, joined: past.is_begun ? [...joined, ...past.units] : joined });
  }

  done(unit: string): Promise<void> {
    return this.#writePast((past) => ({ ...past, done: [...past.done, unit] }));
  }

  async joined(units: readonly string[]): Promise<void> {
    if (this.#notes !== undefined) await this.#write({ ...this.#notes, joined: [...this.#notes.joined, ...units] });
  }

  async #writePast(change: (past: DemoPast) => DemoPast): Promise<void> {
    if (this.#notes?.past) await this.#write({ ...this.#notes, past: change(this.#notes.past) });
  }

  /** One write at a time: several units may be done at once. */
  #write(notes: DemoNotes): Promise<void> {
    this.#notes = notes;
    const write = () => writeFileDurably(this.#path, `${JSON.stringify(this.#notes)}\n`, { mode: 0o600 });
    this.#written = this.#written.then(write, write);
    return this.#written;
  }
}
