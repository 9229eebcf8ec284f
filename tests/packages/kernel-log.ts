import { closeSync, constants, openSync, readSync } from 'node:fs';

/** Longer than any record of the kernel: a shorter buffer is refused. */
const recordBytes = 16_384;

/**
 * What the kernel of this computer logs from the moment of opening on. The kernel keeps its newest records only, so neither their number
 * nor their position tells new ones from old ones.
 */
export class KernelLog implements Disposable {
  readonly #file: number;
  readonly #ended: number[] = [];

  constructor() {
    this.#file = openSync('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK);
    // Begins at the oldest record that is left.
    while (this.#next() !== undefined);
  }

  /** Processes that the kernel has ended for want of memory since the opening, in order. @throws when records were lost before they were read */
  endedForMemory(): readonly number[] {
    for (let record = this.#next(); record !== undefined; record = this.#next()) {
      if (record === 'lost') throw new Error('The kernel has overwritten records that were not read yet.');
      const pid = /Killed process (\d+)/.exec(record.text)?.[1];
      if (pid !== undefined) this.#ended.push(Number(pid));
    }
    return [...this.#ended];
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #next(): { readonly text: string } | 'lost' | undefined {
    const buffer = Buffer.alloc(recordBytes);
    try {
      return { text: buffer.toString('utf8', 0, readSync(this.#file, buffer)) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EAGAIN') return undefined;
      // Reading continues with the oldest record that is left.
      if (code === 'EPIPE') return 'lost';
      throw error;
    }
  }
}
