import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, inside, type Log, type Probe, writeFileDurably } from '@lcs/platform';

export interface CalibrationFolderOptions<Content> {
  readonly dataFolder: string;
  /** Below `storage` of the data folder: `calibrations`, `estimators`. */
  readonly folder: string;
  /** Rejects with InvalidCalibrationFile, or with the reason why the text cannot be used. */
  readonly parse: (yaml: string) => Promise<Content>;
  readonly log: Log;
  readonly probe?: Probe;
}

/** A file that cannot be used; the message is the reason. */
export class UnusableFile extends Error {
  /** Below the data folder. */
  readonly path: string;

  constructor(path: string, cause: string) {
    super(cause);
    this.name = 'UnusableFile';
    this.path = path;
  }
}

/** The content of a file when it was last read. */
type FileOutcome<Content> =
  | { readonly is: 'usable'; readonly content: Content }
  | { readonly is: 'unusable'; readonly cause: string };

interface KnownFile<Content> {
  /** Changes when the file does. */
  readonly stamp: string;
  readonly outcome: FileOutcome<Content>;
}

/** Number of files whose content is kept in memory: reading a long file takes a thread and about 0.1 s. */
const mostKnown = 100;

const ending = '.yaml';
/** Of a file that was deleted: nothing reads it. */
const deletedEnding = '.deleted';
const isFile = (name: string): boolean => name.endsWith(ending) && !name.startsWith('.');
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** YAML files in a folder for each device. Names have been checked before they come here. */
export class CalibrationFolder<Content> {
  readonly #options: CalibrationFolderOptions<Content>;
  readonly #root: string;
  /** By path, the one read last at the end. */
  readonly #known = new Map<string, KnownFile<Content>>();

  constructor(options: CalibrationFolderOptions<Content>) {
    this.#options = options;
    this.#root = join(options.dataFolder, 'storage', options.folder);
  }

  async open(): Promise<void> {
    await mkdir(this.#root, { recursive: true });
  }

  /** Below the data folder. */
  pathOf(device: string, name: string): string {
    return `storage/${this.#options.folder}/${device}/${name}${ending}`;
  }

  /** Devices that have a folder. */
  async devices(): Promise<readonly string[]> {
    return ((await namesIn(this.#root)) ?? []).filter((name) => !name.startsWith('.'));
  }

  /** `device/name` of all files. */
  async names(): Promise<ReadonlySet<string>> {
    const all = new Set<string>();
    for (const device of await this.devices()) {
      const names = (await namesIn(join(this.#root, device))) ?? [];
      for (const name of names.filter(isFile)) all.add(`${device}/${name.slice(0, -ending.length)}`);
    }
    return all;
  }

  /** The usable files of a device, by file name; undefined when it has no folder. Unusable files are logged. */
  async ofDevice(device: string): Promise<readonly Content[] | undefined> {
    const names = await namesIn(await inside(this.#root, device));
    if (names === undefined) return undefined;
    const found: Content[] = [];
    for (const name of names.filter(isFile)) {
      try {
        const content = await this.read(device, name.slice(0, -ending.length));
        if (content !== undefined) found.push(content);
      } catch (error) {
        if (!(error instanceof UnusableFile)) throw error;
        this.#options.log.error('A file cannot be used and is left out', { path: error.path, cause: error.message });
      }
    }
    return found;
  }

  /** Undefined when the file does not exist. @throws UnusableFile */
  async read(device: string, name: string): Promise<Content | undefined> {
    const path = this.pathOf(device, name);
    try {
      const outcome = await this.#outcomeOf(path, await inside(this.#root, `${device}/${name}${ending}`));
      if (outcome.is === 'usable') return outcome.content;
      throw new UnusableFile(path, outcome.cause);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
      throw error instanceof UnusableFile ? error : new UnusableFile(path, textOf(error));
    }
  }

  /** The content of the file; from memory while the file is unchanged. */
  async #outcomeOf(path: string, file: string): Promise<FileOutcome<Content>> {
    const { mtimeMs, size, ino } = await stat(file);
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.outcome;
    const text = await readFile(file, 'utf8');
    const outcome = await this.#parsed(text);
    this.#known.delete(path);
    this.#known.set(path, { stamp, outcome });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    return outcome;
  }

  async #parsed(text: string): Promise<FileOutcome<Content>> {
    try {
      return { is: 'usable', content: await this.#options.parse(text) };
    } catch (error) {
      return { is: 'unusable', cause: textOf(error) };
    }
  }

  /** On disk when it resolves; whether there was one before. */
  async write(device: string, name: string, text: string): Promise<boolean> {
    const folder = await inside(this.#root, device);
    await mkdir(folder, { recursive: true });
    const existed = ((await namesIn(folder)) ?? []).includes(`${name}${ending}`);
    const { probe } = this.#options;
    await writeFileDurably(join(folder, `${name}${ending}`), text, probe === undefined ? {} : { probe });
    return existed;
  }

  /** Moves the file aside, from where a person can bring it back; the one that had this name before is replaced. False when the file does not exist. */
  async remove(device: string, name: string): Promise<boolean> {
    try {
      const path = await inside(this.#root, `${device}/${name}${ending}`);
      await rename(path, `${path}${deletedEnding}`);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false;
      throw error;
    }
  }

  /** All files as they are, in the order of their names below the folder. */
  async *texts(): AsyncGenerator<{ readonly name: string; readonly text: string }> {
    for (const device of await this.devices()) {
      for (const name of ((await namesIn(join(this.#root, device))) ?? []).filter(isFile)) {
        try {
          yield {
            name: `${device}/${name}`,
            text: await readFile(await inside(this.#root, `${device}/${name}`), 'utf8'),
          };
        } catch (error) {
          // Removed in the meantime: it is not part of the archive.
          if (errnoOf(error) !== 'ENOENT') throw error;
        }
      }
    }
  }
}
