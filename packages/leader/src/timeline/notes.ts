import { toTimestamp } from '@lcs/platform';
import { sql } from 'kysely';
import { noteKindOf, shownPhoto } from '../notes/stored-notes.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { type FoundEntry, type TimelineFilter, withoutFacts } from './timeline-source.ts';

const number = (value: number): string => String(Number(value.toPrecision(4)));

function textOf(kind: string, text: string, volumeMl: number | null): string {
  const what =
    kind === 'sample_taken'
      ? `Sample of ${number(volumeMl ?? 0)} mL taken`
      : kind === 'media_added'
        ? `${number(volumeMl ?? 0)} mL of medium added by hand`
        : '';
  return [what, text].filter(Boolean).join(': ');
}

/** Notes and samples of people, at the time that they describe. */
export async function readNotes(reads: LeaderReader, filter: TimelineFilter): Promise<readonly FoundEntry[]> {
  const { experimentId, unit, by, since, until, before, limit } = filter;
  let query = reads
    .selectFrom('experiment_notes')
    .leftJoin('note_photos as p', 'p.note_id', 'id')
    .where('experiment_id', '=', experimentId)
    .select([
      'id',
      'at',
      'kind',
      'text',
      'author',
      'reactor_unit',
      'volume_ml',
      'updated_at',
      'edited_by',
      'version',
      'p.content_type',
      'p.bytes',
      'p.sha256',
    ])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (unit !== undefined) query = query.where('reactor_unit', '=', unit);
  if (by !== undefined) query = query.where('author', '=', by);
  if (since !== undefined) query = query.where('at', '>=', since);
  if (until !== undefined) query = query.where('at', '<', until);
  if (before !== undefined) query = query.where(sql<boolean>`(at, id) < (${before.at}, ${before.id})`);
  return (await query.execute()).map(({ id, at, kind, text, author, reactor_unit, volume_ml, version, ...stored }) => ({
    id,
    at,
    entry: {
      ...withoutFacts,
      entry_id: `note-${id}`,
      kind: 'note',
      at: toTimestamp(at),
      reactor_unit,
      text: textOf(kind, text, volume_ml),
      by: author,
      note: {
        note_id: id,
        kind: noteKindOf(kind),
        text,
        volume_ml,
        photo: shownPhoto(stored),
        version,
        edited_at: stored.updated_at === null ? null : toTimestamp(stored.updated_at),
        edited_by: stored.edited_by,
      },
    },
  }));
}
