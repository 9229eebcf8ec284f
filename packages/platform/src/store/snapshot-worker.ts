import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** `vacuum into` reads one state of the database, whatever others write meanwhile. */
function snapshot({ source, target }: { readonly source: string; readonly target: string }): string {
  try {
    const connection = new DatabaseSync(source, { readOnly: true, timeout: 10_000 });
    try {
      connection.prepare('vacuum into ?').run(target);
    } finally {
      connection.close();
    }
    return 'done';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

if (!isMainThread) parentPort?.postMessage(snapshot(workerData));
