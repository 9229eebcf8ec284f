import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, configAuthors } from '@lcs/contract';
import { normaliseConfigText, validateOwnConfig } from '@lcs/node';
import { errnoOf, reasonOf, type Service, withKeptSecrets, writeFileDurably } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { expectKnown } from '../queries/addressed-units.ts';
import { workerNamed } from '../queries/workers.ts';
import {
  addConfigVersion,
  configVersions,
  expectBase,
  ownConfigNames,
  recordConfig,
  type SaveTerms,
} from './config-history.ts';
import type { SavedText, SharedConfig } from './shared-config.ts';

type Needs = Pick<LeaderContext, 'leader' | 'clock' | 'database' | 'change' | 'dataFolder' | 'desired'>;

const fileName = 'unit_config.ini';

/** Makes the text to save from the present one. @throws ApiError config_invalid */
type Make = (before: string) => SavedText;

/**
 * The own configuration files of units. A worker's file is the newest version of its history: it is part of the worker's desired document and
 * reaches the worker when it is reachable. The leader's own file is in its data folder, where people may edit it, too; the history
 * follows it.
 */
export class OwnConfigs implements Service {
  readonly name = 'own configurations';
  readonly #context: Needs;
  readonly #shared: Pick<SharedConfig, 'usableText'>;
  /** Settles when the last save of the leader's file called so far has ended. */
  #lastSave: Promise<void> = Promise.resolve();

  constructor(context: Needs, shared: Pick<SharedConfig, 'usableText'>) {
    this.#context = context;
    this.#shared = shared;
  }

  async start(): Promise<void> {}

  /** Waits for the running saves. */
  async stop(): Promise<void> {
    await this.#lastSave;
  }

  /** The text of a unit's file; '' when it has none. @throws ApiError unit_unknown, config_unreadable */
  async text(unit: string): Promise<string> {
    const found = await this.find(unit);
    if (found === undefined) throw new ApiError('unit_unknown', { unit });
    return found;
  }

  /** The same; undefined when no unit has this name. @throws ApiError config_unreadable */
  async find(unit: string): Promise<string | undefined> {
    const { database, leader } = this.#context;
    if (unit === leader) return this.#leaderText();
    if (!(await workerNamed(database.read, unit).executeTakeFirst())) return undefined;
    const newest = await configVersions(database.read, ownConfigNames(unit)[0]).limit(1).executeTakeFirst();
    return newest?.data ?? '';
  }

  /**
   * Validates a text and makes it the file of a unit. It is on disk when the promise resolves.
   * @throws ApiError unit_unknown, config_invalid, config_changed, config_unreadable
   */
  async save(unit: string, code: string, terms: SaveTerms = {}): Promise<SavedText> {
    const { leader } = this.#context;
    await expectKnown(this.#context, unit);
    const sent = normaliseConfigText(code);
    const make: Make = (before) => {
      const text = withKeptSecrets(sent, before);
      return { text, warnings: validateOwnConfig(text, { text: this.#shared.usableText(), leader }) };
    };
    return unit === leader ? this.#saveOfLeader(make, terms) : this.#saveOfWorker(unit, make, terms);
  }

  async #saveOfWorker(unit: string, make: Make, terms: SaveTerms): Promise<SavedText> {
    const { change, clock, desired } = this.#context;
    const [filename] = ownConfigNames(unit);
    const { author } = terms;
    return change(async (transaction, effects) => {
      if (!(await workerNamed(transaction, unit).executeTakeFirst())) throw new ApiError('unit_unknown', { unit });
      const newest = await configVersions(transaction, filename).limit(1).executeTakeFirst();
      const saved = make(newest?.data ?? '');
      await expectBase(transaction, filename, newest?.data ?? '', terms);
      const version = { filename, data: saved.text, now: clock.now(), ...(author !== undefined && { author }) };
      await addConfigVersion(transaction, effects, version);
      effects.afterCommit(() => desired.refresh([unit]));
      return saved;
    });
  }

  /** The file first, then the history: after a crash in between, the next save adds the file's text. */
  #saveOfLeader(make: Make, terms: SaveTerms): Promise<SavedText> {
    const save = this.#lastSave.then(async () => {
      const { database, desired, leader } = this.#context;
      const [filename] = ownConfigNames(leader);
      const before = await this.#leaderText();
      const saved = make(before);
      const newest = await configVersions(database.read, filename).limit(1).executeTakeFirst();
      if ((newest?.data ?? '') !== before) await recordConfig(this.#context, filename, before, configAuthors.file);
      await expectBase(database.read, filename, before, terms);
      await writeFileDurably(this.#path, saved.text, { mode: 0o600 });
      await recordConfig(this.#context, filename, saved.text, terms.author);
      desired.refresh([leader]);
      return saved;
    });
    // For the order only; the caller receives the outcome.
    this.#lastSave = save.then(
      () => {},
      () => {},
    );
    return save;
  }

  get #path(): string {
    return join(this.#context.dataFolder, fileName);
  }

  async #leaderText(): Promise<string> {
    try {
      // Strict: invalid UTF-8 must not be replaced silently and then saved over the original.
      return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(this.#path));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return '';
      throw new ApiError('config_unreadable', { path: fileName, cause: reasonOf(error) });
    }
  }
}
