import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addToyUnit,
  type LeaderUnderTest,
  startLeader,
  type ToyUnit,
  type ToyUnitOptions,
  temporaryFolder,
} from '@lcs/testkit';
import { observe } from '../../observe.ts';

export const experiment = 'exp 1';

/** A profile of one job with these actions, each a line of YAML. */
export const profileOf = (actions: readonly string[], more = ''): string => `version: "1.0"
experiment_profile_name: steps
common:
  jobs:
    stirring:
      actions:
${actions.map((action) => `        - ${action}`).join('\n')}
${more}`;

/** Puts a profile into the leader's folder, as a person would. */
export const putProfile = (leader: LeaderUnderTest, file: string, text: string) =>
  writeFile(join(leader.dataFolder, 'experiment_profiles', file), text);

/** Starts a profile; one start of a name is taken each second, by the real clock. Returns the id of its job. */
export async function runProfile(leader: LeaderUnderTest, file: string, options: object = {}): Promise<number> {
  const body = { args: ['execute', file, experiment], options };
  let answer = await leader.api.call('runJob', { params: { job: 'experiment_profile' }, body });
  while (answer.status === 429)
    answer = await leader.api.call('runJob', { params: { job: 'experiment_profile' }, body });
  const task = await leader.finished(answer.expect(202));
  if (task.status !== 'succeeded') throw new Error(`The profile did not start: ${JSON.stringify(task)}`);
  const { result } = task;
  if (typeof result !== 'object' || result === null || !('job_id' in result)) throw new Error('It has no job.');
  return Number(result.job_id);
}

export const runningProfiles = (leader: LeaderUnderTest) =>
  leader.client.listRunningProfiles({ params: { experiment } });

/** Messages of the event log about profiles, oldest first: `LEVEL unit message`. */
export const profileLog = (leader: LeaderUnderTest): readonly string[] =>
  leader
    .storedRows('logs')
    .filter(({ task, experiment: of }) => task === 'experiment_profile' && of === experiment)
    .map(({ level, reactor_unit, message }) => `${level} ${reactor_unit} ${message}`);

/** A command to a unit as a short text. */
export const orders = ({ requests }: ToyUnit): readonly string[] =>
  requests.flatMap(({ method, path, body }) => {
    // The check before a start only reads which jobs run.
    if (!path.startsWith('/unit_api/jobs/') || path === '/unit_api/jobs/running') return [];
    const what = decodeURIComponent(path.replace('/unit_api/jobs/', ''));
    return [`${method} ${what} ${JSON.stringify(body)}`];
  });

/** Makes workers of the experiment. */
export async function assign(leader: LeaderUnderTest, units: readonly string[]): Promise<void> {
  for (const reactor_unit of units)
    await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
}

/** What the task that an answer has accepted came to. */
export async function resultOf(leader: LeaderUnderTest, accepted: unknown): Promise<unknown> {
  const task = await leader.finished(accepted);
  if (task.status !== 'succeeded') throw new Error(`The task ${task.status}: ${JSON.stringify(task)}`);
  return task.result;
}

/** A leader with so many units, all assigned to the experiment. */
export async function leaderWith(count: number): Promise<{ leader: LeaderUnderTest; units: readonly ToyUnit[] }> {
  const leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment } });
  const units: ToyUnit[] = [];
  for (let i = 1; i <= count; i += 1) units.push(await addToyUnit(leader, `rx${String(i).padStart(2, '0')}`));
  await assign(
    leader,
    units.map(({ name }) => name),
  );
  return { leader, units };
}

/** Ends what `leaderWith` has started. */
export async function gone(leader: LeaderUnderTest, units: readonly ToyUnit[]): Promise<void> {
  await leader[Symbol.asyncDispose]();
  for (const unit of units) await unit[Symbol.asyncDispose]();
}

/** A run of `p.yaml` on `rx01` that has begun, of a leader that may start again. */
export interface BegunRun extends AsyncDisposable {
  /** To be stopped by the test. */
  readonly first: LeaderUnderTest;
  readonly unit: ToyUnit;
  /** Of its job. */
  readonly id: number;
  /** The same leader once more, on the same clock. */
  again(): Promise<LeaderUnderTest>;
}

/** Begins a profile of this text. The folder of its leader stays until the run is disposed of. */
export async function beginRun(text: string, options: ToyUnitOptions = {}): Promise<BegunRun> {
  await using cleanUp = new AsyncDisposableStack();
  const { path: dataFolder } = cleanUp.use(await temporaryFolder('profiles'));
  const first = await startLeader({ dataFolder, observe });
  await first.client.createExperiment({ body: { experiment } });
  const unit = cleanUp.use(await addToyUnit(first, 'rx01', options));
  await assign(first, ['rx01']);
  await putProfile(first, 'p.yaml', text);
  const id = await runProfile(first, 'p.yaml');
  const held = cleanUp.move();
  return {
    first,
    unit,
    id,
    again: () => startLeader({ dataFolder, clock: first.clock, observe }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
