import { AcceptedTask, FeedAnswer, SessionEnvelope, Stills, Uploaded } from '@lcs/contract';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import { type Known, type NodeName, nodeNames } from './known.ts';
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

/** What of stills an answer has changed. */
function learnStills(known: Known, node: NodeName, { operation, params, answer }: Change): void {
  const { reactor_unit, experiment = '' } = params;
  const place = { experiment, ...(reactor_unit !== undefined && { reactor_unit }) };
  const without = (image = '') => known.stills[node].filter(({ image_id }) => `${image_id}.jpg` !== image);
  if (Value.Check(Stills, answer)) known.stills[node] = answer.stills.map(({ image_id }) => ({ ...place, image_id }));
  if (/^delete(Unit)?Still$/.test(operation)) known.stills[node] = without(params.image);
  if (/^rename(Unit)?Still$/.test(operation))
    known.stills[node] = [...without(params.image), { ...place, image_id: String(Object(answer).image_id) }];
}

/** Remembers what later requests can make use of. */
export function learn(
  known: Known,
  node: NodeName,
  { operation, params, body, answer }: Change,
  { file }: Given,
): void {
  if (Value.Check(AcceptedTask, answer)) {
    if (answer.unit === nodeNames[node]) known.taskIds[node].add(answer.task_id);
    else known.taskIdsOfWorkers.add({ reactor_unit: answer.unit, task_id: answer.task_id });
  }
  learnStills(known, node, { operation, params, body, answer });
  if (Value.Check(SessionEnvelope, answer)) learnSession(known, node, answer);
  if (Value.Check(FeedAnswer, answer)) known.feed = { epoch: answer.epoch, seq: answer.head_seq };
  if (Value.Check(Uploaded, answer)) {
    if (file?.fileName.startsWith('release')) known.releases[node].add(answer.upload_id);
    if (file?.fileName.endsWith('.js')) known.uploads[node].add(answer.upload_id);
  }
  if (operation === 'enrolUnit') known.enrolled.add(String(body.reactor_unit));
  if (operation === 'removeWorker') known.enrolled.delete(params.reactor_unit ?? '');
  if (operation === 'exportContribDatasets') known.exports.add(String(Object(answer).filename));
}
