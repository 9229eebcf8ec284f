import { jobTitle } from '@lcs/domain';

/** Jobs whose settings have entries of their own. */
export const automationNames: ReadonlySet<string> = new Set([
  'temperature_automation',
  'dosing_automation',
  'led_automation',
]);

export const lowered = (label: string): string =>
  /^[A-Z][a-z]/.test(label) ? `${label.charAt(0).toLowerCase()}${label.slice(1)}` : label;

/** The name of a job in the timeline, with a capital letter. */
export const jobName = (job: string | null): string => (job === null ? 'Job' : jobTitle(job));
