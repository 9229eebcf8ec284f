import { createHash } from 'node:crypto';
import type { DesiredState, DesiredStop } from '@lcs/contract';
import type { UnitFacts } from './unit-facts.ts';

/** All of a document that is compared: another content is another version. */
export type DesiredContent = Omit<DesiredState, 'version' | 'leader_time'>;
type DesiredFile = DesiredContent['config']['own'];

/** The document of a unit as it is stored. */
export interface KeptDesired {
  readonly version: number;
  readonly content: DesiredContent;
}

/** What all documents share, and where their ids and moments come from. */
export interface DesiredMaking {
  readonly leader: string;
  readonly leaderId: string;
  /** Text of the shared configuration file. */
  readonly shared: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly newId: () => string;
  /** Units then accept requests of their leader only. */
  readonly hasPeople: boolean;
}

/** Pure: the document a unit shall have, after the one it had. `facts` undefined: it is no worker, and is released. */
export function nextDesired(
  previous: KeptDesired | undefined,
  facts: UnitFacts | undefined,
  endedStops: ReadonlySet<string>,
  making: DesiredMaking,
): KeptDesired | undefined {
  if (facts === undefined && previous === undefined) return undefined;
  const content = contentOf(previous?.content, facts, endedStops, making);
  if (previous && JSON.stringify(previous.content) === JSON.stringify(content)) return previous;
  return { version: (previous?.version ?? 0) + 1, content };
}

function contentOf(
  previous: DesiredContent | undefined,
  facts: UnitFacts | undefined,
  endedStops: ReadonlySet<string>,
  making: DesiredMaking,
): DesiredContent {
  const { leader, leaderId, shared, hasPeople } = making;
  // A unit that is released stops everything and forgets the rest: it needs no orders and no files.
  return {
    leader,
    leader_id: leaderId,
    standing: facts ? 'member' : 'released',
    active: facts?.isActive ?? false,
    experiment: facts?.experiment ?? null,
    model: facts?.model ?? null,
    config: {
      shared: nextFile(previous?.config.shared, facts ? shared : ''),
      own: nextFile(previous?.config.own, facts?.own ?? ''),
    },
    stop: facts ? nextStops(previous, facts, endedStops, making) : [],
    ...(hasPeople && { has_people: true }),
    ...(facts && facts.volumeNotes.length > 0 && { volume_notes: [...facts.volumeNotes] }),
  };
}

function nextFile(previous: DesiredFile | undefined, text: string): DesiredFile {
  if (previous?.text === text) return previous;
  const sha256 = createHash('sha256').update(text, 'utf8').digest('hex');
  return { version: (previous?.version ?? 0) + 1, sha256, text };
}

/**
 * Orders stand until the unit has reported them; a unit that leaves an experiment is ordered to stop its jobs there. One that
 * was removed and is added again may not know that it was removed: it is ordered to stop whatever it runs.
 */
function nextStops(
  previous: DesiredContent | undefined,
  { experiment }: UnitFacts,
  endedStops: ReadonlySet<string>,
  { now, newId }: DesiredMaking,
): DesiredStop[] {
  const standing = (previous?.stop ?? []).filter(({ stop_id }) => !endedStops.has(stop_id));
  const left = previous?.experiment?.uid;
  const isBack = previous?.standing === 'released';
  if (!isBack && (left === undefined || left === experiment?.uid)) return standing;
  const order: DesiredStop = {
    stop_id: newId(),
    experiment_uid: isBack ? null : (left ?? null),
    job_name: null,
    job_source: null,
    reason: isBack ? 'released' : experiment ? 'reassigned' : 'unassigned',
    issued_at: now,
  };
  return [...standing, order];
}

/** A stop that a person has asked for. */
export interface PersonsStop {
  /** Null: of any experiment. */
  readonly experimentUid: string | null;
  /** Null: all jobs. */
  readonly jobName: string | null;
  /** Those of this group; `jobName` is then none of a job. */
  readonly stopGroup?: 'pumps';
}

const byPerson = 'stopped';

const isSameStop = (order: DesiredStop, { experimentUid, jobName, stopGroup }: PersonsStop): boolean =>
  order.reason === byPerson &&
  order.experiment_uid === experimentUid &&
  order.job_name === jobName &&
  order.stop_group === stopGroup;

/**
 * Pure: with a stop that did not reach the unit as an order. It takes the place of the same stop before: the unit
 * may have carried that one out without having reported it. A unit that is removed stops everything anyway.
 */
export function withStopOrder(
  kept: KeptDesired,
  stop: PersonsStop,
  { now, newId }: Pick<DesiredMaking, 'now' | 'newId'>,
): KeptDesired {
  if (kept.content.standing === 'released') return kept;
  const order: DesiredStop = {
    stop_id: newId(),
    experiment_uid: stop.experimentUid,
    job_name: stop.jobName,
    job_source: null,
    ...(stop.stopGroup !== undefined && { stop_group: stop.stopGroup }),
    reason: byPerson,
    issued_at: now,
  };
  return withStops(kept, [...kept.content.stop.filter((each) => !isSameStop(each, stop)), order]);
}

/**
 * Pure: without the orders of persons to stop this very job, which is wanted again. Orders that are for other jobs too stay.
 */
export function withoutStopOrders(
  kept: KeptDesired,
  { experimentUid, jobName }: { readonly experimentUid: string | null; readonly jobName: string },
): KeptDesired {
  const stop = kept.content.stop.filter(
    (each) => !isSameStop(each, { experimentUid, jobName }) && !isSameStop(each, { experimentUid: null, jobName }),
  );
  return stop.length === kept.content.stop.length ? kept : withStops(kept, stop);
}

/** Whether an order is for all jobs of the experiment, for all jobs, or for a group of them. */
export const isOrderedToStopMore = ({ content }: KeptDesired, experimentUid: string | null): boolean =>
  content.stop.some(
    (each) =>
      (each.job_name === null || each.stop_group !== undefined) &&
      (each.experiment_uid === null || each.experiment_uid === experimentUid),
  );

const withStops = ({ version, content }: KeptDesired, stop: DesiredStop[]): KeptDesired => ({
  version: version + 1,
  content: { ...content, stop },
});
