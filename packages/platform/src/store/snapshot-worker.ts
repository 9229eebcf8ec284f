import { DatabaseSync } from 'node:sqlite';

/** `vacuum into` reads one consistent state of the database, independent of concurrent writes. */
function snapshot(source: string, target: string): string {
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

const [, , source, target] = process.argv;
if (process.send !== undefined && source !== undefined && target !== undefined) process.send(snapshot(source, target));
