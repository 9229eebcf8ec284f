import { join } from 'node:path';
import {
  createNodePlugins,
  EndedJobsFile,
  type JobEvent,
  type JobFilter,
  type JobOrigin,
  type JobRecordSink,
  JobRuntime,
  type NodePlugins,
  noSources,
  setTopicFilters,
} from '@lcs/node';
import type { Stage } from '@lcs/platform';
import { type OpticalReadings, opticalReadings as opticalReadingsTopic } from '../jobs/shared/optical-reading.ts';
import type { BrokerOutputs } from './broker-stage.ts';
import type { OutputsOutputs } from './outputs-stage.ts';
import type { RecordsOutputs } from './records-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { LeadingRole, UnitRoleInputs } from './unit-role-options.ts';

export interface JobsOutputs {
  /** Later stages register their jobs. */
  readonly runtime: JobRuntime;
  /** The jobs of the unit role alone: not those by which the same node serves the cluster. */
  readonly ownJobs: ReturnType<typeof ownJobs>;
  /** Names of the jobs of the leader role of the same node. */
  readonly leadingJobs: ReadonlySet<string>;
  /** Records an event in the name of a job, also of one that is ending, and publishes it to the jobs of this unit. */
  readonly publishEvent: (job: JobOrigin, event: JobEvent) => void;
  /** When light is measured: jobs that disturb it keep dark. */
  readonly opticalReadings: OpticalReadings;
  readonly plugins: NodePlugins;
}

type Inputs = UnitRoleInputs & TimeOutputs & StorageOutputs & BrokerOutputs & RecordsOutputs & OutputsOutputs;

/** The runtime of the jobs, and the plugins, which add jobs to it before it starts. */
export function jobsStage(inputs: Inputs): Stage<JobsOutputs> {
  const { options, config, outputs, sink } = inputs;
  const { unit, dataFolder, wire, log, leading, tasks, version } = options;
  const leadingJobs = new Set(leading?.jobs);
  const runtime = jobRuntime(inputs, leadingJobs);
  outputs.onLost(({ jobId, error }) => runtime.fail(jobId, error));
  subscribeToSettings(inputs, runtime);
  const opticalReadings = opticalReadingsTopic();
  const plugins = createNodePlugins({
    unit,
    dataFolder,
    version,
    wire,
    holds: options.clock,
    log,
    tasks,
    runtime,
    isLeader: leading !== undefined,
    hasBoard: true,
    optical: opticalReadings,
    config: () => config.view(),
    sources: noSources,
    ...options.plugins,
  });
  const publishEvent = (job: JobOrigin, event: JobEvent): void => {
    sink.event(job, event);
    runtime.topics.events.publish(event.name, event);
  };
  return {
    outputs: {
      runtime,
      leadingJobs,
      publishEvent,
      opticalReadings,
      plugins,
      ownJobs: ownJobs(runtime, leadingJobs),
    },
    services: [plugins.plugins, runtime],
  };
}

function jobRuntime(
  { options, clock, config, assignment, sink, outputs }: Inputs,
  leadingJobs: ReadonlySet<string>,
): JobRuntime {
  const { unit, dataFolder, wire, log, leading, nodeDatabase } = options;
  return new JobRuntime({
    unit,
    database: nodeDatabase,
    clock,
    wire,
    log,
    sink: leading === undefined ? sink : nodeSink(sink, leading, leadingJobs),
    actuators: outputs,
    endedJobs: new EndedJobsFile(join(dataFolder, 'storage', 'ended-jobs'), log),
    facts: () => assignment.facts(),
    config: () => config.view(),
  });
}

/** Applies the settings that MQTT clients publish; a refused setting is logged in the name of its job. */
function subscribeToSettings({ options: { unit, log }, mqtt, mirror, sink }: Inputs, runtime: JobRuntime): void {
  mqtt.subscribe(setTopicFilters(unit), (topic, payload, isRetained) => {
    mirror.jobs
      .handle(runtime, topic, payload, isRetained)
      .then((refusal) => refusal && sink.log(refusal.job, 'ERROR', refusal.message))
      .catch((error: unknown) => log.error('A value of an MQTT client could not be set', { topic, error }));
  });
}

/** On a node with both roles the records of the jobs of the leader role go to the leader role. */
function nodeSink(own: JobRecordSink, leading: LeadingRole, leadingJobs: ReadonlySet<string>): JobRecordSink {
  const of = ({ jobName }: JobOrigin): JobRecordSink => (leadingJobs.has(jobName) ? leading.sink : own);
  return {
    reading: (job, reading) => of(job).reading(job, reading),
    event: (job, event) => of(job).event(job, event),
    log: (job, level, message) => of(job).log(job, level, message),
    state: (job, state) => of(job).state(job, state),
    setting: (job, setting, value, by) => of(job).setting(job, setting, value, by),
  };
}

function ownJobs(runtime: JobRuntime, leadingJobs: ReadonlySet<string>) {
  const isOwn = ({ jobName }: JobOrigin): boolean => !leadingJobs.has(jobName);
  return {
    running: (filter: JobFilter = {}) => runtime.running({ ...filter, servesCluster: false }),
    stopJobs: (filter: JobFilter) => runtime.stopJobs({ ...filter, servesCluster: false }),
    get isUnrecorded() {
      return runtime.isUnrecorded;
    },
    get interrupted() {
      return runtime.interrupted.filter(isOwn);
    },
    get endedActions() {
      return runtime.endedActions.filter(isOwn);
    },
    definition: (name: string) => runtime.definition(name),
    resume: (job: Parameters<JobRuntime['resume']>[0]) => runtime.resume(job),
    isOver: (job: Parameters<JobRuntime['isOver']>[0]) => runtime.isOver(job),
    dropInterrupted: (jobIds: readonly number[]) => runtime.dropInterrupted(jobIds),
  };
}
