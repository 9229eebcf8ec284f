import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DescriptorProblem } from '@lcs/contract';
import { errnoOf, type Log, reasonOf } from '@lcs/platform';
import { DescriptorFileError, type DescriptorReader } from './yaml-descriptor.ts';

export interface DescriptorCatalogOptions<Descriptor> {
  /** What the files describe, for users: `jobs`, `automations/led`. */
  readonly kind: string;
  readonly dataFolder: string;
  /** Folders below the data folder, in ascending precedence. They need not exist. */
  readonly folders: readonly string[];
  /** The key of a descriptor; a later descriptor replaces an earlier one with the same key. */
  readonly keyOf: (descriptor: Descriptor) => string;
  readonly read: DescriptorReader<Descriptor>;
  /** Descriptors of plugins, which override files. */
  readonly further?: () => readonly Descriptor[];
  readonly log: Log;
}

interface ReadFile<Descriptor> {
  /** Differs when the file has changed. */
  readonly stamp: string;
  readonly descriptor: Descriptor | undefined;
  readonly problem: DescriptorProblem | undefined;
}

/** Larger than any real descriptor, which has a few kilobytes. */
const maxFileBytes = 16 * 1024;
const isDescriptorFile = (name: string): boolean => /\.ya?ml$/i.test(name) && !name.startsWith('.');

/**
 * Descriptors of one kind: those of the program, then those of YAML files in the order of their names, one per file. A file replaces the
 * descriptor with its key, at the same position. Changed files are read again; an invalid one is omitted, with one line in the log and an
 * entry in the problems.
 */
export class DescriptorCatalog<Descriptor> {
  readonly #options: DescriptorCatalogOptions<Descriptor>;
  #files = new Map<string, ReadFile<Descriptor>>();
  #reading: Promise<readonly ReadFile<Descriptor>[]> | undefined;

  constructor(options: DescriptorCatalogOptions<Descriptor>) {
    this.#options = options;
  }

  /** The present descriptors. Rejects when a folder exists and cannot be read. */
  async list(builtIn: readonly Descriptor[]): Promise<Descriptor[]> {
    const { keyOf, further = () => [] } = this.#options;
    const all = new Map(builtIn.map((descriptor) => [keyOf(descriptor), descriptor]));
    for (const { descriptor } of await this.#read()) if (descriptor) all.set(keyOf(descriptor), descriptor);
    for (const descriptor of further()) all.set(keyOf(descriptor), descriptor);
    return [...all.values()];
  }

  /** The omitted files with their reasons. */
  async problems(): Promise<DescriptorProblem[]> {
    return (await this.#read()).flatMap(({ problem }) => (problem ? [problem] : []));
  }

  #read(): Promise<readonly ReadFile<Descriptor>[]> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<readonly ReadFile<Descriptor>[]> {
    const files = new Map<string, ReadFile<Descriptor>>();
    for (const folder of this.#options.folders) {
      for (const name of await this.#fileNames(folder)) {
        const path = `${folder}/${name}`;
        const file = await this.#file(path);
        if (file) files.set(path, file);
      }
    }
    this.#files = files;
    return [...files.values()];
  }

  async #fileNames(folder: string): Promise<string[]> {
    try {
      return (await readdir(join(this.#options.dataFolder, folder))).filter(isDescriptorFile).sort();
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #file(path: string): Promise<ReadFile<Descriptor> | undefined> {
    const full = join(this.#options.dataFolder, path);
    try {
      const facts = await stat(full);
      const { mtimeMs, size, ino } = facts;
      const stamp = `${mtimeMs} ${size} ${ino}`;
      // Reading a pipe would block.
      if (!facts.isFile()) return this.#left(path, stamp, null, 'It is not a regular file.');
      const known = this.#files.get(path);
      if (known?.stamp === stamp) return known;
      if (size > maxFileBytes) return this.#left(path, stamp, null, `The file is larger than ${maxFileBytes} bytes.`);
      const text = await readFile(full, 'utf8');
      return this.#parsed(path, stamp, text);
    } catch (error) {
      // Removed between the listing and the reading.
      if (errnoOf(error) === 'ENOENT') return undefined;
      // A folder or an unreadable file is a problem of this entry only.
      return this.#left(path, '', null, reasonOf(error));
    }
  }

  #parsed(path: string, stamp: string, text: string): ReadFile<Descriptor> {
    try {
      return { stamp, descriptor: this.#options.read(text, path), problem: undefined };
    } catch (error) {
      if (!(error instanceof DescriptorFileError)) throw error;
      return this.#left(path, stamp, error.line, error.message);
    }
  }

  #left(file: string, stamp: string, line: number | null, reason: string): ReadFile<Descriptor> {
    const { kind, log } = this.#options;
    const isNews = this.#files.get(file)?.problem?.reason !== reason;
    if (isNews) log.error('A descriptor file is invalid and was omitted', { kind, file, line, reason });
    return { stamp, descriptor: undefined, problem: { kind, file, line, reason } };
  }
}
