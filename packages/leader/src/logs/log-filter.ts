import { type LogLevel, logLevels } from '@lcs/contract';
import type { LogCursor } from '../series/log-page.ts';

/** A level in any case; undefined for another text. */
export const levelNamed = (name: string): LogLevel | undefined =>
  logLevels.find((level) => level === name.trim().toUpperCase());

/** The levels from `minLevel` on; an unknown level counts as INFO. */
export const levelsFrom = (minLevel = 'INFO'): readonly LogLevel[] =>
  logLevels.slice(logLevels.indexOf(levelNamed(minLevel) ?? 'INFO'));

/** The filter of a query; an absent field does not filter. */
export interface LogFilter {
  /** Ids of experiments; null is the cluster itself. */
  readonly experiments?: readonly (number | null)[];
  readonly units?: readonly string[];
  readonly levels: readonly LogLevel[];
  /** Entries of this time or later, milliseconds. */
  readonly since?: number;
  /** Only from while this unit was assigned to this experiment, and a little longer. */
  readonly whileAssigned?: { readonly unit: string; readonly experimentId: number };
  readonly before?: LogCursor;
  readonly source?: string;
  readonly search?: string;
  readonly skip: number;
  readonly limit: number;
}

/** Entries this long after the end of an assignment still belong to it: its jobs were just stopping. */
export const graceMs = 5_000;
