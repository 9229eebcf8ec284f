/** `ample`: everything is written; `scarce`: everything except samples; `none`: nothing. */
export type FreeSpace = 'ample' | 'scarce' | 'none';

const mebibyte = 1024 * 1024;
const scarceBelowBytes = 64 * mebibyte;
const noneBelowBytes = 16 * mebibyte;

export const freeSpaceOf = (freeBytes: number): FreeSpace => {
  if (freeBytes < noneBelowBytes) return 'none';
  return freeBytes < scarceBelowBytes ? 'scarce' : 'ample';
};

export const fullReason = 'The storage of this unit is full: nothing can be written.';

/** Whether commands are accepted now, and the reason if not, in a sentence for users. */
export type Acceptance = { readonly accepts: true } | { readonly accepts: false; readonly reason: string };

export const acceptanceFor = (space: FreeSpace): Acceptance => {
  switch (space) {
    case 'ample':
      return { accepts: true };
    case 'scarce':
      return { accepts: false, reason: 'The storage of this unit is nearly full: readings are not being kept.' };
    case 'none':
      return { accepts: false, reason: fullReason };
  }
};
