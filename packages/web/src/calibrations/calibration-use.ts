import type { LiveJob } from '@lcs/contract';
import { dosingAutomationJob, dosingAutomations, odReadingJob, pumpDevices, stirringJob } from '@lcs/domain';

const pumpsOfDevices: Readonly<Record<string, string>> = {
  media_pump: 'media',
  alt_media_pump: 'alt_media',
  waste_pump: 'waste',
};

/** The job that uses the calibration of a device; undefined: none does all the time. */
function userOf(device: string): string | undefined {
  if (pumpDevices.some((pump) => pump === device)) return dosingAutomationJob.name;
  if (device.startsWith('od')) return odReadingJob.name;
  return device === 'stirring' ? stirringJob.name : undefined;
}

/** The running job of a unit that uses the active calibration of a device; undefined: none. */
export const jobUsing = (
  { unit, device }: { readonly unit: string; readonly device: string },
  jobs: readonly Pick<LiveJob, 'reactor_unit' | 'job_name'>[],
): string | undefined => {
  const user = userOf(device);
  return jobs.some(({ reactor_unit, job_name }) => reactor_unit === unit && job_name === user) ? user : undefined;
};

/** The pump devices that an automation needs calibrated. */
export function devicesNeededBy(automation: string | null): readonly string[] {
  const pumps: readonly string[] = dosingAutomations.find(({ name }) => name === automation)?.pumps ?? [];
  return pumpDevices.filter((device) => pumps.includes(pumpsOfDevices[device] ?? ''));
}
