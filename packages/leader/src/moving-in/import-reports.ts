import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, ImportReport } from '@lcs/contract';
import { errnoOf, writeFileDurably } from '@lcs/platform';
import { Value } from 'typebox/value';
import { reportText } from './report-text.ts';

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** There is a file, which is not a report. */
const damaged = Symbol('damaged');

/** Reports of imports, as files that stay with the leader: JSON, and text for people. */
export class ImportReports {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, 'storage', 'imports');
  }

  async save(report: ImportReport): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFileDurably(this.#path(report.import_id, 'txt'), reportText(report));
    await writeFileDurably(this.#path(report.import_id, 'json'), `${JSON.stringify(report)}\n`);
  }

  /** Newest first. */
  async list(): Promise<ImportReport[]> {
    const names = await this.#names();
    const reports = await Promise.all(
      names.map(async (name) => (name.endsWith('.json') ? this.#read(name.slice(0, -'.json'.length)) : undefined)),
    );
    return reports
      .filter((report) => report !== undefined && report !== damaged)
      .toSorted((a, b) => b.ended_at.localeCompare(a.ended_at) || b.import_id.localeCompare(a.import_id));
  }

  /** @throws ApiError import_not_found, import_report_damaged */
  async get(importId: string): Promise<ImportReport> {
    const report = await this.#read(importId);
    if (report === undefined) throw new ApiError('import_not_found', { importId });
    if (report === damaged) throw new ApiError('import_report_damaged', { importId });
    return report;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#folder);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #read(importId: string): Promise<ImportReport | typeof damaged | undefined> {
    if (!isId(importId)) return undefined;
    try {
      const report: unknown = JSON.parse(await readFile(this.#path(importId, 'json'), 'utf8'));
      return Value.Check(ImportReport, report) ? report : damaged;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      if (error instanceof SyntaxError) return damaged;
      throw error;
    }
  }

  #path = (importId: string, ending: 'json' | 'txt'): string => join(this.#folder, `${importId}.${ending}`);
}
