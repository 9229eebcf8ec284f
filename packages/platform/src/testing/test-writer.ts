import type { WriterHost } from '../store/writer-host.ts';
import { PreparedWriter } from './prepared-writer.ts';

/** The thread of this process; absent before its first use and after its end. */
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
 * The thread that writes all databases of one test process, because starting one takes longer than most tests. It ends with the process.
 * Tests that kill a writer use their own.
 */
export function testWriter(): Promise<WriterHost> {
  thread ??= started();
  return thread;
}
