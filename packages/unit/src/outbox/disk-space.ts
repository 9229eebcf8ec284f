/** `ample`: everything is written; `scarce`: all but samples; `none`: nothing can be written now. */
export type Room = 'ample' | 'scarce' | 'none';

const mebibyte = 1024 * 1024;
const scarceBelowBytes = 64 * mebibyte;
const noneBelowBytes = 16 * mebibyte;

export const roomFor = (freeBytes: number): Room => {
  if (freeBytes < noneBelowBytes) return 'none';
  return freeBytes < scarceBelowBytes ? 'scarce' : 'ample';
};

export const fullReason = 'The storage of this unit is full: nothing can be written.';

/** Whether commands may be taken now, and if not why, in a sentence for people. */
export type Acceptance = { readonly accepts: true } | { readonly accepts: false; readonly reason: string };

export const acceptanceWith = (room: Room): Acceptance => {
  switch (room) {
    case 'ample':
      return { accepts: true };
    case 'scarce':
      return { accepts: false, reason: 'The storage of this unit is nearly full: readings are not being kept.' };
    case 'none':
      return { accepts: false, reason: fullReason };
  }
};
