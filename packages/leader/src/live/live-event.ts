import type { LiveEventName } from '@lcs/contract';

/** One event that all readers share, serialised once. */
export interface LiveEvent {
  /** Position within this run, from 1. */
  readonly sequence: number;
  readonly name: LiveEventName;
  /** Events of one topic replace each other for a slow reader. */
  readonly topic: string;
  /** The event in the form of the event stream, with its id. */
  readonly text: string;
}

/** An ID is `<run>-<sequence>`: IDs of an earlier run are not comparable. */
export const eventId = (run: string, sequence: number): string => `${run}-${sequence}`;

/** The sequence in an ID of this run; undefined for any other text. */
export function sequenceOf(run: string, id: string): number | undefined {
  if (!id.startsWith(`${run}-`)) return undefined;
  const digits = id.slice(run.length + 1);
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}

/** `data` on one line, as JSON always is. */
export const eventText = (id: string, name: LiveEventName, data: unknown): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

export const commentText = (comment: string): string => `: ${comment}\n\n`;
