import type { Permission } from '@lcs/contract';
import { commentText } from './live-event.ts';

/** The request header of a process that receives all events by a broadcast and sends them to its client itself. Its value is `relayed`. */
export const liveDeliveryHeader = 'lcs-live';

/** Where such a process continues. */
export interface LivePosition {
  /** The ID of the last event that the client has. */
  readonly after: string;
  /** Of the client. */
  readonly permissions: readonly Permission[];
}

const begin = ': position ';

/** A comment of the event stream. */
export const positionText = (position: LivePosition): string => commentText(`position ${JSON.stringify(position)}`);

/** @param text a piece of an event stream, up to its empty line */
export function positionOf(text: string): LivePosition | undefined {
  if (!text.startsWith(begin)) return undefined;
  const position: LivePosition = JSON.parse(text.slice(begin.length));
  return position;
}
