import type { LiveJob } from '@lcs/contract';
import { dosingAutomationJob, odReadingJob, pumpDevices, stirringJob } from '@lcs/domain';

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
