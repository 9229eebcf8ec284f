import type { EndReason } from '@lcs/node';

const rules: Readonly<Record<EndReason, string>> = {
  finished: 'The job has ended.',
  stopped: 'The job was stopped.',
  failed: 'The job failed.',
  node_stopped: 'The node stops.',
};

/** Why the outputs of a job are off at its end, for the record of actuations. */
export const endRule = (reason: EndReason): string => rules[reason];
