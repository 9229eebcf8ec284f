import { type ImportReport, isObject, type PioreactorImport } from '@lcs/contract';
import { countText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';

/** An import that was begun in this browser; its task is on the leader. */
export interface BegunImport {
  readonly task_id: string;
  readonly request: PioreactorImport;
  /** The folder, or the name of the archive. */
  readonly source: string;
}

/** The import that a browser has stored; undefined: none that can be read. */
export function readBegunImport(stored: string | null): BegunImport | undefined {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    if (!isObject(value) || !isObject(value.request)) return undefined;
    const { task_id, source, request } = value;
    const { folder, upload_id, dry_run, experiments, on_conflict } = request;
    if (typeof task_id !== 'string' || typeof source !== 'string') return undefined;
    return {
      task_id,
      source,
      request: {
        ...(typeof folder === 'string' && { folder }),
        ...(typeof upload_id === 'string' && { upload_id }),
        ...(Array.isArray(experiments) && { experiments: experiments.map(String) }),
        on_conflict: on_conflict === 'skip' ? 'skip' : 'rename',
        dry_run: dry_run === true,
      },
    };
  } catch {
    return undefined;
  }
}

const experimentCount = (count: number): string => settingsWords.experimentCount(count, countText(count));
const rowCount = (count: number): string => settingsWords.rowCount(count, countText(count));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Rows of the tables that come. */
const importedRows = ({ tables }: Pick<ImportReport, 'tables'>): number => sum(tables.map(({ imported }) => imported));

/** What a plan says, or how an import has ended. */
export function importVerdict(report: ImportReport): { readonly text: string; readonly isGood: boolean } {
  const { is_dry_run, is_verified, source_changed, experiments, tables } = report;
  const coming = experiments.filter(({ experiment }) => experiment !== null).length;
  const skipped = sum(tables.flatMap((table) => table.skipped.map(({ rows }) => rows)));
  const what = settingsWords.experimentWith(experimentCount(coming), rowCount(importedRows(report)));
  const others = experiments.length - coming;
  const isWhole = others === 0 && skipped === 0;
  const left = commonWords.listAnd(experimentCount(others), rowCount(skipped));
  if (source_changed)
    return {
      text: settingsWords.somethingWroteDatabaseMeanwhile,
      isGood: false,
    };
  if (is_dry_run)
    return {
      text: settingsWords.willCome(what, isWhole, left),
      isGood: coming > 0,
    };
  if (is_verified !== true) return { text: settingsWords.importIsNotComplete(what), isGood: false };
  return {
    text: settingsWords.cameAndWereVerified(what, isWhole, left),
    isGood: true,
  };
}

const statusWords = settingsWords.statusWords;

/** What becomes of a file. */
export const fileStatusText = (
  { status, target, messages }: ImportReport['files'][number],
  isDryRun: boolean,
): string => {
  const words = status === 'imported' && !isDryRun ? 'came' : statusWords[status];
  return [`${words}${target === null || status === 'skipped' ? '' : settingsWords.asName(target)}`, ...messages].join(
    ': ',
  );
};

/** How many settings have another value, or no meaning here. */
export function settingsText({ configuration }: Pick<ImportReport, 'configuration'>): string {
  const of = (wanted: ImportReport['configuration'][number]['status']): number =>
    configuration.filter(({ status }) => status === wanted).length;
  return settingsWords.configurationCompared(of('same'), of('differs'), of('no_meaning'));
}
