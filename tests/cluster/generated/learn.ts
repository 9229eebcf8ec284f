import { AcceptedTask, FeedAnswer, SessionEnvelope, Uploaded } from '@lcs/contract';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Known, NodeName } from './known.ts';
import type { Change } from './plain-model.ts';
import type { Given } from './suggestions/given.ts';

function learnSession(known: Known, node: NodeName, { session, step }: Static<typeof SessionEnvelope>): void {
  known.sessions[node].set(session.session_id, {
    id: session.session_id,
    device: session.target_device,
    isLive: session.status === 'in_progress',
    fields: step?.fields ?? [],
  });
}

/** Remembers what later requests can make use of. */
export function learn(known: Known, node: NodeName, { operation, answer }: Change, { file }: Given): void {
  if (Value.Check(AcceptedTask, answer)) known.taskIds[node].add(answer.task_id);
  if (Value.Check(SessionEnvelope, answer)) learnSession(known, node, answer);
  if (Value.Check(FeedAnswer, answer)) known.feed = { epoch: answer.epoch, seq: answer.head_seq };
  if (Value.Check(Uploaded, answer)) {
    if (file?.fileName.startsWith('release')) known.releases[node].add(answer.upload_id);
    if (file?.fileName.endsWith('.js')) known.uploads[node].add(answer.upload_id);
  }
  if (operation === 'exportContribDatasets') known.exports.add(String(Object(answer).filename));
}
