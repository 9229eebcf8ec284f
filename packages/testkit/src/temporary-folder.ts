import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** A new empty folder that is removed with all it holds when disposed. */
export async function temporaryFolder(purpose = 'test'): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `lcs-${purpose}-`));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
