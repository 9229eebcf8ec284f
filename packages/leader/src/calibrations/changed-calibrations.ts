import type { BulkStatement } from '@lcs/platform';
import type { FeedBatch } from '../follower/ingest-port.ts';

/** A time after any change: a copy that is being made does not contain this change. */
const calibrationsDueSql = `insert into calibrations_due (reactor_unit, since) values (?, ?)
  on conflict (reactor_unit) do update set since = max(calibrations_due.since + 1, excluded.since)`;

export const hasCalibrationChange = ({ records }: FeedBatch): boolean =>
  records.some(({ record }) => record.kind === 'event' && record.name === 'calibration');

/** In the batch's transaction: a stored change is copied, also after a restart. */
export const changedCalibrations = (batch: FeedBatch, nowMs: number): readonly BulkStatement[] =>
  hasCalibrationChange(batch) ? [{ sql: calibrationsDueSql, rows: [[batch.unit, Math.floor(nowMs)]] }] : [];
