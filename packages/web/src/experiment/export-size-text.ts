import type { ExportEstimate } from '@lcs/contract';
import { problemText } from '../api/problem.ts';
import { countText } from '../ui/number-text.ts';
import { sizeText } from '../ui/size-text.ts';
import { experimentWords } from '../words/experiment.ts';

/** Fewer rows are counted exactly. */
const exactRows = 1_000;

/** `about 120,000 rows`, `340 rows`, `1 row` */
export function rowsText(rows: number): string {
  if (rows === 1) return experimentWords.n1Row;
  return rows < exactRows
    ? experimentWords.rowCount(countText(rows))
    : experimentWords.aboutRows(countText(Number(rows.toPrecision(2))));
}

/** `about 120,000 rows, 14.0 MB` */
export function datasetSizeText({ rows, bytes }: ExportEstimate['datasets'][number]): string {
  return rows === null || bytes === null ? experimentWords.sizeNotKnown : `${rowsText(rows)}, ${sizeText(bytes)}`;
}

/** The sentence above the button; of compressed files also their size in the zip file. */
export function totalSizeText({ datasets, bytes, zip_bytes }: ExportEstimate): string {
  const isWhole = datasets.every(({ rows }) => rows !== null);
  const zip = zip_bytes < bytes ? experimentWords.whenUnpacked(sizeText(bytes)) : '';
  return experimentWords.zipFileWillHave(isWhole, sizeText(zip_bytes), zip);
}

/** Why no size is shown. Without an estimate the export may work as well. */
export function estimateProblem(failure: unknown): string {
  const { code, error, cause, remediation } = problemText(failure);
  if (code === 'dataset_too_slow') return experimentWords.sizeIsNotKnown;
  return [error, cause, remediation].join(' ');
}

/** Whether the export would end for lack of space. */
export const isTooLarge = ({ zip_bytes, available_bytes }: ExportEstimate): boolean => zip_bytes > available_bytes;
