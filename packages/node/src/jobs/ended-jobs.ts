import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Log } from '@lcs/platform';

/** IDs of jobs, or of profile runs, whose final end the database could not record. */
export interface EndedJobs {
  /** The IDs of the last run of the node. */
  load(): Promise<readonly number[]>;
  /** On disk when it resolves, if the disk allows it; never rejects. */
  add(jobIds: readonly number[]): Promise<void>;
  /** Removes IDs that the database has recorded; never rejects. */
  remove(jobIds: readonly number[]): Promise<void>;
}

/** For nodes without outputs, and tests. */
export const endedJobsInMemory = (): EndedJobs => ({
  load: async () => [],
  add: async () => {},
  remove: async () => {},
});

const slotBytes = 4_096;
const slots = 2;
/** The most IDs of any length that fit into a slot. */
const maxIds = 200;

interface Slot {
  readonly turn: number;
  readonly ids: readonly number[];
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

const slotText = ({ turn, ids }: Slot): string => {
  const text = JSON.stringify({ turn, ids });
  return `${digestOf(text)} ${text}\n`.padEnd(slotBytes, ' ');
};

/** Undefined for a slot that is empty or incomplete. */
function readSlot(bytes: Buffer): Slot | undefined {
  const [digest, text = ''] = bytes.toString('utf8').trimEnd().split(/ (.*)/s);
  if (text === '' || digestOf(text) !== digest) return undefined;
  const value: Slot = JSON.parse(text);
  return value;
}

/**
 * A file with reserved space, so that a stop can be recorded on a full disk and with a locked database: two slots that are overwritten
 * alternately; the newest complete one is valid. A copy-on-write file system may still have no space for it.
 */
export class EndedJobsFile implements EndedJobs {
  readonly #path: string;
  readonly #log: Log;
  readonly #ids = new Set<number>();
  #turn = 0;
  /** Serialises accesses. Never rejects. */
  #work: Promise<void> = Promise.resolve();

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  async load(): Promise<readonly number[]> {
    await this.#inTurn('read', async (file) => {
      const bytes = Buffer.alloc(slotBytes * slots);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      const whole = [0, 1].flatMap((slot) => readSlot(bytes.subarray(slot * slotBytes, (slot + 1) * slotBytes)) ?? []);
      const newest = whole.sort((left, right) => right.turn - left.turn)[0];
      this.#turn = newest?.turn ?? 0;
      for (const id of newest?.ids ?? []) this.#ids.add(id);
      const missing = bytes.length - bytesRead;
      if (missing === 0) return;
      // The file is new or truncated: keep its contents and reserve its space.
      await file.write(Buffer.alloc(missing, ' '), 0, missing, bytesRead);
      await file.datasync();
    });
    return [...this.#ids];
  }

  async add(jobIds: readonly number[]): Promise<void> {
    const before = this.#ids.size;
    for (const id of jobIds) this.#ids.add(id);
    if (this.#ids.size > before) await this.#save();
  }

  async remove(jobIds: readonly number[]): Promise<void> {
    const before = this.#ids.size;
    for (const id of jobIds) this.#ids.delete(id);
    if (this.#ids.size < before) await this.#save();
  }

  #save(): Promise<void> {
    return this.#inTurn('written', async (file) => {
      this.#turn += 1;
      const text = slotText({ turn: this.#turn, ids: [...this.#ids].slice(-maxIds) });
      await file.write(Buffer.from(text), 0, slotBytes, (this.#turn % slots) * slotBytes);
      await file.datasync();
    });
  }

  #inTurn(what: 'read' | 'written', access: (file: FileHandle) => Promise<void>): Promise<void> {
    this.#work = this.#work.then(async () => {
      try {
        const file = await open(this.#path, 'r+').catch(() => open(this.#path, 'w+', 0o600));
        try {
          await access(file);
        } finally {
          await file.close();
        }
      } catch (error) {
        this.#log.error(`The file of ended jobs could not be ${what}`, { path: this.#path, error: String(error) });
      }
    });
    return this.#work;
  }
}
