import type { EndReason } from '@lcs/node';
import { actingAccount } from '@lcs/platform';

const rules: Readonly<Record<Exclude<EndReason, 'stopped'>, string>> = {
  finished: 'The job has ended.',
  failed: 'The job failed.',
  node_stopped: 'The node stops.',
};

/** Why the outputs of a job are off at its end, for the record of actuations; of a stop with the account on whose behalf it is done. */
export function endRule(reason: EndReason): string {
  if (reason !== 'stopped') return rules[reason];
  const account = actingAccount();
  return account === null ? 'The job was stopped.' : `The job was stopped by ${account}.`;
}
