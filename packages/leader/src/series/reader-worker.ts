import { hash } from 'node:crypto';
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ReaderReply, ReaderRequest, ReaderSettings } from './reader-protocol.ts';
import { SeriesReader } from './series-reader.ts';

// Imports little: every module is loaded again for each thread.

function serve(port: MessagePort, { path }: ReaderSettings): void {
  const reader = SeriesReader.open(path);
  port.on('message', (question: ReaderRequest) => {
    try {
      const { json, targetPoints, changesAtMs } = reader.answer(question);
      const bytes = new TextEncoder().encode(json);
      const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`;
      const reply: ReaderReply = { is: 'answer', answer: { bytes, etag, targetPoints, changesAtMs } };
      port.postMessage(reply, [bytes.buffer]);
    } catch (error) {
      const reply: ReaderReply = { is: 'failure', message: error instanceof Error ? error.message : String(error) };
      port.postMessage(reply);
    }
  });
}

if (!isMainThread && parentPort) serve(parentPort, workerData);
