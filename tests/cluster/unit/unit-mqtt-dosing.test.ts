import { startLeader, startStandInLeader, startUnit, testExperiment } from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { expect, it, onTestFinished, vi } from 'vitest';

const branch = `reactor/unit1/${testExperiment.name}`;

it('publishes each part of a dose, retains the state of the vial, and stops a pump on request', async () => {
  await using broker = await startLeader();
  await using leader = await startStandInLeader();
  const url = broker.node.mqttUrl ?? '';
  await using unit = await startUnit({ leaderUrl: leader.url, configure: { mqttUrl: () => url } });
  const client = await connectAsync(url);
  onTestFinished(() => client.endAsync());
  const newest = new Map<string, string>();
  const doses: unknown[] = [];
  client.on('message', (topic, payload) => {
    newest.set(topic, payload.toString());
    if (topic === `${branch}/dosing_events`) doses.push(JSON.parse(payload.toString()));
  });
  await client.subscribeAsync(['reactor/unit1/#'], { qos: 2 });
  await leader.put(unit.url);
  const body = { options: { duration: 60, source_of_event: 'UI' } };
  await unit.finished(await unit.client.runJob({ params: { job: 'add_media' }, body }));
  await unit.clock.advance(700);
  await vi.waitFor(() => expect(doses.length).toBe(2), 5_000);
  expect(doses[0]).toEqual({
    volume_change: 0.04555,
    event: 'add_media',
    source_of_event: 'UI',
    entry: 1,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  await client.publishAsync(`${branch}/add_media/$state/set`, 'disconnected', { qos: 1 });
  await vi.waitFor(() => expect(newest.get(`${branch}/add_media/$state`)).toBe('disconnected'), 5_000);
  await vi.waitFor(() => expect(doses.length).toBe(3), 5_000);
  expect(doses[2]).toMatchObject({ volume_change: expect.closeTo(-0.3 * 0.0911, 4), event: 'add_media' });
  await vi.waitFor(
    () => expect(Number(newest.get(`${branch}/bioreactor/current_volume_ml`))).toBeCloseTo(14 + 0.7 * 0.0911, 4),
    5_000,
  );
  // Whoever comes later sees what is retained: the vial, and no dose.
  const late = await connectAsync(url);
  onTestFinished(() => late.endAsync());
  const seen = new Map<string, string>();
  late.on('message', (topic, payload, { retain }) => {
    if (retain) seen.set(topic.slice(branch.length + 1), payload.toString());
  });
  await late.subscribeAsync([`${branch}/#`]);
  const values = [
    ...['alt_media_fraction', 'cumulative_alt_media_added_ml', 'cumulative_media_added_ml'],
    ...['cumulative_waste_removed_ml', 'current_volume_ml', 'efflux_tube_volume_ml'],
  ];
  const shown = () => [...seen.keys()].filter((name) => name.startsWith('bioreactor/')).sort();
  await vi.waitFor(() => expect(shown()).toEqual(values.map((value) => `bioreactor/${value}`)), 5_000);
  expect(seen.has('dosing_events')).toBe(false);
  expect(seen.get('add_media/$state')).toBe('disconnected');
});
