import { startLeader } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { startToyUnit } from './toy-unit.ts';

const params = { reactor_unit: 'rx01' };

it('neither follows nor commands a unit with another version of the protocol, and logs that once', async () => {
  await using leader = await startLeader();
  await using unit = await startToyUnit('rx01');
  await leader.client.createExperiment({ body: { experiment: 'a' } });
  await leader.client.registerWorker({ body: params });
  expect((await unit.enrol(leader.url)).status).toBe(200);
  const status = async () => (await leader.client.listUnits()).find(({ reactor_unit }) => reactor_unit === 'rx01');
  await eventually(async () => expect(await status()).toMatchObject({ liveness: 'online', trouble: null }));
  await eventually(async () => expect((await status())?.applied_version).toBe((await status())?.desired_version));
  const told = (text: string) =>
    leader.storedRows('logs').filter(({ message }) => String(message).includes(text)).length;

  unit.protocol = 2;
  unit.append({
    kind: 'event',
    at: 0,
    experiment_uid: '$experiment',
    name: 'of_version_2',
    source: null,
    message: null,
    data: {},
  });
  await eventually(async () => expect(await status()).toMatchObject({ trouble: 'protocol_unsupported' }));
  await eventually(() => expect(told('another version of the protocol')).toBe(1));
  const { puts } = unit;
  await leader.client.assignWorker({ params: { experiment: 'a' }, body: params });
  await eventually(async () => expect((await status())?.desired_version).toBeGreaterThan(unit.document?.version ?? 0));

  for (let attempt = 0; attempt < 3; attempt += 1) {
    const refused = await unit.enrol(leader.url);
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'protocol_unsupported' }]);
  }
  expect(told('with version 2 of the protocol')).toBe(1);
  expect(unit.puts).toBe(puts);
  expect(leader.storedRows('events').filter(({ name }) => name === 'of_version_2')).toEqual([]);

  unit.protocol = 1;
  expect((await unit.enrol(leader.url)).status).toBe(200);
  await eventually(async () => expect(await status()).toMatchObject({ trouble: null, liveness: 'online' }));
  await eventually(() => expect(unit.document?.experiment?.name).toBe('a'));
  await eventually(() => expect(leader.storedRows('events').some(({ name }) => name === 'of_version_2')).toBe(true));
  expect(told('another version of the protocol')).toBe(1);
});
