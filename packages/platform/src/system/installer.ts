import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@lcs/contract';
import { withRelease } from '../archives/release-archive.ts';
import { type RunCommand, runCommand } from '../host/run-command.ts';

/** Puts another version of the program in the place of this one; it runs after the next start. */
export interface Installer {
  /** Why nothing can be installed; undefined when it can. */
  readonly refusal: string | undefined;
  /** @throws ApiError update_archive_invalid, host_command_failed */
  install(archive: string, keys: readonly string[], signal: AbortSignal): Promise<void>;
}

/** Installs nothing: of demonstrations, tests and hand-started nodes. */
export const noInstaller: Installer = {
  refusal: 'It was started from where it lies, not from a folder of versions.',
  install: () => Promise.reject(new Error('This node installs nothing.')),
};

/**
 * Keeps each version in a folder of its own, `<folder>/<version>/<package>`, and lets the link `<folder>/current` point to
 * the one that runs; the service is started from there. A version that was there before stays, to go back to.
 */
export class VersionsFolder implements Installer {
  readonly refusal = undefined;
  readonly #folder: string;
  readonly #run: RunCommand;

  constructor(folder: string, run: RunCommand = runCommand) {
    this.#folder = folder;
    this.#run = run;
  }

  async install(archive: string, keys: readonly string[], signal: AbortSignal): Promise<void> {
    const version = await withRelease(archive, keys, async (release, members) => {
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
      return release.version;
    });
    signal.throwIfAborted();
    await this.#switchTo(version);
  }

  async #unpack(archive: string, folder: string): Promise<void> {
    await mkdir(folder);
    const options = ['--extract', '--gzip', '--no-same-owner', '--no-same-permissions', '--strip-components=1'];
    const { exitCode, stderr } = await this.#run('tar', [...options, `--directory=${folder}`, `--file=${archive}`]);
    if (exitCode !== 0) throw new ApiError('host_command_failed', { what: 'unpack the release', cause: stderr.trim() });
  }

  /** A link is replaced in one step: there is always one that points to a whole version. */
  async #switchTo(version: string): Promise<void> {
    const next = join(this.#folder, 'next');
    await rm(next, { force: true });
    await symlink(version, next);
    await rename(next, join(this.#folder, 'current'));
  }
}
