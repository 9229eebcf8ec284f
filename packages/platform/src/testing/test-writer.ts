import { WriterHost } from '../store/writer-host.ts';
import { PreparedWriter } from './prepared-writer.ts';

const writer = new PreparedWriter();

/** Writes all databases of one test process in its own thread. Tests of the store itself use `storeThread`. */
export const testWriter = (): WriterHost => writer;

let thread: Promise<WriterHost> | undefined;

async function started(): Promise<WriterHost> {
  const host = new WriterHost();
  await host.start();
  host.unref();
  return host;
}

/**
 * A thread as programs have it, for all tests of the store in one process: starting one takes longer than most of them. It ends with the
 * process. Tests that kill or block a writer use their own.
 */
export function storeThread(): Promise<WriterHost> {
  thread ??= started();
  return thread;
}
