import { copyFileSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { migrationHash } from '../store/migrations.ts';
import { openDatabase } from '../store/open-database.ts';
import { WriterHost } from '../store/writer-host.ts';
import type { WriterSettings } from '../store/writer-protocol.ts';
import { serve } from '../store/writer-worker.ts';

/**
 * A writer in the thread of the tests, to which each message would otherwise wake a second thread. It creates new databases as copies
 * of a migrated one: the creation of tables would be half of the start of most tests. The copies are deleted with the temporary folder.
 */
export class PreparedWriter extends WriterHost {
  readonly #prepared = new Map<string, string>();
  #folder: string | undefined;

  override async start(): Promise<void> {}

  override open(settings: WriterSettings): MessagePort {
    const { path, crashAt } = settings;
    // The writer reports a missing folder, a damaged file and a crash.
    if (crashAt === undefined && !existsSync(path) && existsSync(dirname(path)))
      copyFileSync(this.#preparedFor(settings), path);
    const { port1: ours, port2: theirs } = new MessageChannel();
    serve(theirs, settings);
    return ours;
  }

  #preparedFor({ migrations, nowMs }: WriterSettings): string {
    const schema = migrations.map((migration) => `${migration.set} ${migrationHash(migration)}`).join('\n');
    const known = this.#prepared.get(schema);
    if (known !== undefined) return known;
    this.#folder ??= mkdtempSync(join(tmpdir(), 'lcs-prepared-'));
    const path = join(this.#folder, `${this.#prepared.size}.sqlite`);
    openDatabase({ path, migrations, nowMs, onDamaged: 'fail', onPoint: () => {} }).connection.close();
    this.#prepared.set(schema, path);
    return path;
  }
}
