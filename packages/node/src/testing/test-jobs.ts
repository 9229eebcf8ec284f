import type { RunJob } from '@lcs/contract';
import { memoryLog, type TaskTables, taskMigrations, VirtualClock } from '@lcs/platform';
import { startedDatabase, temporaryFolder, testWriter } from '@lcs/platform/testing';
import type { Job, JobContext, JobDefinition } from '../jobs/job-definition.ts';
import { JobRuntime } from '../jobs/job-runtime.ts';
import type { JobRuntimeOptions } from '../jobs/job-runtime-options.ts';
import { type JobTables, jobMigrations } from '../jobs/job-tables.ts';

/** A job controlled by a test. */
export const stirring = (
  start: JobDefinition['start'] = () => ({}),
  changes: Partial<JobDefinition> = {},
): JobDefinition => ({
  name: 'stirring',
  isActuating: true,
  stopGroup: 'heat_and_pwm',
  settings: {
    target_rpm: { type: 'float', min: 0, max: 5000, outside: 'clamp', unit: 'RPM', default: 500 },
    interval: { type: 'float', min: 1, max: 100 },
    enable_dodging_od: { type: 'boolean', default: false },
    measured_rpm: { type: 'json', readOnly: true },
  },
  options: { target_rpm: { type: 'float' }, snapshot: { type: 'boolean' } },
  start,
  ...changes,
});

export interface Tables extends JobTables, TaskTables {}

/** A runtime on a real database and virtual time; `restart` is the view of a new process. */
export async function world(definitions: readonly JobDefinition[], changes: Partial<JobRuntimeOptions> = {}) {
  const folder = await temporaryFolder();
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 10, 21) });
  const log = memoryLog();
  const migrations = [...taskMigrations, ...jobMigrations];
  const writer = testWriter();
  const database = await startedDatabase<Tables>({
    path: folder.file('node.sqlite'),
    migrations,
    holds: clock,
    writer,
  });
  const said: string[] = [];
  const revoked: number[] = [];
  const options: JobRuntimeOptions = {
    unit: 'unit1',
    definitions,
    database,
    clock,
    wire: clock,
    log,
    sink: {
      reading: ({ jobName }, { source, value }) => said.push(`${jobName} reads ${source}=${value}`),
      event: ({ jobName }, { name }) => said.push(`${jobName} event ${name}`),
      log: ({ jobName }, level, message) => said.push(`${jobName} ${level} ${message}`),
      state: ({ jobName }, { kind }) => said.push(`${jobName} is ${kind}`),
      setting: ({ jobName }, name, value, by) => said.push(`${jobName} ${name}=${JSON.stringify(value)} by ${by}`),
    },
    actuators: {
      acquire: async () => ({ set: async () => {}, release: async () => {} }),
      revoke: async (jobId) => {
        revoked.push(jobId);
      },
    },
    facts: () => ({ experiment: { name: 'exp1', uid: 'uid1' }, isActive: true, model: undefined }),
    config: () => ({}),
    ...changes,
  };
  const startRuntime = async (more: Partial<JobRuntimeOptions> = {}) => {
    const runtime = new JobRuntime({ ...options, ...more });
    await runtime.start(new AbortController().signal);
    return runtime;
  };
  const runtime = await startRuntime();
  return {
    clock,
    database,
    log,
    said,
    revoked,
    options,
    runtime,
    startRuntime,
    /** Starts a job past the rate limit. */
    run: async (name: string, body: RunJob = {}, on = runtime) => {
      await clock.advance(1_000);
      const { jobName, generation } = on.accept(name, body);
      return on.run(jobName, generation);
    },
    [Symbol.asyncDispose]: async () => {
      await database.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A start function that passes the context of each start to the test. */
export function contexts(job: (context: JobContext) => Job | Promise<Job> = () => ({})) {
  const seen: JobContext[] = [];
  const start = (context: JobContext) => {
    seen.push(context);
    return job(context);
  };
  const last = (): JobContext => {
    const context = seen.at(-1);
    if (context === undefined) throw new Error('No job was started.');
    return context;
  };
  return { start, last, seen };
}

/** Resolves when the condition is true; store calls run in another thread, so it may take some turns. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 20_000;
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error('It did not come to that.');
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
