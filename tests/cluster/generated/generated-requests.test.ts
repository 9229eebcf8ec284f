import { leaderApi, nodeRoutes, type RouteDeclaration } from '@lcs/contract';
import { addSlowUnit, type LeaderUnderTest, startLeader, startToyUnit } from '@lcs/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fitting, type Suggestions, unfitting } from './arbitrary-from-schema.ts';
import { PlainModel } from './plain-model.ts';

/** The jobs of a leader without a board are none; job routes have tests of their own, on a unit. */
const api = { ...leaderApi, ...nodeRoutes };
type Operation = Exclude<keyof typeof api, 'followLive'>;

/** An event stream does not end by itself; it has tests of its own. */
const operations = (Object.keys(api) as (keyof typeof api)[]).filter((operation) => operation !== 'followLive');
const requests = Number(process.env.LCS_REQUESTS ?? 8_000);
/** Of successes of each operation; with few requests chance has more to say. */
const leastShare = requests >= 20_000 ? 0.2 : 0.1;
const seed = Number(process.env.LCS_SEED ?? Math.floor(Math.random() * 2 ** 31));

let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader();
});
afterAll(() => leader[Symbol.asyncDispose]());

const experimentNames = Array.from({ length: 30 }, (_, index) => `experiment ${index}`);
const unitNames = Array.from({ length: 8 }, (_, index) => `rx${index}`);
const charts = fc.option(fc.uniqueArray(fc.constantFrom('temperature', 'optical_density', 'current_volume_ml')));

/** Mostly what exists, so that sequences go somewhere. */
const mostly = (existing: Iterable<string>, all: readonly string[]): fc.Arbitrary<string> => {
  const names = [...existing];
  const any = fc.constantFrom(...all);
  return names.length === 0
    ? any
    : fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: any });
};

/** Routes that talk to units: one of them, or all. */
const isFanOut = (operation: Operation): boolean => {
  const { path, responses }: RouteDeclaration = api[operation];
  return /^\/api\/(units|workers)\/\{reactor_unit\}\/(jobs|versions|capabilities)/.test(path) && 202 in responses;
};

const isPost = (operation: Operation): boolean => operation === 'postWorkerLog' || operation === 'postUnitLog';

const moments = fc.constantFrom('2026-05-02T09:00:00Z', '2026-05-02T11:00:00.120+02:00');

/** Queries and bodies that a person or a program would send. */
const usualValues: Suggestions = {
  job: fc.constantFrom('stirring', 'od_reading', 'growth_rate_calculating clear_cache'),
  job_name: fc.constantFrom('stirring', 'od_reading'),
  setting: fc.constantFrom('target_rpm', '$state'),
  settings: fc.constantFrom({ target_rpm: 400 }, { $state: 'sleeping' }, {}),
  options: fc.constantFrom({ target_rpm: 400 }, { 'use-rpm': null }, {}),
  config_overrides: fc.constantFrom([], [['stirring.config', 'pwm_hz', '100']]),
  args: fc.constantFrom([], ['a', '-b']),
  env: fc.constantFrom({}, { JOB_SOURCE: 'mcp', EXPERIMENT: 'forged' }),
  data_source: fc.constant('growth_rates'),
  column: fc.constant('rate'),
  lookback: fc.constantFrom('0', '4', '0.5', '100000', '-1'),
  target_points: fc.constantFrom('1', '2', '720', '2000000', '0'),
  min_level: fc.constantFrom('DEBUG', 'info', 'ERROR', 'LOUD'),
  skip: fc.constantFrom('0', '5', '-1', 'x'),
  limit: fc.constantFrom('1', '100', '1000', '0'),
  before: fc.oneof(moments, fc.constantFrom('1777713240000.40', 'yesterday')),
  search: fc.constantFrom('', 'a', 'assigned', '100 %', '"', '_', "'; drop table logs; --", 'MATCH *', '温度计'),
  source: fc.constantFrom('generated', 'generated', 'ui', ''),
  message: fc.constantFrom('assigned by hand', '100 % "done"'),
  level: fc.constantFrom('INFO', 'debug', 'Critical'),
  timestamp: moments,
  source_: fc.constantFrom('ui', 'robot.1'),
  is_active: fc.constantFrom(1, true, 1, 0, false),
};

/** Each unit is a machine of its own. */
const enrolments = fc.integer({ min: 0, max: unitNames.length - 1 }).map((index) => ({
  reactor_unit: unitNames[index],
  machine_id: `00000000-0000-4000-8000-00000000000${index}`,
  protocol: 1,
  app_version: '26.11.0',
  base_url: null,
  port: 1,
  epoch: `00000000-0000-4000-8000-0000000000e${index}`,
  boot: 1,
  model: null,
}));

function suggestions(operation: Operation, config: string, model: PlainModel): Suggestions {
  const known = mostly(model.workers.keys(), unitNames);
  const all = fc.constant('$broadcast');
  const units = isFanOut(operation) ? fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: all }) : known;
  return {
    ...usualValues,
    experiment:
      operation === 'createExperiment'
        ? mostly(
            experimentNames.filter((name) => !model.experiments.has(name)),
            experimentNames,
          )
        : mostly([...model.experiments.keys(), ...(isPost(operation) ? ['$experiment'] : [])], experimentNames),
    reactor_unit: operation === 'registerWorker' ? fc.constantFrom(...unitNames) : units,
    unit: units,
    label: fc.constantFrom('Control', 'Ramp', 'x', 'y', ''),
    model_name: fc.constantFrom('reactor_40ml', 'reactor_20ml'),
    model_version: fc.constant('1.5'),
    overview_chart_keys: charts,
    reactor_chart_keys: charts,
    code: fc.constantFrom(config, `${config}[x]\na=1\n`, `${config}; – —\n`),
  };
}

/** What works only on a worker that is in the experiment. */
const needsAssignment = /^(unassignWorker|getWorkerExperiment|run|update(Worker|Unit)Job|getWorkerJobSetting)/;

/** One call of an operation: mostly with what fits, sometimes with anything. */
function requestOf(operation: Operation, config: string, model: PlainModel, taskIds: readonly string[]) {
  const route: RouteDeclaration = api[operation];
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values = suggestions(operation, config, model);
  const taskId = fc.constantFrom(...taskIds.slice(-20), 'nothing');
  // One or two dots in an address mean another folder, and with it another route.
  const anyText = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => !/^\.{1,2}$/.test(text));
  const params = fc.record(
    Object.fromEntries(
      names.map((name) => [
        name,
        fc.oneof(
          { weight: 8, arbitrary: name === 'task_id' ? taskId : (values[name] ?? anyText) },
          { weight: 1, arbitrary: anyText },
        ),
      ]),
    ),
  ) as fc.Arbitrary<Record<string, string>>;
  const pairs = [...model.workers].flatMap(([reactor_unit, { experiment, active }]) =>
    experiment && (active || !operation.startsWith('run')) ? [{ reactor_unit, experiment }] : [],
  );
  const together = () => fc.tuple(params, fc.constantFrom(...pairs)).map(([some, pair]) => ({ ...some, ...pair }));
  const matching =
    needsAssignment.test(operation) && pairs.length > 0
      ? fc.oneof({ weight: 8, arbitrary: together() }, { weight: 1, arbitrary: params })
      : params;
  return fc.record({ params: matching, body: bodyOf(operation, values), query: queryOf(operation, values) });
}

function bodyOf(operation: Operation, values: Suggestions): fc.Arbitrary<unknown> {
  const { body }: RouteDeclaration = api[operation];
  if (!body) return fc.constant(undefined);
  const fit = operation === 'enrolUnit' ? enrolments : fitting(body, values);
  return fc.oneof({ weight: 5, arbitrary: fit }, { weight: 1, arbitrary: unfitting(body) });
}

/** Mostly little is asked for; what is asked for need not make sense. */
function queryOf(operation: Operation, values: Suggestions): fc.Arbitrary<Readonly<Record<string, string>>> {
  const { query }: RouteDeclaration = api[operation];
  const parameters = Object.keys(query?.properties ?? {}).map((name) =>
    fc.option(fc.tuple(fc.constant(name), (values[name] ?? fc.string()).map(String)), { freq: 2 }),
  );
  return fc.tuple(...parameters).map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== null)));
}

/** Removing everything is as likely as anything else in the contract, but then nothing would ever be there. */
const weights: Partial<Record<Operation, number>> = {
  createExperiment: 3,
  registerWorker: 4,
  assignWorker: 8,
  deleteExperiment: 4,
  unassignWorker: 2,
  unassignExperimentWorkers: 1,
  unassignAllWorkers: 1,
};
const bag = operations.flatMap((operation) => Array<Operation>(weights[operation] ?? 2).fill(operation));

it(`keeps its promises over ${requests} generated requests (seed ${seed})`, async () => {
  // Tasks that talk to it take their time, so that there is something to cancel.
  await using slow = await addSlowUnit(leader);
  // All other units are one that answers at once.
  await using toy = await startToyUnit('toy');
  const addresses = unitNames.map((name) => `${name}=${toy.address}\n`).join('');
  const code = (await leader.client.getSharedConfig()).replace('[cluster.addresses]\n', `$&${addresses}`);
  await leader.client.saveSharedConfig({ body: { code } });
  const config = await leader.client.getSharedConfig();
  const model = new PlainModel(config);
  const savesBefore = (await leader.client.listSharedConfigHistory()).length;
  const shown = new Map(operations.map((operation) => [operation, { sent: 0, succeeded: 0 }]));
  const taskIds: string[] = [];
  const random = fc.sample(fc.nat(bag.length - 1), { seed, numRuns: requests });
  for (const [index, pick] of random.entries()) {
    const operation = bag[pick] ?? 'listExperiments';
    const [request] = fc.sample(requestOf(operation, config, model, taskIds), { seed: seed + index, numRuns: 1 });
    const { params = {}, body, query = {} } = request ?? {};
    const answer = await leader.api.call(operation, { params, query, ...(body === undefined ? {} : { body }) });
    const route: RouteDeclaration = api[operation];
    const declared = answer.status in route.responses;
    const told = `request ${index}, seed ${seed}: ${operation} ${JSON.stringify({ params, query, body })} → ${answer.status} ${answer.text.slice(0, 300)}`;
    if (answer.status >= 500) throw new Error(`${told}\n${JSON.stringify(leader.log.lines.at(-1))}`);
    const content = answer.expect(answer.status);
    const count = shown.get(operation);
    if (count) count.sent += 1;
    if (count && declared) {
      count.succeeded += 1;
      const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
      try {
        model.apply(operation, params, fields, content);
      } catch (cause) {
        throw new Error(told, { cause });
      }
      if (answer.status === 202 && content instanceof Object && 'task_id' in content)
        taskIds.push(String(content.task_id));
    }
  }
  for (const [operation, { sent, succeeded }] of shown) {
    expect(
      succeeded / Math.max(sent, 1),
      `share of successes of ${operation} (${succeeded} of ${sent})`,
    ).toBeGreaterThan(leastShare);
  }
  await leader.client.removeWorker({ params: { reactor_unit: slow.name } });
  await expectStoreEquals(model, savesBefore);
}, 600_000);

async function expectStoreEquals(model: PlainModel, savesBefore: number): Promise<void> {
  const { client } = leader;
  const listed = await client.listExperiments();
  expect(listed.map(({ experiment }) => experiment).sort()).toEqual([...model.experiments.keys()].sort());
  expect((await client.getLatestExperiment())?.experiment).toBe([...model.experiments.keys()].at(-1));
  for (const { experiment, description, tags, worker_count } of listed) {
    const expected = model.experiments.get(experiment);
    const params = { experiment };
    const assigned = [...model.workers].filter(([, worker]) => worker.experiment === experiment).map(([unit]) => unit);
    expect({ description, tags, worker_count }).toEqual({
      description: expected?.description,
      tags: expected?.tags,
      worker_count: assigned.length,
    });
    expect(await client.getUnitLabels({ params })).toEqual(Object.fromEntries(expected?.labels ?? []));
    expect(await client.getChartPreferences({ params })).toEqual({
      overview_chart_keys: expected?.overview,
      reactor_chart_keys: expected?.reactor,
    });
    const history = await client.listHistoricalAssignments({ params });
    expect(history).toEqual(
      [...(expected?.history ?? [])].sort().map((reactor_unit) => ({
        reactor_unit,
        experiment,
        is_currently_assigned_to_experiment: assigned.includes(reactor_unit) ? 1 : 0,
      })),
    );
  }
  const workers = await client.listAssignments();
  expect(workers).toEqual(
    [...model.workers]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([reactor_unit, { experiment, active }]) => ({ reactor_unit, experiment, is_active: active })),
  );
  const models = (await client.listWorkers()).map(
    ({ reactor_unit, model_name }) => [reactor_unit, model_name] as const,
  );
  expect(new Map(models)).toEqual(new Map([...model.workers].map(([unit, worker]) => [unit, worker.model])));
  expect(await client.getSharedConfig()).toBe(model.config);
  const logged = leader.storedRows('logs').filter((row) => row.source === 'generated' && row.experiment_id === null);
  expect(logged).toHaveLength(model.logged);
  expect(await client.listSharedConfigHistory()).toHaveLength(savesBefore + model.saves);
}
