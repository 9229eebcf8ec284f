/** Readings of the wide table, each with its source, in the order of their columns. */
export const activityReadings = [
  {
    column: 'od_reading',
    source: 'od',
    unit: 'OD or AU',
    title: 'Optical density; the highest where several photodiodes measured at once',
  },
  { column: 'od_fused', source: 'od_fused', unit: 'OD', title: 'Optical density fused from several angles' },
  {
    column: 'normalized_od_reading',
    source: 'od_filtered',
    unit: 'nOD',
    title: 'Optical density as a multiple of its start',
  },
  { column: 'temperature_c', source: 'temperature', unit: '°C', title: 'Temperature of the liquid' },
  { column: 'growth_rate', source: 'growth_rate', unit: '1/h', title: 'Estimated growth rate' },
  { column: 'measured_rpm', source: 'stirring_rpm', unit: 'RPM', title: 'Measured speed of the stirrer' },
] as const;

/** LEDs, by the channel that events name. */
export const activityLeds = ['A', 'B', 'C', 'D'].map((channel) => ({
  column: `led_${channel.toLowerCase()}_intensity_update`,
  channel,
  unit: '%',
  title: `New intensity of LED ${channel}`,
}));

/** Volumes, by the event that moved them. */
export const activityVolumes = [
  { column: 'add_media_ml', event: 'add_media', unit: 'mL', title: 'Media added' },
  { column: 'remove_waste_ml', event: 'remove_waste', unit: 'mL', title: 'Liquid removed' },
  { column: 'add_alt_media_ml', event: 'add_alt_media', unit: 'mL', title: 'Alternative media added' },
] as const;
