import {
  CameraStatus,
  type CamerasOfExperiment,
  hasShape,
  type Liveness,
  ownValue,
  type UnitStatus,
} from '@lcs/contract';
import { roughSpanText } from '@lcs/domain';

/** A remark about a unit that a person should see. */
export interface UnitRemark {
  readonly severity: 'info' | 'warning' | 'error';
  readonly text: string;
}

const troubles: { readonly [Trouble in NonNullable<UnitStatus['trouble']>]: string } = {
  foreign_leader: 'It belongs to another leader. Enrol it here to read from it again.',
  not_enrolled: 'It has not joined this leader. Start it with this leader’s address.',
  feed_epoch_changed: 'Its numbering began anew. It is read again after its next enrolment.',
  protocol_unsupported: 'It speaks another version of the protocol. Install the same version on it and on the leader.',
};

/** Readings on their way are normal; more than this many are a backlog. */
const notableBacklog = 200;
/** Clocks that differ more than this make times hard to compare. */
const notableOffsetMs = 2000;

/**
 * How old a value of a source may be, in milliseconds, before it does not pass for the present one. Temperature is measured
 * every 225 s at the most, when the heater rests.
 */
export const oldAfterMs = (source: string): number => (source === 'temperature' ? 300_000 : 120_000);

const counted = new Intl.NumberFormat('en-GB');

/** What is not as it should be with a unit, the worst first. */
export function unitRemarks(status: UnitStatus, isActive: boolean): readonly UnitRemark[] {
  const remarks: (UnitRemark | false)[] = [
    status.outbox_full && {
      severity: 'error',
      text: 'Its disk is full: new readings are not stored. Free space on the unit.',
    },
    status.trouble !== null && { severity: 'error', text: troubles[status.trouble] },
    status.backlog > notableBacklog && {
      severity: 'warning',
      text:
        status.liveness === 'offline'
          ? `${counted.format(status.backlog)} records were waiting when it was last heard.`
          : `Catching up: ${counted.format(status.backlog)} records to read.`,
    },
    status.clock_offset_ms !== null &&
      Math.abs(status.clock_offset_ms) > notableOffsetMs && {
        severity: 'warning',
        text: `Its clock is ${(Math.abs(status.clock_offset_ms) / 1000).toFixed(0)} s ${status.clock_offset_ms > 0 ? 'ahead of' : 'behind'} the leader’s.`,
      },
    status.desired_version !== status.applied_version &&
      status.liveness !== 'offline' && {
        severity: 'info',
        text: 'Changes of its assignment or configuration are on their way.',
      },
    status.desired_version !== status.applied_version &&
      status.liveness === 'offline' && { severity: 'info', text: 'Changes wait for its return.' },
    !isActive && { severity: 'warning', text: 'It is inactive: no jobs can be started.' },
  ];
  return remarks.filter((remark) => remark !== false);
}

const livenessWords: { readonly [Each in Liveness]: string } = {
  online: 'Online',
  stale: 'Silent',
  offline: 'Offline',
};

/** Whether a unit answers, and since when not. */
export function livenessText(status: UnitStatus | undefined, nowMs: number): string {
  if (status === undefined) return 'Unknown';
  const { liveness, last_heard_at } = status;
  if (last_heard_at === null) return 'Never heard';
  if (liveness === 'online') return livenessWords.online;
  return `${livenessWords[liveness]} for ${roughSpanText(nowMs - Date.parse(last_heard_at))}`;
}

/** The camera of a unit; undefined when it has none, or did not answer. */
export function cameraOf({ cameras }: CamerasOfExperiment, unit: string): CameraStatus | undefined {
  const outcome = ownValue(cameras, unit);
  if (!outcome?.ok || !hasShape(CameraStatus, outcome.value)) return undefined;
  return outcome.value.runtime_available ? outcome.value : undefined;
}
