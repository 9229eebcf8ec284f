import { copyFileSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { migrationHash } from '../store/migrations.ts';
import { openDatabase } from '../store/open-database.ts';
import { WriterHost } from '../store/writer-host.ts';
import type { WriterSettings } from '../store/writer-protocol.ts';

/**
 * A writer whose new databases begin as copies of one that has gone through the same migrations, once for each schema: most
 * tests begin with an empty store, and half of their start would be the making of its tables. The copies go with the folder
 * of temporary files.
 */
export class PreparedWriter extends WriterHost {
  readonly #prepared = new Map<string, string>();
  #folder: string | undefined;

  override open(settings: WriterSettings): MessagePort {
    const { path, crashAt } = settings;
    // What stands in the way of a file (no folder, a damaged one) is the writer's to tell; so is a crash on the way.
    if (crashAt === undefined && !existsSync(path) && existsSync(dirname(path)))
      copyFileSync(this.#preparedFor(settings), path);
    return super.open(settings);
  }

  #preparedFor({ migrations, nowMs }: WriterSettings): string {
    const schema = migrations.map((migration) => `${migration.set} ${migrationHash(migration)}`).join('\n');
    const known = this.#prepared.get(schema);
    if (known !== undefined) return known;
    this.#folder ??= mkdtempSync(join(tmpdir(), 'lcs-prepared-'));
    const path = join(this.#folder, `${this.#prepared.size}.sqlite`);
    openDatabase({ path, migrations, nowMs, onDamaged: 'fail', passage: () => {} }).connection.close();
    this.#prepared.set(schema, path);
    return path;
  }
}
