import { Worker } from 'node:worker_threads';
import type { Log } from '@lcs/platform';
import type { ImportOrder, ImportReply, ImportRequest } from './import-protocol.ts';

const workerUrl = new URL(`./import-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
/** Whatever the size of the source: rows are read in pieces. The caches of SQLite come on top. */
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 192 };

/** The thread that reads the source failed. */
export class ImportThreadFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ImportThreadFailed';
  }
}

/**
 * Reads a source in a thread. `answer` handles each message, one after the other; its result goes back to the thread. Ends with the message
 * `done`, or when `answer` throws or the signal aborts.
 */
export async function runImportThread(
  order: ImportOrder,
  {
    answer,
    signal,
    log,
  }: {
    readonly answer: (reply: ImportReply) => Promise<ImportRequest | undefined>;
    readonly signal: AbortSignal;
    readonly log: Log;
  },
): Promise<ImportReply & { readonly is: 'done' }> {
  signal.throwIfAborted();
  const worker = new Worker(workerUrl, { name: 'import', workerData: order, resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<ImportReply & { readonly is: 'done' }>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  const fail = (message: string) => {
    log.error('Reading the source of an import failed', { error: message });
    reject(new ImportThreadFailed(message));
  };
  let last: Promise<void> = Promise.resolve();
  // A batch after one that was not stored would move the mark over it.
  let hasFailed = false;
  const handle = async (reply: ImportReply) => {
    if (hasFailed) return;
    if (reply.is === 'done') return resolve(reply);
    if (reply.is === 'failure') return fail(reply.message);
    const request = await answer(reply);
    if (request !== undefined) worker.postMessage(request);
  };
  worker.on('message', (reply: ImportReply) => {
    last = last
      .then(() => handle(reply))
      .catch((error: unknown) => {
        hasFailed = true;
        reject(error);
      });
  });
  worker.on('error', (error) => fail(error.message));
  // After its last message was handled.
  worker.on('exit', () => void last.then(() => fail('its thread ended')));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    worker.removeAllListeners();
    // What fails while the thread ends is of no interest, and without a listener it would end the leader.
    worker.on('error', () => {});
    await worker.terminate();
    // The batch that was being stored.
    await last;
  }
}
