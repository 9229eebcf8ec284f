import {
  AcceptedTask,
  Backups,
  EnrolmentCode,
  FeedAnswer,
  GrowthDerivation,
  ProfileRun,
  SessionEnvelope,
  Stills,
  Uploaded,
} from '@lcs/contract';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Known, measured, type NodeName, nodeNames, type SeenStill } from './known.ts';
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

const keptStills = 12;
const isAt = (still: SeenStill, place: Omit<SeenStill, 'image_id'>): boolean =>
  still.experiment === place.experiment && still.reactor_unit === place.reactor_unit;

/** What of stills an answer has changed. */
function learnStills(known: Known, node: NodeName, { operation, params, answer }: Change): void {
  const { reactor_unit, experiment = '' } = params;
  const place = { experiment, ...(reactor_unit !== undefined && { reactor_unit }) };
  const without = (image = '') => known.stills[node].filter(({ image_id }) => `${image_id}.jpg` !== image);
  if (Value.Check(Stills, answer)) {
    const elsewhere = known.stills[node].filter((one) => !isAt(one, place));
    const here = answer.stills.map(({ image_id }) => ({ ...place, image_id }));
    known.stills[node] = [...elsewhere, ...here].slice(-keptStills);
  }
  // What was deleted with all others is no more.
  if (/^(deleteUnitStills|deleteExperiment)$/.test(operation))
    known.stills[node] = known.stills[node].filter((one) => one.experiment !== experiment);
  if (/^delete(Unit)?Still$/.test(operation)) known.stills[node] = without(params.image);
  if (/^rename(Unit)?Still$/.test(operation))
    known.stills[node] = [...without(params.image), { ...place, image_id: String(Object(answer).image_id) }];
}

const keptAlarms = 40;

/** Alarms and channels in an answer. */
function learnAlarms(known: Known, { operation, params, answer }: Change): void {
  for (const one of Array.isArray(answer) ? answer : [answer]) {
    const { alarm_id, state } = Object(one);
    if (typeof alarm_id !== 'string' || typeof state !== 'string') continue;
    known.alarms.delete(alarm_id);
    known.alarms.set(alarm_id, state);
  }
  for (const oldest of [...known.alarms.keys()].slice(0, -keptAlarms)) known.alarms.delete(oldest);
  if (operation === 'createAlarmChannel') known.channels = [...known.channels, String(Object(answer).channel_id)];
  if (operation === 'deleteAlarmChannel')
    known.channels = known.channels.filter((channel) => channel !== params.channel_id);
}

/** A missing still is not requested again. */
export function learnRefusal(
  known: Known,
  node: NodeName,
  { params, code }: Pick<Change, 'params'> & { readonly code: unknown },
): void {
  if (code !== 'still_unknown') return;
  known.stills[node] = known.stills[node].filter(({ image_id }) => `${image_id}.jpg` !== params.image);
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
  if (/Alarms?(Channel)?$/.test(operation)) learnAlarms(known, { operation, params, body, answer });
  if (operation === 'listGrowthDerivations' && Value.Check(Type.Array(GrowthDerivation), answer))
    known.derivations = params.experiment === measured ? answer : known.derivations;
  if (operation === 'listAllProfileRuns' && Value.Check(Type.Array(ProfileRun), answer)) known.runs = answer;
  if (Value.Check(Backups, answer)) known.backups = answer.backups.map(({ backup_name }) => backup_name);
  if (operation === 'listEnrolmentCodes' && Value.Check(Type.Array(EnrolmentCode), answer))
    known.codes = answer.map(({ code_id }) => code_id);
  if (operation === 'voidEnrolmentCode') known.codes = known.codes.filter((code) => code !== params.code_id);
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
