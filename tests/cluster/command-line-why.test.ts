import { runProgram } from '@lcs/cli/testing';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const lcs = (...args: string[]) => runProgram(args);

let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader();
});
afterAll(() => leader[Symbol.asyncDispose]());
const why = (...args: string[]) => lcs('why', ...args, '--url', leader.url);

it('lcs why prints the newest actuations of a unit with their reasons, one per line', async () => {
  expect(await why('rx01')).toMatchObject({ code: 1, err: expect.stringContaining('There is no unit rx01.') });
  await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
  expect(await why('rx01')).toEqual({ code: 0, out: expect.any(String), err: '' });
  const at = Date.parse('2026-05-02T09:14:04.000Z');
  const rule = 'The liquid is at 29.5 ℃, 30 ℃ are wanted.';
  const heating = { output: 'heater', from: 5, to: 6, unit: '%', rule, job_source: 'user' };
  await leader.editStore((database) => {
    const insert = database.prepare(
      `insert into events (experiment_uid, reactor_unit, at, name, source, data, machine_id, boot, mono)
      values ('$experiment', 'rx01', ?, 'actuation', ?, ?, 'm', 1, ?)`,
    );
    insert.run(at, 'temperature_automation:thermostat', JSON.stringify(heating), 1);
    insert.run(at + 1000, 'UI', JSON.stringify({ output: 'led_B', from: 0, to: 20, unit: '%' }), 2);
  });
  const heater =
    '2026-05-02T09:14:04.000Z rx01 The heater went from 5 to 6 %, because the liquid is at 29.5 ℃, 30 ℃ are wanted (by temperature_automation:thermostat).\n';
  const led =
    '2026-05-02T09:14:05.000Z rx01 LED B went from 0 to 20 %, because a person requested it (from the web UI).\n';
  expect(await why('rx01')).toEqual({ code: 0, out: heater + led, err: '' });
  expect(await why('rx01', '-n', '1')).toMatchObject({ out: led });
  expect(await why('rx01', '--output', 'heater')).toMatchObject({ out: heater });
  const { out } = await why('rx01', '--output', 'led_b', '--json');
  expect(JSON.parse(out)).toMatchObject({ output: 'led_B', to: 20, source_of_event: 'UI' });
  expect(await why('rx01', '--output', 'bell')).toMatchObject({ code: 2 });
  expect(await why('rx01', '-n', '0')).toMatchObject({ code: 2 });
});
