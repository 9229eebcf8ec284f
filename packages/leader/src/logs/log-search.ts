import { logLevels } from '@lcs/contract';
import type { LogFilter } from './log-filter.ts';

/** The index contains trigrams; it cannot find shorter texts. */
export const shortestIndexed = 3;

/** The index has one column and no positions: a text is found by all of its trigrams. */
function piecesOf(text: string): readonly string[] {
  const characters = [...text];
  const pieces = new Set<string>();
  for (let at = 0; at + shortestIndexed <= characters.length; at += 1)
    pieces.add(characters.slice(at, at + shortestIndexed).join(''));
  return [...pieces];
}

const quoted = (piece: string): string => `"${piece.replaceAll('"', '""')}"`;

const all = (text: string): string => `(${piecesOf(text).map(quoted).join(' AND ')})`;

const any = (texts: readonly string[]): string => `(${texts.map(all).join(' OR ')})`;

/**
 * The query of the search index (`store/log-search-migration.ts` describes it). It finds all matching entries and perhaps others, with the same
 * trigrams in another order: the rows themselves must be checked.
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

/** A pattern for `like … escape '\'` that contains the text literally. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
