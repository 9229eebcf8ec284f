import type { DesiredVolumeNote } from '@lcs/contract';
import type { DosingEntry } from '@lcs/domain';

/** An entry that makes the ledger agree with one note, and the state of the notes after it. */
export interface NoteStep {
  readonly entry: Extract<DosingEntry, { kind: 'note' }>;
  readonly source: string;
  /** The time of the note, in milliseconds since 1970; undefined: the note was deleted, or has no time. */
  readonly atMs: number | undefined;
  readonly notes: Readonly<Record<string, number>>;
}

const keyOf = ({ note_id, kind }: DesiredVolumeNote): string => `${kind}:${note_id}`;

/**
 * The entries that make the ledger agree with these notes: new notes, the differences of corrected ones, and
 * the reversals of deleted ones. Order: that of the notes, then the deleted ones.
 */
export function volumeNoteEntries(
  known: Readonly<Record<string, number>>,
  notes: readonly DesiredVolumeNote[],
): readonly NoteStep[] {
  const current = new Map(notes.map((note) => [keyOf(note), note]));
  const keys = [...new Set([...current.keys(), ...Object.keys(known)])];
  const steps: NoteStep[] = [];
  let after = { ...known };
  for (const key of keys) {
    const [kind] = key.split(':');
    const { volume_ml: volumeMl = 0, at: atMs } = current.get(key) ?? {};
    const differenceMl = volumeMl - (known[key] ?? 0);
    if (differenceMl === 0) continue;
    const { [key]: _removed, ...others } = after;
    after = volumeMl === 0 ? others : { ...others, [key]: volumeMl };
    const note = kind === 'media_added' ? 'media_added' : 'sample_taken';
    steps.push({ entry: { kind: 'note', note, volumeMl: differenceMl }, source: `note:${key}`, notes: after, atMs });
  }
  return steps;
}
