import type { Liveness, UnitStatus } from '@lcs/contract';
import { roughSpanText } from '@lcs/domain';
import { countText, fixedText } from '../ui/number-text.ts';

/** A remark about a unit for people. */
export interface UnitRemark {
  readonly severity: 'info' | 'warning' | 'error';
  readonly text: string;
}

const faultTexts: { readonly [Fault in NonNullable<UnitStatus['trouble']>]: string } = {
  foreign_leader: 'It belongs to another leader. Enrol it here to receive its data again.',
  not_enrolled: 'It is not enrolled with this leader. Start it with this leader’s address.',
  feed_epoch_changed: 'Its record numbers have restarted. Its data are received again after its next enrolment.',
  protocol_unsupported: 'It uses another version of the protocol. Install the same version on it and on the leader.',
  revoked: 'Its credentials are revoked: the leader refuses this machine. It joins again with a one-time code.',
};

/** Some records on their way are normal; more than this many are a backlog. */
const notableBacklog = 200;
/** Clocks that differ more than this make times hard to compare. */
const notableOffsetMs = 2000;
/** A difference that the travel of messages may have made. */
const clockIsEqualMs = 100;

/** How the clock of a unit differs from that of the leader. */
export function clockDifferenceText(offsetMs: number | null): string {
  if (offsetMs === null) return 'not known';
  const awayMs = Math.abs(offsetMs);
  if (awayMs < clockIsEqualMs) return 'as the leader';
  const amount = awayMs < 10_000 ? `${fixedText(awayMs / 1000, 1)} s` : roughSpanText(awayMs);
  return `${amount} ${offsetMs > 0 ? 'ahead of' : 'behind'} the leader`;
}

/** The faults and remarks of a unit, the worst first. */
export function unitRemarks(status: UnitStatus, isActive: boolean): readonly UnitRemark[] {
  const remarks: (UnitRemark | false)[] = [
    status.outbox_full && {
      severity: 'error',
      text: 'Its disk is full: new readings are not stored. Free space on the unit.',
    },
    status.trouble !== null && { severity: 'error', text: faultTexts[status.trouble] },
    status.backlog > notableBacklog && {
      severity: 'warning',
      text:
        status.liveness === 'offline'
          ? `${countText(status.backlog)} records were waiting at its last contact.`
          : `Catching up: ${countText(status.backlog)} records left.`,
    },
    status.clock_offset_ms !== null &&
      Math.abs(status.clock_offset_ms) > notableOffsetMs && {
        severity: 'warning',
        text: `Its clock is ${fixedText(Math.abs(status.clock_offset_ms) / 1000, 0)} s ${status.clock_offset_ms > 0 ? 'ahead of' : 'behind'} the leader’s.`,
      },
    status.desired_version !== status.applied_version &&
      status.liveness !== 'offline' && {
        severity: 'info',
        text: 'Changes of its assignment or configuration are on their way.',
      },
    status.desired_version !== status.applied_version &&
      status.liveness === 'offline' && { severity: 'info', text: 'Changes will be applied when the unit reconnects.' },
    !isActive && { severity: 'warning', text: 'It is inactive: no jobs can be started.' },
  ];
  return remarks.filter((remark) => remark !== false);
}

const livenessTexts: { readonly [Each in Liveness]: string } = {
  online: 'Online',
  stale: 'No contact',
  offline: 'Offline',
};

/** Whether the leader receives from a unit, and since when not. */
export function livenessText(status: UnitStatus | undefined, nowMs: number): string {
  if (status === undefined) return 'Unknown';
  const { liveness, last_heard_at } = status;
  if (last_heard_at === null) return 'Never connected';
  if (liveness === 'online') return livenessTexts.online;
  return `${livenessTexts[liveness]} for ${roughSpanText(nowMs - Date.parse(last_heard_at))}`;
}
