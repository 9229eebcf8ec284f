import { builtInJobDescriptors } from '@lcs/domain';

/** Jobs whose settings have entries of their own. */
export const automationNames: ReadonlyMap<string, string> = new Map([
  ['temperature_automation', 'Temperature control'],
  ['dosing_automation', 'Dosing'],
  ['led_automation', 'Light'],
]);

/** Jobs whose names say what to do, and not what is done. */
const deedNames: ReadonlyMap<string, string> = new Map([
  ['add_media', 'Adding medium'],
  ['add_alt_media', 'Adding alternative medium'],
  ['remove_waste', 'Removing waste'],
  ['od_calibration', 'OD calibration'],
]);

export const lowered = (label: string): string =>
  /^[A-Z][a-z]/.test(label) ? `${label.charAt(0).toLowerCase()}${label.slice(1)}` : label;

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The name of a job in the timeline, with a capital letter; that of a plugin is its key in words. */
export const jobName = (job: string | null): string =>
  automationNames.get(job ?? '') ??
  deedNames.get(job ?? '') ??
  capitalised(
    builtInJobDescriptors.find(({ job_name }) => job_name === job)?.display_name ?? (job ?? 'job').replaceAll('_', ' '),
  );
