import { ApiError, type NoteCreation, type NoteKind } from '@lcs/contract';
import { validateUnitName } from '@lcs/domain';
import { parseTimestamp } from '../core/timestamps.ts';

/** A validated note. */
export interface Note {
  readonly kind: NoteKind;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly author: string | null;
  readonly reactor_unit: string | null;
  readonly volume_ml: number | null;
}

/** Tolerance for the difference between the clocks of people and of the leader. */
const aheadMs = 60_000;

const wrong = (cause: string): ApiError<'note_invalid'> => new ApiError('note_invalid', { cause });

function momentOfNote(text: string | null | undefined, otherwise: number, now: number): number {
  if (text === undefined || text === null) return otherwise;
  const at = parseTimestamp(text);
  if (at === undefined || at < 0) {
    throw wrong(`timestamp '${text}' is no moment with a zone, such as 2026-05-02T09:14:03.120Z.`);
  }
  if (at > now + aheadMs) throw wrong(`timestamp '${text}' is in the future.`);
  return at;
}

const textOr = (value: string | null | undefined): string | null => value?.trim() || null;

function unitOr(value: string | null | undefined): string | null {
  if (value === undefined || value === null) return null;
  const validation = validateUnitName(value);
  if (!validation.ok) throw wrong(`'${value}' is not the name of a unit. ${validation.cause}`);
  return validation.name;
}

/**
 * The note after a request; `before` is the present note, whose values remain where the request has none.
 * @param now milliseconds
 * @throws ApiError note_invalid
 */
export function acceptedNote(sent: NoteCreation, now: number, before?: Note): Note {
  const kind = sent.kind ?? before?.kind ?? 'note';
  const text = (sent.text ?? before?.text ?? '').trim();
  const reactor_unit = sent.reactor_unit === undefined ? (before?.reactor_unit ?? null) : unitOr(sent.reactor_unit);
  const volume_ml = sent.volume_ml === undefined ? (before?.volume_ml ?? null) : sent.volume_ml;
  if (!text.isWellFormed()) throw wrong('text holds half a character.');
  if (kind === 'note' && text === '') throw wrong('text is empty.');
  if (kind === 'note' && volume_ml !== null) throw wrong('A note of kind note has no volume_ml.');
  if (kind !== 'note' && volume_ml === null) throw wrong(`A note of kind ${kind} needs volume_ml.`);
  if (kind !== 'note' && reactor_unit === null) throw wrong(`A note of kind ${kind} needs reactor_unit.`);
  return {
    kind,
    text,
    reactor_unit,
    volume_ml,
    at: momentOfNote(sent.timestamp, before?.at ?? now, now),
    author: sent.author === undefined ? (before?.author ?? null) : textOr(sent.author),
  };
}

const titles: Readonly<Record<Exclude<NoteKind, 'note'>, string>> = {
  sample_taken: 'Sample taken',
  media_added: 'Media added',
};

/** The note as an entry of the event log has it. */
export function noteAsLog({ kind, text, volume_ml, author }: Note): string {
  const what = kind === 'note' ? '' : `${titles[kind]}, ${volume_ml} mL`;
  const message = [what, text].filter(Boolean).join(': ');
  return author === null ? message : `${message} (${author})`;
}
