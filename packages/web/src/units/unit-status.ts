import type { Liveness, UnitStatus } from '@lcs/contract';
import { roughSpanText } from '@lcs/domain';
import { countText, fixedText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';

/** A remark about a unit for people. */
export interface UnitRemark {
  readonly severity: 'info' | 'warning' | 'error';
  readonly text: string;
}

const faultTexts: { readonly [Fault in NonNullable<UnitStatus['trouble']>]: string } = unitsWords.faultTexts;

/** Some records on their way are normal; more than this many are a backlog. */
const notableBacklog = 200;
/** Clocks that differ more than this make times hard to compare. */
const notableOffsetMs = 2000;
/** A difference that the travel of messages may have made. */
const clockIsEqualMs = 100;

/** How the clock of a unit differs from that of the leader. */
export function clockDifferenceText(offsetMs: number | null): string {
  if (offsetMs === null) return commonWords.notKnown;
  const awayMs = Math.abs(offsetMs);
  if (awayMs < clockIsEqualMs) return unitsWords.asLeader;
  const amount = awayMs < 10_000 ? `${fixedText(awayMs / 1000, 1)} s` : roughSpanText(awayMs);
  return unitsWords.clockDifference(amount, offsetMs);
}

/** The faults and remarks of a unit, the worst first. */
export function unitRemarks(status: UnitStatus, isActive: boolean): readonly UnitRemark[] {
  const remarks: (UnitRemark | false)[] = [
    status.outbox_full && {
      severity: 'error',
      text: unitsWords.diskFull,
    },
    status.trouble !== null && { severity: 'error', text: faultTexts[status.trouble] },
    status.backlog > notableBacklog && {
      severity: 'warning',
      text:
        status.liveness === 'offline'
          ? unitsWords.recordsWaiting(countText(status.backlog))
          : unitsWords.catchingUp(countText(status.backlog)),
    },
    status.clock_offset_ms !== null &&
      Math.abs(status.clock_offset_ms) > notableOffsetMs && {
        severity: 'warning',
        text: unitsWords.clockDiffers(fixedText(Math.abs(status.clock_offset_ms) / 1000, 0), status.clock_offset_ms),
      },
    status.desired_version !== status.applied_version &&
      status.liveness !== 'offline' && {
        severity: 'info',
        text: unitsWords.changesOnTheirWay,
      },
    status.desired_version !== status.applied_version &&
      status.liveness === 'offline' && { severity: 'info', text: unitsWords.changesWait },
    !isActive && { severity: 'warning', text: unitsWords.itIsInactive },
  ];
  return remarks.filter((remark) => remark !== false);
}

const livenessTexts: { readonly [Each in Liveness]: string } = unitsWords.livenessTexts;

/** Whether the leader receives from a unit, and since when not. */
export function livenessText(status: UnitStatus | undefined, nowMs: number): string {
  if (status === undefined) return unitsWords.unknown;
  const { liveness, last_heard_at } = status;
  if (last_heard_at === null) return unitsWords.neverConnected;
  if (liveness === 'online') return livenessTexts.online;
  return unitsWords.livenessFor(livenessTexts[liveness], roughSpanText(nowMs - Date.parse(last_heard_at)));
}
