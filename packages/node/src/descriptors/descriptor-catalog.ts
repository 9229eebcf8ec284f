import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DescriptorProblem } from '@lcs/contract';
import { errnoOf, type Log, reasonOf } from '@lcs/platform';
import { DescriptorFileError, type DescriptorReader } from './yaml-descriptor.ts';

export interface DescriptorCatalogOptions<Descriptor> {
  /** What the files describe, for people: `jobs`, `automations/led`. */
  readonly kind: string;
  readonly dataFolder: string;
  /** Below the data folder, in the order of their weight: what comes later overrides. They need not exist. */
  readonly folders: readonly string[];
  /** What a descriptor is known by: of two with one key the later takes the place of the earlier. */
  readonly keyOf: (descriptor: Descriptor) => string;
  readonly read: DescriptorReader<Descriptor>;
  /** Of plugins that describe in code instead of files; they override files. */
  readonly further?: () => readonly Descriptor[];
  readonly log: Log;
}

interface ReadFile<Descriptor> {
  /** Changes when the file does. */
  readonly stamp: string;
  readonly descriptor: Descriptor | undefined;
  readonly problem: DescriptorProblem | undefined;
}

/** A descriptor is a few kilobytes; whatever is larger is something else. */
const maxFileBytes = 16 * 1024;
const isDescriptorFile = (name: string): boolean => /\.ya?ml$/i.test(name) && !name.startsWith('.');

/**
 * Descriptors of one kind: those of the program, then those of YAML files, by file name, one a file. A file overrides what
 * has its key, in its place. Files are read again when they change; one that cannot be used is left out, with one line in
 * the log and an entry among the problems.
 */
export class DescriptorCatalog<Descriptor> {
  readonly #options: DescriptorCatalogOptions<Descriptor>;
  #files = new Map<string, ReadFile<Descriptor>>();
  #reading: Promise<readonly ReadFile<Descriptor>[]> | undefined;

  constructor(options: DescriptorCatalogOptions<Descriptor>) {
    this.#options = options;
  }

  /** All descriptors as of now. Rejects when a folder is there and cannot be read. */
  async list(builtIn: readonly Descriptor[]): Promise<Descriptor[]> {
    const { keyOf, further = () => [] } = this.#options;
    const all = new Map(builtIn.map((descriptor) => [keyOf(descriptor), descriptor]));
    for (const { descriptor } of await this.#read()) if (descriptor) all.set(keyOf(descriptor), descriptor);
    for (const descriptor of further()) all.set(keyOf(descriptor), descriptor);
    return [...all.values()];
  }

  /** The files that are left out, and why. */
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
      // A pipe would be waited for, and everybody with it.
      if (!facts.isFile()) return this.#left(path, stamp, null, 'It is no plain file.');
      const known = this.#files.get(path);
      if (known?.stamp === stamp) return known;
      if (size > maxFileBytes) return this.#left(path, stamp, null, `The file is larger than ${maxFileBytes} bytes.`);
      const text = await readFile(full, 'utf8');
      return this.#parsed(path, stamp, text);
    } catch (error) {
      // Removed between the listing and the reading.
      if (errnoOf(error) === 'ENOENT') return undefined;
      // A folder or an unreadable file with such a name is this file's trouble, not that of the others.
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
    if (isNews) log.error('A descriptor file cannot be used and is left out', { kind, file, line, reason });
    return { stamp, descriptor: undefined, problem: { kind, file, line, reason } };
  }
}
