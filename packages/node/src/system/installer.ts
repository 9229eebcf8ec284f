import { createWriteStream } from 'node:fs';
import { mkdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@lcs/contract';
import { errnoOf } from '@lcs/platform';
import { withRelease } from '../archives/release-archive.ts';
import { type RunCommand, runCommand } from '../host/run-command.ts';

/** Keeps versions of the program side by side and selects the one for the next start. */
export interface Installer {
  /** Why installing is impossible; undefined when it is possible. */
  readonly refusal: string | undefined;
  /**
   * Unpacks the version of an archive beside the others, without selecting it. @throws ApiError update_archive_invalid, host_command_failed
   */
  install(archive: string, keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** The version of the next start; null when none was selected. */
  chosen(): Promise<string | null>;
  /** Selects the version of the next start; null clears the selection. */
  choose(version: string | null): Promise<void>;
}

/** Cannot install: for demonstrations, tests and manually started nodes. */
export const noInstaller: Installer = {
  refusal: 'It was not started from a folder of versions.',
  install: () => Promise.reject(new Error('This node installs nothing.')),
  chosen: async () => null,
  choose: () => Promise.reject(new Error('This node has no versions to choose from.')),
};

/**
 * Keeps each version in a folder of its own, `<folder>/<version>/<package>`, with the link `<folder>/current` to the selected one, from
 * which the service starts. Earlier versions are kept for a rollback.
 */
export class VersionsFolder implements Installer {
  readonly refusal = undefined;
  readonly #folder: string;
  readonly #link: string;
  readonly #run: RunCommand;

  constructor(folder: string, run: RunCommand = runCommand) {
    this.#folder = folder;
    this.#link = join(folder, 'current');
    this.#run = run;
  }

  async install(archive: string, keys: readonly string[], signal: AbortSignal): Promise<void> {
    await withRelease(archive, keys, async (release, members) => {
      const partial = join(this.#folder, `${release.version}.partial`);
      const target = join(this.#folder, release.version);
      await rm(partial, { recursive: true, force: true });
      await mkdir(partial, { recursive: true, mode: 0o755 });
      for (const member of members) {
        const path = join(partial, member.name);
        await pipeline(await member.open(), createWriteStream(path, { flags: 'wx' }), { signal });
        if (member.name.endsWith('.tgz')) await this.#unpack(path, join(partial, basename(member.name, '.tgz')));
      }
      await rm(target, { recursive: true, force: true });
      await rename(partial, target);
    });
    signal.throwIfAborted();
  }

  async chosen(): Promise<string | null> {
    try {
      return await readlink(this.#link);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** The link is replaced atomically, so that it always points to a complete version. */
  async choose(version: string | null): Promise<void> {
    if (version === null) return rm(this.#link, { force: true });
    const next = join(this.#folder, 'next');
    await rm(next, { force: true });
    await symlink(version, next);
    await rename(next, this.#link);
  }

  async #unpack(archive: string, folder: string): Promise<void> {
    await mkdir(folder);
    const options = ['--extract', '--gzip', '--no-same-owner', '--no-same-permissions', '--strip-components=1'];
    const { exitCode, stderr } = await this.#run('tar', [...options, `--directory=${folder}`, `--file=${archive}`]);
    if (exitCode !== 0) throw new ApiError('host_command_failed', { what: 'unpack the release', cause: stderr.trim() });
  }
}
