import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Something that is built from files of this repository. */
export interface Product {
  /** For the line that is printed. */
  readonly name: string;
  /** Files and folders it is made of, absolute. */
  readonly inputs: readonly string[];
  /** The folder it is built into, absolute. */
  readonly dist: string;
  /** Builds into `folder`, which is empty. */
  build(folder: string): Promise<void>;
}

const repository = path.dirname(import.meta.dirname);
/** Of the result, in it: what it was built from. */
const fingerprintName = '.inputs';

async function filesOf(input: string): Promise<string[]> {
  if (path.extname(input) !== '') return [input];
  const entries = await readdir(input, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

async function fingerprint({ inputs }: Product): Promise<string> {
  const files = (await Promise.all(inputs.map(filesOf))).flat().sort();
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${path.relative(repository, file)}\0`);
    hash.update(
      createHash('sha256')
        .update(await readFile(file))
        .digest(),
    );
  }
  return hash.digest('hex');
}

async function builtFrom({ dist }: Product): Promise<string | undefined> {
  const file = path.join(dist, fingerprintName);
  return existsSync(file) ? await readFile(file, 'utf8') : undefined;
}

const hasCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Waits for the lock and takes it; takes over a lock whose owner has ended. */
async function withLock(workshop: string, work: () => Promise<void>): Promise<void> {
  const lockFile = path.join(workshop, 'lock');
  await mkdir(workshop, { recursive: true });
  for (;;) {
    try {
      const lock = await open(lockFile, 'wx');
      await lock.writeFile(String(process.pid));
      await lock.close();
      break;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const owner = Number(await readFile(lockFile, 'utf8').catch(() => ''));
    // An empty file is a lock whose owner is just writing its number.
    if (owner > 0 && !isRunning(owner)) await rm(lockFile, { force: true });
    await sleep(100);
  }
  try {
    await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}

/** Builds beside the old result and swaps folders, so that no process sees an incomplete build. */
async function rebuild(product: Product, workshop: string, wanted: string): Promise<void> {
  const fresh = path.join(workshop, 'fresh');
  const old = path.join(workshop, 'old');
  const clear = () => Promise.all([fresh, old].map((folder) => rm(folder, { recursive: true, force: true })));
  await clear();
  await product.build(fresh);
  await writeFile(path.join(fresh, fingerprintName), wanted);
  if (existsSync(product.dist)) await rename(product.dist, old);
  await rename(fresh, product.dist);
  await clear();
}

/** A checkout makes sources younger that are what they were: who compares moments shall not take the product for old. */
async function renew({ dist }: Product, now: Date): Promise<void> {
  for (const entry of await readdir(dist, { withFileTypes: true }))
    if (entry.isFile()) await utimes(path.join(dist, entry.name), now, now);
}

/** Builds if a source has changed since the last build. */
export async function buildIfStale(product: Product): Promise<void> {
  const now = new Date();
  const wanted = await fingerprint(product);
  if ((await builtFrom(product)) === wanted) {
    await renew(product, now);
    return;
  }
  const workshop = path.join(path.dirname(product.dist), 'node_modules', '.build');
  await withLock(workshop, async () => {
    if ((await builtFrom(product)) === wanted) return;
    const startedAt = performance.now();
    await rebuild(product, workshop, wanted);
    console.log(`${product.name} built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  });
}
