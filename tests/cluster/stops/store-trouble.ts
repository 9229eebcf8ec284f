import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const diskMebibytes = 112;

/** A disk of its own, which can be filled to the last byte. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  fill(): Promise<void>;
  free(): Promise<void>;
}

/** Whether this machine lets the tests mount a file system. */
export function canMount(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('mount', ['--version']).status === 0;
}

/** Mounts a file system of 112 MiB, which is large enough for a node, on an existing path. */
export function smallDisk(path: string): SmallDisk {
  mkdirSync(path, { recursive: true });
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMebibytes}m`, 'tmpfs', path]);
  if (status !== 0) throw new Error(`No file system can be mounted: ${stderr.toString()}`);
  const filler = `${path}/filler`;
  return {
    path,
    fill: async () => {
      const file = await open(filler, 'a');
      try {
        for (let size = 1 << 20; size >= 1; size = Math.floor(size / 16))
          await writeUntilFull(file, Buffer.alloc(size));
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler, { force: true }),
    // Lazily: the board of a failed test may still have a file open.
    [Symbol.asyncDispose]: async () => void spawnSync('umount', ['-l', path]),
  };
}

/** Where nothing can be mounted, for tests that fill no disk. */
export function ordinaryFolder(path: string): SmallDisk {
  mkdirSync(path, { recursive: true });
  return {
    path,
    fill: () => Promise.reject(new Error('A folder on the disk of the machine is never filled.')),
    free: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

async function writeUntilFull(file: Awaited<ReturnType<typeof open>>, chunk: Buffer): Promise<void> {
  for (;;) {
    try {
      const { bytesWritten } = await file.write(chunk);
      if (bytesWritten < chunk.length) return;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
      throw error;
    }
  }
}

/** The lock of another process on a database, held until it is released. */
export interface HeldLock extends AsyncDisposable {
  release(): Promise<void>;
}

const locker = (before: string) => `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { timeout: 20000 });
  ${before}
  database.exec('begin exclusive');
  console.log('held');
  process.stdin.resume();
`;

async function hold(path: string, before: string): Promise<HeldLock> {
  const child = spawn(process.execPath, ['-e', locker(before), path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(createInterface({ input: child.stdout }), 'line');
  const release = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { release, [Symbol.asyncDispose]: release };
}

/** Another process starts an exclusive transaction on the file and holds it: other processes cannot write. */
export const holdExclusive = (path: string): Promise<HeldLock> => hold(path, '');

/** The same for a file that no node has open: other processes cannot read either. */
export const holdWhole = (path: string): Promise<HeldLock> =>
  hold(path, "database.exec('pragma locking_mode = exclusive');");

export type Trouble = 'full' | 'locked';

/** Until it is disposed of, the disks of these nodes are full, or their databases locked by another process. */
export async function makeTrouble(
  { leaderDisk, unitDisk }: { readonly leaderDisk: SmallDisk; readonly unitDisk: SmallDisk },
  whose: 'leader' | 'unit' | 'both',
  trouble: Trouble,
): Promise<AsyncDisposableStack> {
  const stack = new AsyncDisposableStack();
  const disks = [
    ...(whose === 'unit' ? [] : [{ disk: leaderDisk, file: 'leader.sqlite' }]),
    ...(whose === 'leader' ? [] : [{ disk: unitDisk, file: 'unit.sqlite' }]),
  ];
  for (const { disk, file } of disks) {
    if (trouble === 'locked') {
      stack.use(await holdExclusive(`${disk.path}/data/storage/${file}`));
      continue;
    }
    await disk.fill();
    stack.defer(() => disk.free());
  }
  return stack;
}
