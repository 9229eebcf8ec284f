import { createHash } from 'node:crypto';
import { hasShape, type Json, ProfileRunBeginning } from '@lcs/contract';
import { programVersion, toTimestamp } from '@lcs/platform';
import type { LeaderReader } from '../queries/experiments.ts';

const instant = (ms: number | null): string | null => (ms === null ? null : toTimestamp(ms));

/** The versions and the active calibrations of these units now, as the leader knows them. */
export async function runBeginning(database: LeaderReader, units: readonly string[]): Promise<ProfileRunBeginning> {
  const enrolled = await database
    .selectFrom('enrolments')
    .where('reactor_unit', 'in', units)
    .select(['reactor_unit', 'app_version'])
    .execute();
  const calibrations = await database
    .selectFrom('calibrations')
    .where('reactor_unit', 'in', units)
    .where('is_current', '=', 1)
    .select(['reactor_unit', 'device', 'name', 'type', 'created_at', 'data', 'copied_at'])
    .orderBy('device')
    .orderBy('name')
    .execute();
  return {
    leader_version: programVersion,
    units: units.map((unit) => ({
      reactor_unit: unit,
      app_version: enrolled.find(({ reactor_unit }) => reactor_unit === unit)?.app_version ?? null,
      calibrations: calibrations
        .filter(({ reactor_unit }) => reactor_unit === unit)
        .map(({ device, name, type, created_at, data, copied_at }) => ({
          device,
          name,
          type,
          created_at: toTimestamp(created_at),
          hash: createHash('sha256').update(data).digest('hex'),
          copied_at: instant(copied_at),
        })),
    })),
  };
}

/** From its JSON; null: it was not stored. */
export function storedBeginning(json: string | null): ProfileRunBeginning | null {
  if (json === null) return null;
  const value: Json = JSON.parse(json);
  return hasShape(ProfileRunBeginning, value) ? value : null;
}
