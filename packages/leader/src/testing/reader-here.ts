import { MessageChannel } from 'node:worker_threads';
import { serve } from '../series/reader-worker.ts';
import type { StartReader } from '../series/series-readers.ts';

/**
 * A reader in the thread of the tests: to start a thread takes longer than what it reads for most of them. Its requests and replies are
 * copied as those of a thread are. Tests of the readers themselves use threads.
 */
export const readerHere: StartReader = (settings, { onReply, onEnd }) => {
  const { port1: ours, port2: theirs } = new MessageChannel();
  const closed = new Promise<void>((resolve) => theirs.once('close', resolve));
  ours.on('message', onReply);
  try {
    serve(theirs, settings);
  } catch (error) {
    ours.close();
    setImmediate(onEnd, String(error));
  }
  return {
    post: (request) => ours.postMessage(request),
    ref: () => ours.ref(),
    unref: () => ours.unref(),
    end: () => {
      ours.close();
      return closed;
    },
  };
};
