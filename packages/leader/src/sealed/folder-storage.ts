import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArchiveFileMissing, type ArchiveStorage } from './storage.ts';

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Sealed files in a folder. */
export class FolderStorage implements ArchiveStorage {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(file: string, from: number, to: number): Promise<ArrayBuffer> {
    return this.#orMissing(file, async () => {
      const handle = await open(join(this.#folder, file), 'r');
      try {
        const bytes = new Uint8Array(new ArrayBuffer(to - from));
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
        return bytes.buffer.slice(0, bytesRead);
      } finally {
        await handle.close();
      }
    });
  }

  async put(file: string, localPath: string): Promise<void> {
    const path = join(this.#folder, file);
    const part = `${path}.part`;
    await mkdir(dirname(path), { recursive: true });
    await copyFile(localPath, part);
    await synced(part);
    await rename(part, path);
    await synced(dirname(path));
  }

  async fetchTo(file: string, localPath: string): Promise<void> {
    await this.#orMissing(file, () => copyFile(join(this.#folder, file), localPath));
  }

  async remove(file: string): Promise<void> {
    await rm(join(this.#folder, file), { force: true });
  }

  async #orMissing<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw isMissing(error) ? new ArchiveFileMissing(this.#folder, file) : error;
    }
  }
}
