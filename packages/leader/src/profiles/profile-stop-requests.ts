import { profileJobName } from '@lcs/contract';
import type { JobFilter, JobRuntime } from '@lcs/node';
import type { Log } from '@lcs/platform';
import type { LeaderBroker } from '../broker/leader-broker.ts';

/** Topics on which MQTT clients request the end of a run. */
const stopTopics = `reactor/+/+/${profileJobName}/+/$state/set`;

/** The run to stop; undefined: not a run of this leader, or not a stop request. */
export function requestedStop(leader: string, topic: string, payload: string): JobFilter | undefined {
  const [, who, experiment, , id = ''] = topic.split('/');
  if ((who !== leader && who !== '$broadcast') || payload !== 'disconnected' || !/^[1-9]\d{0,14}$/.test(id))
    return undefined;
  const run = { jobName: profileJobName, jobId: Number(id) };
  // A run may be stopped without knowing its experiment.
  return !experiment || experiment === '$experiment' ? run : { ...run, experiment };
}

export interface ProfileStopRequestsOptions {
  readonly leader: string;
  readonly broker: Pick<LeaderBroker, 'subscribe'>;
  readonly runtime: Pick<JobRuntime, 'stopJobs'>;
  readonly log: Log;
}

/** Lets MQTT clients stop runs. Call it before the broker starts. */
export function subscribeToProfileStops({ leader, broker, runtime, log }: ProfileStopRequestsOptions): void {
  broker.subscribe(stopTopics, (topic, payload) => {
    const filter = requestedStop(leader, topic, payload);
    if (filter === undefined) return;
    runtime
      .stopJobs(filter)
      .catch((error: unknown) => log.error('A profile could not be stopped', { topic, error: String(error) }));
  });
}
