import { namedSources } from '@lcs/domain/readings';

/** Readings of the wide table, each with its source, in the order of their columns. */
export const activityReadings = namedSources.flatMap(([source, { unit, activity }]) =>
  activity === undefined ? [] : [{ source, unit, ...activity }],
);

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
  { column: 'add_alt_media_ml', event: 'add_alt_media', unit: 'mL', title: 'Alternative medium added' },
] as const;
