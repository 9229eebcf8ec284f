/** The name of each built-in job for people: in the web UI, the event log, alarms and notices. */
export const jobTitles = {
  stirring: 'Stirring',
  od_reading: 'OD reading',
  growth_rate_calculating: 'Growth rate',
  temperature_automation: 'Temperature control',
  dosing_automation: 'Dosing',
  led_automation: 'Light',
  led_intensity: 'Light by hand',
  add_media: 'Adding medium',
  add_alt_media: 'Adding alternative medium',
  remove_waste: 'Removing waste',
  circulate_media: 'Circulating medium',
  circulate_alt_media: 'Circulating alternative medium',
  prime_pump: 'Priming a pump',
  self_test: 'Self-test',
  od_blank: 'Blank measurement',
  stirring_calibration: 'Stirring calibration',
  pump_calibration: 'Pump calibration',
  od_calibration: 'OD calibration',
  temperature_calibration: 'Temperature calibration',
  experiment_profile: 'Profile',
  pumps: 'Pumps',
  monitor: 'Monitor',
  mqtt_to_db_streaming: 'Storing of readings',
} as const;

const titles: ReadonlyMap<string, string> = new Map(Object.entries(jobTitles));

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * The name of a job for people, with a capital letter.
 * @param descriptors those of plugins have their own names; without a descriptor the key in words
 */
export const jobTitle = (
  name: string,
  descriptors: readonly { readonly job_name: string; readonly display_name: string }[] = [],
): string =>
  titles.get(name) ??
  descriptors.find(({ job_name }) => job_name === name)?.display_name ??
  capitalised(name.replaceAll('_', ' '));

/** The same within a sentence: `temperature control`; `OD reading` keeps its capitals. */
export function jobTitleInText(name: string, descriptors?: Parameters<typeof jobTitle>[1]): string {
  const title = jobTitle(name, descriptors);
  return /^[A-Z][a-z]/.test(title) ? `${title.charAt(0).toLowerCase()}${title.slice(1)}` : title;
}
