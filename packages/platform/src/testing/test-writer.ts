import type { WriterHost } from '../store/writer-host.ts';
import { PreparedWriter } from './prepared-writer.ts';

/** The thread of this process; absent until the first test wants it, and after it has ended. */
let thread: Promise<WriterHost> | undefined;

async function started(): Promise<WriterHost> {
  const host = new PreparedWriter();
  await host.start();
  host.unref();
  host.onEnd(() => {
    thread = undefined;
  });
  return host;
}

/**
 * The thread in which all databases of one test process are written, as those of a demonstration are. To start one of its own
 * takes longer than most tests. It ends with the process. Tests that make a writer die have one for themselves.
 */
export function testWriter(): Promise<WriterHost> {
  thread ??= started();
  return thread;
}
