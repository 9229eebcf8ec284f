import { hasShape, type Json, nodeApi, RunJob, StopJobs, UpdateJobSettings, unitApi } from '@lcs/contract';
import type { JobFilter } from '@lcs/node';
import type { MemoryUnit } from './memory-unit.ts';

/** A request to a unit, as its leader would send it over HTTP. */
interface UnitRequest {
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly body?: unknown;
}

type Perform = (unit: MemoryUnit, parameter: string, body: unknown) => Json | Promise<Json>;

const jsonOf = (value: object): Json => JSON.parse(JSON.stringify(value));

function expectBody(isValid: boolean, what: string): asserts isValid {
  if (!isValid) throw new RangeError(`The leader sends another body for ${what}.`);
}

const run: Perform = async ({ runtime }, job, body) => {
  expectBody(hasShape(RunJob, body), 'a start');
  const { jobName, generation } = runtime.accept(job, body);
  return jsonOf(await runtime.run(jobName, generation));
};

const update: Perform = async ({ runtime }, jobName, body) => {
  expectBody(hasShape(UpdateJobSettings, body), 'a change');
  const target = { jobName, ...(body.experiment === undefined ? {} : { experiment: body.experiment }) };
  return jsonOf(await runtime.update(target, body.settings, 'http', { confirmsDilution: body.confirm_dilution }));
};

const stop: Perform = async ({ runtime }, _, body) => {
  expectBody(hasShape(StopJobs, body), 'a stop');
  const { job_name, experiment, job_source } = body;
  const filter: JobFilter = {
    ...(job_name && { jobName: job_name }),
    ...(experiment && { experiment }),
    ...(job_source && { jobSource: job_source }),
  };
  return jsonOf(await runtime.stopJobs(filter));
};

/** The routes that profiles use. */
const routes: readonly (readonly [route: { readonly method: string; readonly path: string }, Perform])[] = [
  [nodeApi.runJob, run],
  [nodeApi.updateJobSettings, update],
  [nodeApi.stopJobs, stop],
  [
    nodeApi.getJobSettings,
    ({ runtime }, job) => ({ settings: { ...runtime.settings(job) }, job_id: runtime.newestId(job) }),
  ],
  [unitApi.getBioreactor, ({ ledger }, experiment) => ({ values: { ...ledger.values(experiment) } })],
];

const patterns = routes.map(([{ method, path }, perform]) => ({
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`),
  perform,
}));

/**
 * Carries out a request like the routes of a unit, without HTTP.
 * @throws ApiError as those; RangeError for a request that no profile sends
 */
export async function performOnUnit(unit: MemoryUnit, { method, path, body }: UnitRequest): Promise<Json> {
  for (const { method: own, pattern, perform } of patterns) {
    const match = method === own ? pattern.exec(path) : null;
    if (match) return perform(unit, decodeURIComponent(match[1] ?? ''), body);
  }
  throw new RangeError(`A rehearsed unit has no ${method} ${path}.`);
}
