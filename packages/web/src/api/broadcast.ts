/** Stands for all units in a path, and in a log entry that concerns all of them. */
export const broadcast = '$broadcast';
