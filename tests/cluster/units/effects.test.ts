import type { UnitStatus } from '@lcs/contract';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { startToyUnit, type ToyUnit } from './toy-unit.ts';

let leader: LeaderUnderTest;
let unit: ToyUnit;
const params = { reactor_unit: 'rx01' };

beforeEach(async () => {
  leader = await startLeader();
  unit = await startToyUnit('rx01');
  await leader.client.createExperiment({ body: { experiment: 'a' } });
  await leader.client.registerWorker({ body: params });
  await unit.enrol(leader.url);
  await leader.client.assignWorker({ params: { experiment: 'a' }, body: params });
  await eventually(() => expect(unit.document?.experiment?.name).toBe('a'));
});
afterEach(async () => {
  await unit.goDown();
  await leader[Symbol.asyncDispose]();
});

const status = async (): Promise<UnitStatus | undefined> =>
  (await leader.client.listUnits()).find(({ reactor_unit }) => reactor_unit === 'rx01');
const messages = () => leader.storedRows('logs').map(({ message }) => String(message));

describe('the document of a unit', () => {
  it('contains the chosen model', async () => {
    await leader.client.setWorkerModel({ params, body: { model_name: 'reactor_40ml', model_version: '1.5' } });
    await eventually(() =>
      expect(unit.document?.model).toMatchObject({ model_version: '1.5', max_temp_to_shutdown: expect.any(Number) }),
    );
  });

  it('contains the shared configuration, verbatim, with the ports of the leader', async () => {
    const text = await leader.client.getSharedConfig();
    expect(text).toContain(`\nport=${new URL(leader.url).port}\n`);
    expect(unit.document?.config.shared).toMatchObject({ text });
    const code = `${text}\n[new]\nkey=100%%\n`;
    await leader.client.saveSharedConfig({ body: { code } });
    await eventually(() => expect(unit.document?.config.shared.text).toBe(code));
  });

  it('states that the unit is free, inactive or released', async () => {
    await leader.client.unassignWorker({ params: { ...params, experiment: 'a' } });
    await eventually(() => expect(unit.document).toMatchObject({ experiment: null, active: true, stop: [] }));
    await leader.client.setWorkerActivation({ params, body: { is_active: 0 } });
    await eventually(() => expect(unit.document?.active).toBe(false));
    await leader.client.removeWorker({ params });
    await eventually(() => expect(unit.document?.standing).toBe('released'));
  });

  it('states that all units are free when all are unassigned or the experiment is deleted', async () => {
    await leader.client.unassignAllWorkers();
    await eventually(() => expect(unit.document?.experiment).toBeNull());
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: params });
    await eventually(() => expect(unit.document?.experiment?.name).toBe('a'));
    await leader.client.unassignExperimentWorkers({ params: { experiment: 'a' } });
    await eventually(() => expect(unit.document?.experiment).toBeNull());
    await leader.client.assignWorker({ params: { experiment: 'a' }, body: params });
    await eventually(() => expect(unit.document?.experiment?.name).toBe('a'));
    await leader.client.deleteExperiment({ params: { experiment: 'a' } });
    await eventually(() => expect(unit.document).toMatchObject({ experiment: null, stop: [] }));
  });
});

describe('the reports of a unit about its document', () => {
  it('are logged once if it could not apply a part', async () => {
    unit.failing = { model: 'This board has no heater.' };
    await leader.client.setWorkerActivation({ params, body: { is_active: 0 } });
    const complaint = 'rx01 could not apply all of its document. model: This board has no heater.';
    await eventually(() => expect(messages()).toContain(complaint));
    // A stop that does not arrive would be an order, and so another document.
    await eventually(() => expect(unit.log).toContain('stop'));
    await unit.restart();
    const { puts } = unit;
    await unit.enrol(leader.url);
    await eventually(() => expect(unit.puts).toBeGreaterThan(puts));
    expect(messages().filter((message) => message === complaint)).toHaveLength(1);
  });

  it('lead to the latest version also if the unit had a later one than the store of the leader', async () => {
    const { document } = unit;
    if (!document) throw new Error('no document');
    unit.document = { ...document, version: 40, active: false };
    await unit.restart();
    await unit.enrol(leader.url);
    await eventually(async () => {
      expect(unit.document).toMatchObject({ version: 41, active: true });
      expect(await status()).toMatchObject({ desired_version: 41, applied_version: 41 });
    });
  });

  it('count as applied when no part is pending', async () => {
    unit.pending = ['stop'];
    await leader.client.setWorkerActivation({ params, body: { is_active: 0 } });
    await eventually(() => expect(unit.document?.active).toBe(false));
    // The unit answers, and its heartbeats show the version that it has.
    const experiment_uid = unit.document?.experiment?.uid ?? '';
    unit.series = [{ experiment_uid, source: 'od', channel: '2', angle: 90, derivation: null, context: null }];
    unit.append({ kind: 'sample', at: 2_000, series: 0, value: 0.25 });
    await eventually(() => expect(unit.acked).toBeGreaterThan(0));
    const before = await status();
    expect(before?.applied_version).toBeLessThan(before?.desired_version ?? 0);
    unit.pending = [];
    unit.append({ kind: 'sample', at: 4_000, series: 0, value: 0.25 });
    await eventually(async () => expect((await status())?.applied_version).toBe(unit.document?.version));
  });

  it('are requested again after a start of the unit, also without a change', async () => {
    const { puts } = unit;
    const version = unit.document?.version;
    await unit.restart();
    await unit.enrol(leader.url);
    await eventually(() => expect(unit.puts).toBeGreaterThan(puts));
    expect(unit.document?.version).toBe(version);
  });
});

describe('a unit that joined another leader', () => {
  it('is shown as such and not contacted until it comes back', async () => {
    unit.leaderId = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';
    await unit.restart();
    await eventually(async () => {
      expect(await status()).toMatchObject({ trouble: 'foreign_leader' });
      expect(messages().join(' ')).toContain('rx01 belongs to another leader');
    });
    const answer = await unit.enrol(leader.url);
    expect(answer.status).toBe(200);
    await eventually(async () => expect(await status()).toMatchObject({ trouble: null, liveness: 'online' }));
  });
});

/** The text of the stream up to the first event of that name. */
async function followUntil(name: string): Promise<string> {
  const response = await fetch(`${leader.url}/api/live`);
  let text = '';
  for await (const chunk of (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes(`event: ${name}\n`) && text.endsWith('\n\n')) break;
  }
  return text;
}

const dataOf = (text: string, name: string): readonly unknown[] =>
  text
    .split('\n\n')
    .filter((block) => block.includes(`event: ${name}\n`))
    .map((block) => JSON.parse(block.slice(block.indexOf('\ndata: ') + '\ndata: '.length)));

describe('GET /api/live', () => {
  it('begins with units and jobs, and sends the records of a unit', async () => {
    const experiment_uid = unit.document?.experiment?.uid ?? '';
    const job = { job_id: 41, job_name: 'stirring', experiment: 'a', state: 'ready' } as const;
    unit.jobs = [{ ...job, experiment_uid, since: 1_000 }];
    await unit.enrol(leader.url);
    await eventually(async () => {
      const [snapshot] = dataOf(await followUntil('snapshot'), 'snapshot');
      expect(snapshot).toMatchObject({
        units: [{ reactor_unit: 'lead' }, { reactor_unit: 'rx01', liveness: 'online' }],
        jobs: [
          { job_name: 'mqtt_to_db_streaming', reactor_unit: 'lead' },
          { job_name: 'monitor', reactor_unit: 'lead' },
          { ...job, reactor_unit: 'rx01', settings: {} },
        ],
      });
    });
    unit.series = [{ experiment_uid, source: 'od', channel: '2', angle: 90, derivation: null, context: null }];
    const followed = followUntil('reading');
    unit.append({ kind: 'sample', at: 2_000, series: 0, value: 0.25, flags: ['simulated'] });
    const reading = { experiment: 'a', reactor_unit: 'rx01', source: 'od', channel: '2', angle: 90 };
    expect(dataOf(await followed, 'reading')).toEqual([
      { ...reading, x: '1970-01-01T00:00:02.000Z', y: 0.25, backfill: false },
    ]);
    await eventually(async () => expect(await status()).toMatchObject({ is_simulated: true, backlog: 0 }));
    const flagged = followUntil('reading');
    unit.append({ kind: 'sample', at: 4_000, series: 0, value: 0.3, flags: ['simulated', 'vial_out', 'bubbles'] });
    expect(dataOf(await flagged, 'reading')).toEqual([
      { ...reading, x: '1970-01-01T00:00:04.000Z', y: 0.3, flags: ['vial_out', 'bubbles'], backfill: false },
    ]);
  });
});
