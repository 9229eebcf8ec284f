import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Builds the pages when what they are made of has changed since the last build; does nothing otherwise. */

const web = import.meta.dirname;
const packages = path.dirname(web);
const repository = path.dirname(packages);
const dist = path.join(web, 'dist');
const fingerprintFile = path.join(dist, '.inputs');
const workshop = path.join(web, 'node_modules', '.build');
const lockFile = path.join(workshop, 'lock');

const inputs = [
  path.join(web, 'index.html'),
  path.join(web, 'vite.config.ts'),
  path.join(web, 'package.json'),
  path.join(web, 'src'),
  path.join(packages, 'contract', 'src'),
  path.join(packages, 'domain', 'src'),
  path.join(repository, 'package-lock.json'),
];

async function filesOf(input: string): Promise<string[]> {
  if (path.extname(input) !== '') return [input];
  const entries = await readdir(input, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

async function fingerprint(): Promise<string> {
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

async function builtFrom(): Promise<string | undefined> {
  return existsSync(fingerprintFile) ? await readFile(fingerprintFile, 'utf8') : undefined;
}

const hasCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Takes the lock, after whoever has it; a lock whose owner has died is taken over. */
async function withLock(work: () => Promise<void>): Promise<void> {
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

/** Builds beside the old pages and swaps folders, so that a server or a second run never sees half a build. */
async function build(wanted: string): Promise<void> {
  const { build: viteBuild } = await import('vite');
  const fresh = path.join(workshop, 'fresh');
  const old = path.join(workshop, 'old');
  const clear = () => Promise.all([fresh, old].map((folder) => rm(folder, { recursive: true, force: true })));
  await clear();
  await viteBuild({ configFile: path.join(web, 'vite.config.ts'), logLevel: 'warn', build: { outDir: fresh } });
  await writeFile(path.join(fresh, '.inputs'), wanted);
  if (existsSync(dist)) await rename(dist, old);
  await rename(fresh, dist);
  await clear();
}

const wanted = await fingerprint();
if ((await builtFrom()) === wanted) {
  console.log('web: pages are up to date');
} else {
  await withLock(async () => {
    if ((await builtFrom()) === wanted) {
      console.log('web: pages were built by another process');
      return;
    }
    const startedAt = performance.now();
    await build(wanted);
    console.log(`web: pages built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  });
}
