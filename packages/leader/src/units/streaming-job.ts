import type { JobDefinition } from '@lcs/node';
import type { UnitFollowers } from './unit-followers.ts';

/** The name of the reading of feeds in similar systems. */
export const streamingJobName = 'mqtt_to_db_streaming';

/**
 * The reading of the units' feeds as a job of the leader's node: clients list it, and stop it to reconnect all feeds. Feeds are read whether or
 * not this job runs, so that no failure of the job can lose a reading.
 */
export const streamingJob = (followers: Pick<UnitFollowers, 'reconnect'>): JobDefinition => ({
  name: streamingJobName,
  help: 'Reads the feeds of the units into the store. Runs always; when it is stopped, all feeds are connected again.',
  isLongRunning: true,
  servesCluster: true,
  isActuating: false,
  stopGroup: 'rest',
  settings: {},
  options: {},
  start: () => ({
    stop: (why) => (why === 'stopped' ? followers.reconnect() : undefined),
  }),
});
