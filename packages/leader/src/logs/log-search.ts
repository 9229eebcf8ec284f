import { logLevels } from '@lcs/contract';
import type { LogFilter } from './log-filter.ts';

/** The index knows pieces of three letters; shorter texts it cannot find. */
export const shortestIndexed = 3;

/** The whole index has one column and no positions: a text is found by the pieces it is made of, all of them. */
function piecesOf(text: string): readonly string[] {
  const letters = [...text];
  const pieces = new Set<string>();
  for (let at = 0; at + shortestIndexed <= letters.length; at += 1)
    pieces.add(letters.slice(at, at + shortestIndexed).join(''));
  return [...pieces];
}

const quoted = (piece: string): string => `"${piece.replaceAll('"', '""')}"`;

const all = (text: string): string => `(${piecesOf(text).map(quoted).join(' AND ')})`;

const any = (texts: readonly string[]): string => `(${texts.map(all).join(' OR ')})`;

/**
 * The question to the search index (`store/log-search-migration.ts` says what is in it). It finds all entries that the filter
 * wants and perhaps others, whose pieces stand in another order: the rows themselves have to be looked at.
 */
export function searchQuestion({ experiments, units, levels, source, search }: LogFilter): string {
  const parts = [
    ...(search ? [all(search)] : []),
    ...(source ? [all(`|s${source}|`)] : []),
    ...(experiments ? [any(experiments.map((id) => `|e${id ?? '$'}|`))] : []),
    ...(units ? [any(units.map((unit) => `|u${unit}|`))] : []),
    ...(levels.length < logLevels.length ? [any(levels.map((level) => `|${logLevels.indexOf(level)}|`))] : []),
  ];
  return parts.join(' AND ');
}

/** A pattern for `like … escape '\'` that contains the text as it is. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
