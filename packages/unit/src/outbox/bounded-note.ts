import type { Json } from '@lcs/contract';
import type { NewNote } from './new-record.ts';

const maxRecordBytes = 16 * 1024;
const maxTextBytes = 8 * 1024;
const shortTextBytes = 256;

/** The text, cut to at most `maxBytes` of UTF-8, `…` included, between characters. */
function cutText(text: string, maxBytes: number): string {
  // No character takes more than 3 bytes per UTF-16 unit.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const kept = Buffer.from(text)
    .subarray(0, maxBytes - 3)
    .toString('utf8');
  return `${kept.replace(/\uFFFD+$/, '')}…`;
}

const cutTexts = (value: Json, maxBytes: number): Json => {
  if (typeof value === 'string') return cutText(value, maxBytes);
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, maxBytes));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, maxBytes)]));
};

const cutNote = (note: NewNote, maxBytes: number): NewNote => {
  switch (note.kind) {
    case 'log':
      return { ...note, message: cutText(note.message, maxBytes), task: cutText(note.task, shortTextBytes) };
    case 'event': {
      const data = Object.fromEntries(Object.entries(note.data).map(([key, item]) => [key, cutTexts(item, maxBytes)]));
      return { ...note, message: note.message === null ? null : cutText(note.message, maxBytes), data };
    }
    case 'setting':
      return { ...note, value: cutTexts(note.value, maxBytes) };
    case 'state':
      return { ...note, reason: note.reason === null ? null : cutText(note.reason, maxBytes) };
    case 'gap':
      return note;
  }
};

const fits = (text: string) => Buffer.byteLength(text) <= maxRecordBytes;

/** The note as JSON of at most 16 KiB: long texts are truncated, and a note that is still too large loses its data. */
export function boundedJson(note: NewNote, unsynced: boolean): string {
  const json = (cut: NewNote) => JSON.stringify(unsynced ? { ...cut, unsynced } : cut);
  const whole = json(cutNote(note, maxTextBytes));
  if (fits(whole)) return whole;
  const short = json(cutNote(note, shortTextBytes));
  if (fits(short)) return short;
  if (note.kind === 'event') return json({ ...cutNote({ ...note, data: {} }, maxTextBytes) });
  if (note.kind === 'setting') return json({ ...note, value: null });
  return short;
}
