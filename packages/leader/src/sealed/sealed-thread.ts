import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type {
  SealedFileKey,
  SealedThreadReply,
  SealedThreadRequest,
  SealedThreadSettings,
} from './reader-thread-protocol.ts';
import type { SealedGroup } from './sealed-file.ts';

const workerUrl = new URL(`./sealed-reader-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** A bucket that does not answer for so long is away. */
const longestWaitMs = 120_000;

/** Times and values of a row group. */
export interface GroupPoints {
  readonly at: Float64Array;
  readonly value: Float64Array;
}

/** Reads sealed files synchronously: a thread beside the caller's reads them, and the caller waits. It starts with the first file. */
export class SealedThread {
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));
  #port: MessagePort | undefined;

  groups(key: SealedFileKey): readonly SealedGroup[] {
    const reply = this.#ask({ is: 'groups', key });
    if (reply.is !== 'groups') throw this.#failure(reply);
    return reply.groups;
  }

  points(key: SealedFileKey, group: SealedGroup): GroupPoints {
    const reply = this.#ask({ is: 'points', key, group });
    if (reply.is !== 'points') throw this.#failure(reply);
    return reply;
  }

  close(): void {
    this.#port?.close();
    this.#port = undefined;
  }

  #failure(reply: SealedThreadReply): Error {
    return new Error(
      reply.is === 'failed' ? reply.message : 'The thread of sealed files returned an unexpected reply.',
    );
  }

  #ask(request: SealedThreadRequest): SealedThreadReply {
    const port = this.#port ?? this.#start();
    Atomics.store(this.#answered, 0, 0);
    port.postMessage(request);
    const isAnswered = Atomics.wait(this.#answered, 0, 0, longestWaitMs) !== 'timed-out';
    const reply: SealedThreadReply | undefined = isAnswered ? receiveMessageOnPort(port)?.message : undefined;
    if (reply !== undefined) return reply;
    // A late answer must not be taken for that of the next request.
    this.close();
    throw new Error('A sealed file was not read in time.');
  }

  #start(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const settings: SealedThreadSettings = { port: port2, answered: this.#answered };
    new Worker(workerUrl, { name: 'sealed-reader', workerData: settings, transferList: [port2] }).unref();
    this.#port = port1;
    return port1;
  }
}
