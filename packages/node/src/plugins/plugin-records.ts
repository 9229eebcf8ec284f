import { readFile } from 'node:fs/promises';
import { errnoOf, type Log, writeFileDurably } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { PluginDescription } from './plugin-description.ts';
import { ownFile } from './plugin-files.ts';

/** The stored description of a plugin, so that no process is needed for it after a restart of the node. */
export const PluginRecord = Type.Object({
  stamp: Type.String(),
  description: PluginDescription,
  /** Files that were written for it, below the folder of plugins. */
  files: Type.Array(Type.String({ pattern: ownFile.source })),
});
export type PluginRecord = Static<typeof PluginRecord>;

const Records = Type.Object({ program: Type.String(), plugins: Type.Record(Type.String(), PluginRecord) });

export interface PluginRecordsOptions {
  readonly path: string;
  /** Records of another version of the program are ignored. */
  readonly program: string;
  readonly log: Log;
}

/** The descriptions of a node's plugins from their last loading, by the ID of the plugin. */
export class PluginRecords {
  readonly #options: PluginRecordsOptions;
  #written = '';

  constructor(options: PluginRecordsOptions) {
    this.#options = options;
  }

  /** Empty when there are no valid ones: plugins are then loaded again. */
  async read(): Promise<ReadonlyMap<string, PluginRecord>> {
    const { path, program, log } = this.#options;
    try {
      const text = await readFile(path, 'utf8');
      const value: unknown = JSON.parse(text);
      this.#written = text;
      if (Value.Check(Records, value) && value.program === program) return new Map(Object.entries(value.plugins));
    } catch (error) {
      if (!(error instanceof SyntaxError) && errnoOf(error) !== 'ENOENT') throw error;
      if (error instanceof SyntaxError) log.warn('The stored descriptions of plugins cannot be read', { path });
    }
    return new Map();
  }

  /** Unchanged contents are not written again. */
  async write(records: ReadonlyMap<string, PluginRecord>): Promise<void> {
    if (records.size === 0 && this.#written === '') return;
    const { path, program } = this.#options;
    const text = `${JSON.stringify({ program, plugins: Object.fromEntries(records) })}\n`;
    if (text === this.#written) return;
    await writeFileDurably(path, text);
    this.#written = text;
  }
}
