import type { JobDeclaration, JobOptions } from './job-declaration.ts';

const sourceOfEvent: JobOptions = { source_of_event: { type: 'string', isDeveloper: true } };

/** Exactly one of `ml`, `duration` (s) and `continuously`. */
const doseOptions: JobOptions = {
  ml: { type: 'float', min: 0 },
  duration: { type: 'float', min: 0 },
  continuously: { type: 'boolean' },
  ...sourceOfEvent,
};

/** Settings: none, so that a card shows their state only. Their descriptors are among those that no card shows. */
const pumpJob = (name: string, help: string, options: JobOptions): JobDeclaration => ({
  name,
  help,
  settings: {},
  options,
  descriptor: null,
});

export const addMediaJob = pumpJob(
  'add_media',
  'Adds medium, by volume, for a time, or until it is stopped.',
  doseOptions,
);
export const addAltMediaJob = pumpJob('add_alt_media', 'Adds the alternative medium.', doseOptions);
export const removeWasteJob = pumpJob('remove_waste', 'Removes liquid down to the end of the waste tube.', doseOptions);

/** `duration`: seconds. */
const circulation: JobOptions = { duration: { type: 'float', min: 0, required: true }, ...sourceOfEvent };
export const circulateMediaJob = pumpJob(
  'circulate_media',
  'Exchanges the liquid for medium, for a time.',
  circulation,
);
export const circulateAltMediaJob = pumpJob(
  'circulate_alt_media',
  'Exchanges the liquid for the alternative medium, for a time.',
  circulation,
);

/** `duration`: seconds at most. A part of the unit's calibrations, which also do it in a guided session. */
export const primePumpJob = pumpJob(
  'prime_pump',
  'Fills the tube of a pump until it is stopped, a minute at most. The volume is taken from the bottle and not added to the vial.',
  {
    pump: { type: 'string', choices: ['media', 'alt_media', 'waste'], required: true },
    duration: { type: 'float', min: 0, max: 60 },
    ...sourceOfEvent,
  },
);

export const pumpsJob = pumpJob(
  'pumps',
  'Runs pumps one after the other: args in pairs, as media 1 waste 1.5 sleep 10 (mL, sleep in seconds).',
  sourceOfEvent,
);

/** Actions that run pumps; several may run at a time. */
export const pumpJobs: readonly JobDeclaration[] = [
  addMediaJob,
  addAltMediaJob,
  removeWasteJob,
  circulateMediaJob,
  circulateAltMediaJob,
  primePumpJob,
  pumpsJob,
];
