import { isMainThread, workerData } from 'node:worker_threads';
import { openStorage } from './open-storage.ts';
import type {
  SealedFileKey,
  SealedThreadReply,
  SealedThreadRequest,
  SealedThreadSettings,
} from './reader-thread-protocol.ts';
import { SealedFile } from './sealed-file.ts';

/** Metadata of files that are kept; the least recently used one is forgotten. */
const keptFiles = 50;

const files = new Map<string, Promise<SealedFile>>();

/** A file by its hash: one that was sealed again is another. */
function opened({ place, file, bytes, sha256 }: SealedFileKey): Promise<SealedFile> {
  const id = `${place} ${file} ${sha256}`;
  const found = files.get(id) ?? openStorage(place).then((storage) => SealedFile.open(storage, file, bytes));
  files.delete(id);
  files.set(id, found);
  // A failed attempt is repeated by the next query.
  found.catch(() => files.delete(id));
  const [oldest] = files.keys();
  if (files.size > keptFiles && oldest !== undefined) files.delete(oldest);
  return found;
}

async function answer(request: SealedThreadRequest): Promise<SealedThreadReply> {
  const file = await opened(request.key);
  if (request.is === 'groups') return { is: 'groups', groups: file.groups };
  return { is: 'points', ...(await file.points(request.group)) };
}

function serve({ port, answered }: SealedThreadSettings): void {
  const reply = (message: SealedThreadReply) => {
    port.postMessage(message);
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  };
  port.on('message', (request: SealedThreadRequest) => {
    answer(request).then(reply, (error: unknown) =>
      reply({ is: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
  });
}

if (!isMainThread) serve(workerData);
