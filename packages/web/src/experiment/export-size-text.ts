import type { ExportEstimate } from '@lcs/contract';
import { problemText } from '../api/problem.ts';
import { countText } from '../ui/number-text.ts';
import { sizeText } from '../ui/size-text.ts';

/** Fewer rows are counted exactly. */
const exactRows = 1_000;

/** `about 120,000 rows`, `340 rows`, `1 row` */
export function rowsText(rows: number): string {
  if (rows === 1) return '1 row';
  return rows < exactRows ? `${countText(rows)} rows` : `about ${countText(Number(rows.toPrecision(2)))} rows`;
}

/** `about 120,000 rows, 14.0 MB` */
export function datasetSizeText({ rows, bytes }: ExportEstimate['datasets'][number]): string {
  return rows === null || bytes === null ? 'size not known' : `${rowsText(rows)}, ${sizeText(bytes)}`;
}

/** The sentence above the button; of compressed files also their size in the zip file. */
export function totalSizeText({ datasets, bytes, zip_bytes }: ExportEstimate): string {
  const isWhole = datasets.every(({ rows }) => rows !== null);
  const zip = zip_bytes < bytes ? `, ${sizeText(bytes)} when unpacked` : '';
  return `The zip file will have ${isWhole ? 'about' : 'more than'} ${sizeText(zip_bytes)}${zip}.`;
}

/** Why no size is shown. Without an estimate the export may work as well. */
export function estimateProblem(failure: unknown): string {
  const { code, error, cause, remediation } = problemText(failure);
  if (code === 'dataset_too_slow') return 'The size is not known: it could not be estimated in time.';
  return [error, cause, remediation].join(' ');
}

/** Whether the export would end for lack of space. */
export const isTooLarge = ({ zip_bytes, available_bytes }: ExportEstimate): boolean => zip_bytes > available_bytes;
