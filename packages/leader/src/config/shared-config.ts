import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, type ConfigDiagnostic, configAuthors } from '@lcs/contract';
import { normaliseConfigText } from '@lcs/node';
import {
  errnoOf,
  type IniDocument,
  type IniView,
  type Probe,
  parseIni,
  reasonOf,
  type Service,
  StartupError,
  withKeptSecrets,
  writeFileDurably,
} from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { configVersions, expectBase, recordConfig, type SaveTerms, sharedConfigName } from './config-history.ts';
import { defaultSharedConfig, isAsShipped, type SharedConfigDefaults } from './default-shared-config.ts';
import { acceptedSharedConfig, validateSharedConfig } from './shared-config-rules.ts';

export interface SharedConfigOptions {
  readonly context: Pick<LeaderContext, 'leader' | 'clock' | 'log' | 'database' | 'change' | 'dataFolder'>;
  /** Called once, at the first start in a new data folder. */
  readonly defaults: () => Omit<SharedConfigDefaults, 'leader'>;
  /** Called at `config.file_written`, between the file and its history, and at the points of `writeFileDurably`. */
  readonly probe?: Probe;
}

/** The actual address of the leader. */
export interface SharedConfigPorts {
  readonly httpPort: number;
  readonly httpUsesTls: boolean;
  /** Absent when there is no broker. */
  readonly brokerPort?: number;
  readonly brokerUsesTls?: boolean;
  readonly isBrokerLeader?: boolean;
  /** When the broker is on another machine. */
  readonly brokerAddress?: string;
}

/** A text that is on disk and in the history. */
export interface SavedText {
  readonly text: string;
  readonly warnings: readonly ConfigDiagnostic[];
}

interface Known {
  /** The text of the file. */
  readonly text: string;
  /** The last valid text of the file, and its parsed form. */
  readonly usable: string;
  readonly view: IniView;
}

/**
 * The shared configuration file, `config.ini` in the data folder. The file takes precedence and the history follows it: a save writes the
 * file first, then the history. When the two differ (the process ended in between, or a person edited the file), the next start or save
 * first adds the text of the file to the history. The history begins with the file as it
 * was installed.
 */
export class SharedConfig implements Service {
  readonly name = 'shared configuration';
  readonly #options: SharedConfigOptions;
  readonly #listeners: (() => void)[] = [];
  #known: Known | undefined;
  /** Settles when the last save called so far has ended. */
  #lastSave: Promise<void> = Promise.resolve();

  constructor(options: SharedConfigOptions) {
    this.#options = options;
  }

  /** Creates the file in a new data folder. @throws StartupError when the file cannot be read or used. */
  async start(): Promise<void> {
    const text = await this.#readOrCreate();
    try {
      this.#become({ text, usable: text, view: this.#checked(text) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { error: fault, cause } = error.body;
      throw new StartupError(`${this.#path} cannot be used: ${fault} ${cause === fault ? '' : cause}`.trim(), {
        cause: error,
      });
    }
    // The file of a new leader gets its ports first.
    if (!isAsShipped(text)) await this.#recordIfNew(text);
  }

  /** Calls the listener after each change of the active text. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Waits for the running saves. */
  async stop(): Promise<void> {
    await this.#lastSave;
  }

  /** The present text of the file, also after an edit by hand. @throws ApiError config_unreadable */
  async text(): Promise<string> {
    const text = await this.#orUnreadable(this.#read());
    this.#notice(text);
    return text;
  }

  /** Sections and values as last read: `[DEFAULT]` merged into each section, `%%` as `%`, the leader among the addresses. */
  view(): IniView {
    if (!this.#known) throw new Error('The shared configuration is read before it was started.');
    return this.#known.view;
  }

  /** The text from which `view` is read. */
  usableText(): string {
    if (!this.#known) throw new Error('The shared configuration is read before it was started.');
    return this.#known.usable;
  }

  /**
   * Writes the ports that the leader listens on into the file, where programs and the web UI read them; does nothing when they are there.
   * An unreadable file does not change; the log gets a warning.
   */
  async correctPorts(ports: SharedConfigPorts): Promise<void> {
    let text: string;
    try {
      text = await this.text();
    } catch (error) {
      // It is already in the log, and the earlier ports stay active.
      if (error instanceof ApiError) return;
      throw error;
    }
    const { document, diagnostics } = parseIni(text);
    if (diagnostics.length > 0) return;
    setPorts(document, ports);
    const corrected = document.toString();
    if (isAsShipped(corrected)) await this.#correctShipped(text, corrected);
    if (corrected === text) return;
    if (!isAsShipped(corrected)) await this.#keep(() => ({ text: corrected, warnings: [] }), {});
    const { httpPort, brokerPort } = ports;
    this.#options.context.log.info('config.ini has the ports of this start now', { httpPort, brokerPort });
  }

  /** The file that nobody has changed: its ports are those of the start, and the history begins with it. */
  async #correctShipped(text: string, corrected: string): Promise<void> {
    if (corrected !== text) {
      await this.#write(corrected);
      this.#become({ text: corrected, usable: corrected, view: this.#checked(corrected) });
    }
    await this.#recordIfNew(corrected);
  }

  /**
   * Validates the text and makes it the shared configuration. Saves run one after the other, in the order of the calls.
   * @returns the stored text, and its unknown keys
   * @throws ApiError config_invalid, config_changed, config_unreadable (the present text of the file would be lost)
   */
  async save(code: string, terms: SaveTerms = {}): Promise<SavedText> {
    const sent = normaliseConfigText(code);
    const saved = await this.#keep((before) => {
      const text = withKeptSecrets(sent, before);
      return { text, warnings: validateSharedConfig(text, this.#options.context.leader) };
    }, terms);
    return saved;
  }

  /** `make` receives the present text. */
  async #keep(make: (before: string) => SavedText, terms: SaveTerms): Promise<SavedText> {
    const save = this.#lastSave.then(() => this.#replace(make, terms));
    // For the order only; the caller receives the outcome.
    this.#lastSave = save.then(
      () => {},
      () => {},
    );
    return save;
  }

  async #replace(make: (before: string) => SavedText, terms: SaveTerms): Promise<SavedText> {
    const before = await this.#orUnreadable(this.#readIfThere());
    const saved = make(before ?? '');
    const { text } = saved;
    const known = { text, usable: text, view: this.#checked(text) };
    if (before !== undefined) await this.#recordIfNew(before);
    await expectBase(this.#options.context.database.read, sharedConfigName, before ?? '', terms);
    await this.#write(known.text);
    this.#options.probe?.('config.file_written');
    try {
      await this.#record(known.text, terms.author);
    } catch (error) {
      if (before !== undefined) await this.#write(before);
      throw error;
    }
    this.#become(known);
    return saved;
  }

  #become(known: Known): void {
    const isNew = this.#known !== undefined && this.#known.usable !== known.usable;
    this.#known = known;
    if (isNew) for (const listener of this.#listeners) listener();
  }

  get #path(): string {
    return join(this.#options.context.dataFolder, sharedConfigName);
  }

  #checked(text: string): IniView {
    return acceptedSharedConfig(normaliseConfigText(text), this.#options.context.leader);
  }

  async #readOrCreate(): Promise<string> {
    try {
      const text = await this.#readIfThere();
      if (text !== undefined) return text;
      const { context, defaults } = this.#options;
      const first = defaultSharedConfig({ leader: context.leader, ...defaults() });
      await this.#write(first);
      return first;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StartupError(`${this.#path} cannot be used: ${reason}`, { cause: error });
    }
  }

  async #orUnreadable<Text>(reading: Promise<Text>): Promise<Text> {
    try {
      return await reading;
    } catch (error) {
      const cause = errnoOf(error) === 'ENOENT' ? 'it is not there' : reasonOf(error);
      this.#options.context.log.warn('config.ini cannot be read', { path: this.#path, cause });
      throw new ApiError('config_unreadable', { path: sharedConfigName, cause });
    }
  }

  async #readIfThere(): Promise<string | undefined> {
    try {
      return await this.#read();
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #read(): Promise<string> {
    // Strict: invalid UTF-8 must not be replaced silently and then saved over the original.
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(this.#path));
  }

  #write(text: string): Promise<void> {
    const { probe } = this.#options;
    return writeFileDurably(this.#path, text, probe ? { probe } : {});
  }

  /** Takes over an edit by hand; one that cannot be used is reported, and the values before it stay in force. */
  #notice(text: string): void {
    if (text === this.#known?.text) return;
    try {
      this.#become({ text, usable: text, view: this.#checked(text) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#known = { text, usable: this.usableText(), view: this.view() };
      this.#options.context.log.warn('config.ini was edited and is not valid; the earlier values stay active', {
        path: this.#path,
        error: error.body.error,
        cause: error.body.cause,
      });
    }
  }

  async #recordIfNew(text: string): Promise<void> {
    const newest = await configVersions(this.#options.context.database.read, sharedConfigName)
      .limit(1)
      .executeTakeFirst();
    const isShipped = isAsShipped(text);
    // Two files that nobody has changed differ in addresses and ports only.
    if (newest && (newest.data === text || (isShipped && isAsShipped(newest.data)))) return;
    await this.#record(text, isShipped ? configAuthors.installed : configAuthors.file);
  }

  #record(text: string, author?: string): Promise<void> {
    return recordConfig(this.#options.context, sharedConfigName, text, author);
  }
}

const flag = (isSet: boolean): string => (isSet ? '1' : '0');

function setPorts(document: IniDocument, ports: SharedConfigPorts): void {
  const { httpPort, httpUsesTls, brokerPort, brokerAddress, brokerUsesTls, isBrokerLeader = false } = ports;
  if (brokerPort !== undefined) document.set('mqtt', 'broker_port', String(brokerPort));
  if (brokerAddress !== undefined) document.set('mqtt', 'broker_address', brokerAddress);
  if (brokerUsesTls !== undefined) document.set('mqtt', 'use_tls', flag(brokerUsesTls));
  document.set('mqtt', 'broker_ws_port', String(httpPort));
  document.set('ui', 'port', String(httpPort));
  // On loopback a proxy may add TLS: there these values are those of the person who wrote them.
  const wasOnNetwork = document.get('mqtt', 'broker_is_leader') !== undefined;
  if (!httpUsesTls && !wasOnNetwork) return;
  document.set('mqtt', 'broker_is_leader', flag(isBrokerLeader));
  document.set('mqtt', 'ws_protocol', httpUsesTls ? 'wss' : 'ws');
  document.set('ui', 'proto', httpUsesTls ? 'https' : 'http');
}
