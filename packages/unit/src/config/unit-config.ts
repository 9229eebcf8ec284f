import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Cancel,
  errnoOf,
  type IniView,
  Listeners,
  type Log,
  mergeIni,
  type Probe,
  parseIni,
  reasonOf,
  type Service,
  StartupError,
  writeFileDurably,
} from '@lcs/platform';

/** `shared`: the copy of the cluster's configuration; `own`: the values that differ on this unit. */
export type ConfigFile = 'shared' | 'own';

const fileNames: Readonly<Record<ConfigFile, string>> = { shared: 'config.ini', own: 'unit_config.ini' };

/** Hex digits of the SHA-256 of a configuration text. */
export const sha256Of = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

export interface UnitConfigOptions {
  /** The data folder. */
  readonly folder: string;
  readonly log: Log;
  readonly probe?: Probe;
}

/** The two configuration files of a unit, and their combination. */
export class UnitConfig implements Service {
  readonly name = 'configuration';
  readonly #options: UnitConfigOptions;
  #texts: Readonly<Record<ConfigFile, string>> = { shared: '', own: '' };
  #view: IniView = {};
  readonly #changes = new Listeners();

  constructor(options: UnitConfigOptions) {
    this.#options = options;
  }

  /** @throws StartupError when a file is there and cannot be read. */
  async start(): Promise<void> {
    this.#take({ shared: await this.#read('shared'), own: await this.#read('own') });
    for (const file of ['shared', 'own'] as const) {
      const [fault] = parseIni(this.#texts[file]).diagnostics;
      if (fault === undefined) continue;
      const { line, message } = fault;
      this.#options.log.warn('A configuration file has faults; its valid lines apply', {
        path: this.#path(file),
        line,
        message,
      });
    }
  }

  async stop(): Promise<void> {}

  /** Effective sections and values; the unit's own file has precedence, key by key. */
  view(): IniView {
    return this.#view;
  }

  /** Calls `listener` when the effective configuration has changed; the returned function ends that. */
  onChange(listener: () => void): Cancel {
    return this.#changes.add(listener);
  }

  text(file: ConfigFile): string {
    return this.#texts[file];
  }

  /** On disk and effective when the promise resolves. Rejects with the error of the file system. */
  async replace(file: ConfigFile, text: string): Promise<void> {
    if (text === this.#texts[file]) return;
    const { probe } = this.#options;
    const before = this.#texts[file];
    // Text that a person wrote here before a leader existed is not lost.
    if (file === 'own' && before !== '') await writeFileDurably(`${this.#path(file)}.bak`, before, { mode: 0o600 });
    await writeFileDurably(this.#path(file), text, { mode: 0o600, ...(probe && { probe }) });
    this.#take({ ...this.#texts, [file]: text });
  }

  #take(texts: Readonly<Record<ConfigFile, string>>): void {
    this.#texts = texts;
    this.#view = mergeIni(parseIni(texts.shared).document, parseIni(texts.own).document);
    this.#changes.publish();
  }

  #path(file: ConfigFile): string {
    return join(this.#options.folder, fileNames[file]);
  }

  async #read(file: ConfigFile): Promise<string> {
    try {
      return await readFile(this.#path(file), 'utf8');
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return '';
      throw new StartupError(`The file ${this.#path(file)} cannot be read: ${reasonOf(error)}.`, { cause: error });
    }
  }
}
