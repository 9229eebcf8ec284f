import { createHash } from 'node:crypto';
import type { DesiredState, DesiredStop } from '@lcs/contract';
import type { UnitFacts } from './unit-facts.ts';

/** All of a document that is compared: another content is another version. */
export type DesiredContent = Omit<DesiredState, 'version' | 'leader_time'>;
type DesiredFile = DesiredContent['config']['own'];

/** The document of a unit as it stands in the book. */
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
}

/** Pure: the document a unit shall have, after the one it had. `facts` undefined: it is no worker, and is let go. */
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
  const { leader, leaderId, shared } = making;
  // A unit that is let go stops everything and forgets the rest: it needs no orders and no files.
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
  };
}

function nextFile(previous: DesiredFile | undefined, text: string): DesiredFile {
  if (previous?.text === text) return previous;
  const sha256 = createHash('sha256').update(text, 'utf8').digest('hex');
  return { version: (previous?.version ?? 0) + 1, sha256, text };
}

/**
 * Orders stand until the unit has reported them; a unit that leaves an experiment is ordered to stop its jobs there. One that
 * was let go and is taken in again may never have heard that it was let go: it is ordered to stop whatever it runs.
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
