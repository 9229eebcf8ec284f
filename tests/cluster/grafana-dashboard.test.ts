import { readFile } from 'node:fs/promises';
import { startLeader, startUnit } from '@lcs/testkit';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, it, vi } from 'vitest';

const Query = Type.Object({ expr: Type.String(), legendFormat: Type.Optional(Type.String()) });
const Dashboard = Type.Object({
  templating: Type.Object({
    list: Type.Array(
      Type.Object({
        name: Type.String(),
        query: Type.Union([Type.String(), Type.Object({ query: Type.String() })]),
      }),
    ),
  }),
  panels: Type.Array(Type.Object({ id: Type.Integer(), title: Type.String(), targets: Type.Array(Query) })),
});

/** Added by Prometheus to what it scrapes. */
const addedLabels = ['instance'];
const within = { timeout: 20_000, interval: 100 };

/** The labels of each metric in the text format of Prometheus. */
function servedMetrics(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const served = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = served.get(name) ?? new Set(addedLabels);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    served.set(name, known);
  }
  return served;
}

/** Metrics of a query with the labels that it selects by. */
const usesOf = (query: string) =>
  [...query.matchAll(/\b((?:lcs|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.matchAll(/(\w+)\s*=~?/g)].map(([, label = '']) => label),
  }));

it('the example dashboard of Grafana uses metrics and labels that a leader serves, and all of the leader’s own', async () => {
  const file = new URL('../../examples/grafana/lcs-leader.json', import.meta.url);
  const { panels, templating } = Value.Parse(Dashboard, JSON.parse(await readFile(file, 'utf8')));
  await using leader = await startLeader();
  const { client, clock } = leader;
  await using unit = await startUnit({ leaderUrl: leader.url, clock });
  await client.createExperiment({ body: { experiment: 'e' } });
  await client.registerWorker({ body: { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params: { experiment: 'e' }, body: { reactor_unit: 'unit1' } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    within,
  );
  const accepted = await unit.client.runJob({ params: { job: 'od_reading' }, body: {} });
  expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
  const metrics = async () => (await leader.api.call('getMetrics')).expect(200);
  await metrics();
  await clock.advance(30_000);
  await vi.waitFor(async () => expect(await metrics()).toMatch(/^lcs_reading\{.*source="od"/m), within);
  await vi.waitFor(async () => expect(await metrics()).toMatch(/^lcs_jobs\{/m), within);
  const served = servedMetrics(String(await metrics()));

  const variables = new Set(['datasource', 'instance', ...templating.list.map(({ name }) => name)]);
  const queries = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query)),
  ];
  const used = queries.flatMap(usesOf);
  for (const { name, labels } of used) {
    expect(served.has(name), name).toBe(true);
    for (const label of labels) expect(served.get(name), `${name} ${label}`).toContain(label);
  }
  for (const query of queries)
    for (const [, name = ''] of query.matchAll(/\$(\w+)/g)) expect([...variables, '__all'], query).toContain(name);
  for (const { targets, title } of panels)
    for (const { expr, legendFormat = '' } of targets)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(
          usesOf(expr).some(({ name }) => served.get(name)?.has(label)),
          `${title}: ${label}`,
        ).toBe(true);
  const own = [...served.keys()].filter((name) => name.startsWith('lcs_') && !/_(bucket|sum|count)$/.test(name));
  expect(own.filter((name) => !used.some((one) => one.name === name))).toEqual([]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
}, 60_000);
