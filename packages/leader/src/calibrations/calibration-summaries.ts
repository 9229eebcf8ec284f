import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Calibration, CalibrationContent, CalibrationSummary } from '@lcs/contract';
import { calibrationQuality, InvalidCalibrationFile, readCalibration } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';

/** The axis of the calibration that has a range: what is dosed, turned or read; for light the optical density. */
const quantityOf = ({ calibration_type: type, x, y }: CalibrationContent): string =>
  type === 'od' || type === 'od600' ? x : y;

const momentOf = (ms: number | null): string | null => (ms === null ? null : toTimestamp(ms));

/** Undefined: it is of a type that this version cannot read. */
function readable(data: string): CalibrationContent | undefined {
  try {
    return readCalibration(JSON.parse(data));
  } catch (error) {
    if (error instanceof InvalidCalibrationFile) return undefined;
    throw error;
  }
}

/**
 * The calibrations of all workers from the leader's copies: also of units that are off. One that this version cannot read is left
 * out.
 */
export async function calibrationSummaries({
  database,
}: Pick<LeaderContext, 'database'>): Promise<readonly CalibrationSummary[]> {
  const rows = await database.read
    .selectFrom('calibrations')
    .innerJoin('workers', 'workers.reactor_unit', 'calibrations.reactor_unit')
    .select([
      'calibrations.reactor_unit',
      'device',
      'name',
      'type',
      'calibrations.created_at',
      'data',
      'is_current',
      'set_to_current_at',
      'copied_at',
    ])
    .orderBy('calibrations.reactor_unit')
    .orderBy('device')
    .orderBy('created_at', 'desc')
    .execute();
  const summaries: CalibrationSummary[] = [];
  for (const row of rows) {
    // Validating a long one takes a millisecond, and there may be many.
    await turnOfEventLoop();
    const content = readable(row.data);
    if (content === undefined) continue;
    const { points, range, residual, scatter } = calibrationQuality(content);
    const isActive = row.is_current === 1;
    summaries.push({
      reactor_unit: row.reactor_unit,
      device: row.device,
      calibration_name: row.name,
      calibration_type: row.type,
      created_at: toTimestamp(row.created_at),
      is_active: isActive,
      active_since: isActive ? momentOf(row.set_to_current_at) : null,
      points,
      range: range && { quantity: quantityOf(content), low: range[0], high: range[1] },
      residual,
      scatter,
      copied_at: momentOf(row.copied_at),
    });
  }
  return summaries;
}

/** The active calibrations of a device of all workers, from the leader's copies. One that this version cannot read is left out. */
export async function activeCurves(
  { database }: Pick<LeaderContext, 'database'>,
  device: string,
): Promise<readonly Calibration[]> {
  const rows = await database.read
    .selectFrom('calibrations')
    .innerJoin('workers', 'workers.reactor_unit', 'calibrations.reactor_unit')
    .where('device', '=', device)
    .where('is_current', '=', 1)
    .orderBy('calibrations.reactor_unit')
    .select(['calibrations.reactor_unit', 'data'])
    .execute();
  const curves: Calibration[] = [];
  for (const { reactor_unit, data } of rows) {
    // Validating a long one takes a millisecond.
    await turnOfEventLoop();
    const content = readable(data);
    if (content !== undefined) curves.push({ ...content, is_active: true, reactor_unit });
  }
  return curves;
}
