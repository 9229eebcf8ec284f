import {
  type NoteChange,
  type NoteKind,
  sourceWithoutAccount,
  type TimelineEntry,
  type TimelineKind,
} from '@lcs/contract';
import { plainWords } from '../api/plain-words.ts';
import { localDay, localSecond } from '../time/moment-text.ts';
import { numberFromText, valueText } from '../ui/number-text.ts';
import { isInterface } from '../ui/people.ts';
import { commonWords } from '../words/common.ts';
import { timelineWords } from '../words/timeline.ts';

/** The kinds of entries, in the order of their filters. */
export const kindWords: { readonly [Kind in TimelineKind]: string } = timelineWords.kindWords;

export const noteKindWords: { readonly [Kind in NoteKind]: string } = timelineWords.noteKindWords;

export const noteKinds: readonly NoteKind[] = ['note', 'sample_taken', 'media_added'];

export interface DayOfEntries {
  /** Local date, `2026-05-02`. */
  readonly day: string;
  readonly entries: readonly TimelineEntry[];
}

/** Who caused it; nothing of an automation, which is in the reason. Interfaces stand for a person without an account. */
export function authorText(by: string): string {
  if (isInterface(by)) return commonWords.byPerson(commonWords.unknownPerson);
  // `calibration_session/<id>`: the program and which of its sessions.
  const [, program] = /^([a-z]+(?:_[a-z]+)*)\/[\w-]+$/.exec(by) ?? [];
  if (program !== undefined) return timelineWords.byProgram(plainWords(program));
  return by.includes(':') ? '' : commonWords.byPerson(by);
}

/** Pages of entries as days, newest first, each entry once: live pages overlap. */
export function daysOf(pages: readonly (readonly TimelineEntry[])[]): readonly DayOfEntries[] {
  const seen = new Map(pages.flat().map((entry) => [entry.entry_id, entry]));
  const days = new Map<string, TimelineEntry[]>();
  for (const entry of seen.values()) {
    const day = localDay(Date.parse(entry.at));
    const entries = days.get(day);
    if (entries === undefined) days.set(day, [entry]);
    else entries.push(entry);
  }
  return [...days].map(([day, entries]) => ({ day, entries }));
}

/** The people who have done something, by name; those not signed in are one of them; automations (`dosing:turbidostat`) are none. */
export const peopleOf = (pages: readonly (readonly TimelineEntry[])[]): readonly string[] =>
  [
    ...new Set(
      pages
        .flat()
        .flatMap(({ by }) => (by === null || /[:/]/.test(by) ? [] : [isInterface(by) ? sourceWithoutAccount : by])),
    ),
  ].sort((one, other) => one.localeCompare(other));

/** The window around an entry that shows what led to it and what followed. */
const aroundMs = 30 * 60_000;

/** The window of the charts that shows an entry. */
export function windowAround({ at, since, until }: Pick<TimelineEntry, 'at' | 'since' | 'until'>, nowMs: number) {
  const fromMs = Date.parse(since ?? at) - aroundMs;
  const endMs =
    since === null && until !== null ? Math.min(Date.parse(until), Date.parse(at) + 2 * aroundMs) : Date.parse(at);
  return { fromMs, toMs: Math.min(Math.max(nowMs, fromMs + aroundMs), endMs + aroundMs) };
}

/** The fields of the form of a note, as they are typed. */
export interface NoteDraft {
  readonly kind: NoteKind;
  readonly text: string;
  /** `null`: the whole experiment. */
  readonly unit: string | null;
  /** mL. */
  readonly volume: string;
  /** Local date and time, `2026-05-02T09:14`; empty: now. */
  readonly moment: string;
}

export const emptyDraft: NoteDraft = { kind: 'note', text: '', unit: null, volume: '', moment: '' };

export type NoteFaults = { readonly [Field in keyof NoteDraft]?: string };

const volumeMlOf = (volume: string): number | undefined => numberFromText(volume, undefined, 'mL');

/** What is wrong with a draft, by field. */
export function faultsOf({ kind, text, unit, volume, moment }: NoteDraft, nowMs: number): NoteFaults {
  const at = moment === '' ? nowMs : new Date(moment).getTime();
  const ml = volumeMlOf(volume) ?? Number.NaN;
  return {
    ...(kind === 'note' && text.trim() === '' && { text: timelineWords.textMissing }),
    ...(kind !== 'note' && unit === null && { unit: timelineWords.unitMissing }),
    ...(kind !== 'note' && !(ml > 0 && ml <= 10_000) && { volume: timelineWords.volumeFault }),
    ...(Number.isNaN(at) && { moment: timelineWords.momentFault }),
    ...(at > nowMs + 60_000 && { moment: timelineWords.momentInFuture }),
  };
}

/** The request of a draft without faults; `before` is the draft of the note that it corrects, whose time stays unless it was edited. */
export const noteOf = (
  { kind, text, unit, volume, moment }: NoteDraft,
  before: NoteDraft = emptyDraft,
): NoteChange => ({
  kind,
  text: text.trim(),
  reactor_unit: unit,
  volume_ml: kind === 'note' ? null : (volumeMlOf(volume) ?? null),
  ...(moment !== '' && moment !== before.moment && { timestamp: new Date(moment).toISOString() }),
});

/** The draft that corrects a note. */
export function draftOf({ at, reactor_unit, note }: TimelineEntry): NoteDraft {
  return {
    kind: note?.kind ?? 'note',
    text: note?.text ?? '',
    unit: reactor_unit,
    volume: note?.volume_ml == null ? '' : valueText(note.volume_ml),
    moment: localSecond(Date.parse(at)),
  };
}
