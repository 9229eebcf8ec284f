import type { Alarm } from '@lcs/contract';

/** Whether nobody has acknowledged the alarm yet. */
export const isUnacknowledged = ({ state }: Alarm): boolean => state === 'unacknowledged' || state === 'returned';
