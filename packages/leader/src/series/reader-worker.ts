import { hash } from 'node:crypto';
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ReaderReply, ReaderRequest, ReaderSettings } from './reader-protocol.ts';
import { RowReader } from './row-reader.ts';
import { type SeriesQuestion, SeriesReader } from './series-reader.ts';

// Imports little: every module is loaded again for each thread.

function serve(port: MessagePort, { path }: ReaderSettings): void {
  const series = SeriesReader.open(path);
  const rows = RowReader.open(path);
  const answer = (question: SeriesQuestion) => {
    const { bytes, targetPoints, changesAtMs } = series.answer(question);
    const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`;
    const reply: ReaderReply = { is: 'answer', answer: { bytes, etag, targetPoints, changesAtMs } };
    port.postMessage(reply, [bytes.buffer]);
  };
  port.on('message', (request: ReaderRequest) => {
    try {
      if (request.is === 'series') answer(request.question);
      else {
        const reply: ReaderReply = { is: 'rows', rows: rows.rows(request.query) };
        port.postMessage(reply);
      }
    } catch (error) {
      const reply: ReaderReply = { is: 'failure', message: error instanceof Error ? error.message : String(error) };
      port.postMessage(reply);
    }
  });
}

if (!isMainThread && parentPort) serve(parentPort, workerData);
