/** Changes when older programs cannot read new capsules. */
export const capsuleFormat = 1;

/** The files of a capsule whose content the program reads. */
export const capsuleFiles = {
  crate: 'ro-crate-metadata.json',
  manifest: 'manifest-sha256.txt',
  versions: 'versions.json',
  samples: 'data/samples.parquet',
  growth: 'results/growth_curves.json',
} as const;

export const tableFile = (table: string): string => `data/${table}.jsonl`;

/** A table of the leader's store; `where` selects the rows of an experiment (?1 is its ID, ?2 its UID). */
interface CapsuleTable {
  readonly name: string;
  readonly where: string;
  readonly description: string;
}

const ofExperiment = 'experiment_id = ?1';
const ofSeries = 'series_id in (select id from main.series where experiment_uid = ?2)';
const ofRun = 'run_id in (select id from main.profile_runs where experiment_id = ?1)';

/**
 * The stored rows of an experiment, in an order in which they can be inserted. Accounts, sessions, tokens, keys, alarm channels and the
 * audit are never part of a capsule.
 */
export const capsuleTables: readonly CapsuleTable[] = [
  { name: 'experiments', where: 'id = ?1', description: 'The experiment' },
  { name: 'experiment_tags', where: ofExperiment, description: 'Its tags' },
  { name: 'unit_labels', where: ofExperiment, description: 'Labels of units' },
  { name: 'replicate_group_versions', where: ofExperiment, description: 'Replicate groups and their history' },
  { name: 'assignment_history', where: ofExperiment, description: 'Assignments of units, with start and end' },
  { name: 'experiment_notes', where: ofExperiment, description: 'Notes of people' },
  { name: 'logs', where: ofExperiment, description: 'Event log' },
  {
    name: 'profile_runs',
    where: ofExperiment,
    description: 'Runs of experiment profiles, with the text of each profile',
  },
  { name: 'profile_steps', where: ofRun, description: 'Steps of these runs' },
  { name: 'profile_items', where: ofRun, description: 'Actions of these runs' },
  { name: 'profile_changes', where: ofRun, description: 'Changes that people made to these runs' },
  { name: 'events', where: 'experiment_uid = ?2', description: 'Events of units: doses, actuations, automations' },
  {
    name: 'derivations',
    where: 'id in (select derivation_id from main.series where experiment_uid = ?2)',
    description: 'Filters with their version and parameters',
  },
  {
    name: 'series',
    where: 'experiment_uid = ?2',
    description: 'Series of readings: unit, source, photodiode, filter',
  },
  {
    name: 'series_context',
    where: ofSeries,
    description: 'Calibrations (name, SHA-256) and LED intensities of series',
  },
  {
    name: 'calibrations',
    where: 'reactor_unit in (select unit from main.series where experiment_uid = ?2)',
    description: 'Calibrations of the units',
  },
];
