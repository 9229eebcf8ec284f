/** Failed actions of a run in words, as part of a sentence. */
export const countedFailures = (failed: number): string => `${failed} ${failed === 1 ? 'failure' : 'failures'}`;
