import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests note which answers of which routes they have seen; read by `tests/whole`. */
    observationsFolder: string;
  }
}

let folder: string | undefined;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  folder ??= await mkdtemp(join(tmpdir(), 'lcs-observations-'));
  project.provide('observationsFolder', folder);
  return async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  };
}
