import { VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit, temporaryFolder } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'ramp' } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const start = Date.parse('2026-05-02T09:00:00.000Z');
const minute = 60_000;
const at = (minutes: number): string => new Date(start + minutes * minute).toISOString();

type Query = Readonly<Record<string, string | number>>;
const asked = (query: Query = {}, experiment = 'ramp') =>
  leader.api.call('listInterruptions', { params: { experiment }, query });

interface Run {
  readonly unit?: string;
  readonly boot: number;
  readonly fromMinutes: number;
  readonly toMinutes: number;
  readonly clean?: boolean;
  readonly more?: object;
  readonly jobs?: object;
}

/** Stores records of units about their runs and gaps, and their assignments, in minutes. */
const store = (scene: {
  readonly members?: readonly (readonly [unit: string, from: number, to: number | null])[];
  readonly runs?: readonly Run[];
  readonly gaps?: readonly (readonly [unit: string, from: number | null, to: number | null, reason: string])[];
}) =>
  leader.editStore((database) => {
    const ms = (minutes: number | null) => (minutes === null ? null : start + minutes * minute);
    const member = database.prepare(
      `insert into assignment_history (reactor_unit, experiment_id, experiment, assigned_at, unassigned_at)
      values (?, (select id from experiments where name = 'ramp'), 'ramp', ?, ?)`,
    );
    for (const [unit, from, to] of scene.members ?? []) member.run(unit, ms(from), ms(to));
    const event = database.prepare(
      `insert into events (experiment_uid, reactor_unit, at, name, source, data, machine_id, boot, mono)
      values ('$experiment', ?, ?, ?, 'node', ?, ?, ?, ?)`,
    );
    for (const { unit = 'rx01', boot, fromMinutes, toMinutes, clean = false, more, jobs } of scene.runs ?? []) {
      const data = { version: '1', boot, clean, last_record_at: ms(fromMinutes), ...more };
      event.run(unit, ms(toMinutes), 'node_started', JSON.stringify(data), `m ${unit}`, boot, 1);
      // The newest record counts.
      const early = JSON.stringify({ resumed: [], held: ['stirring'], off: [] });
      if (jobs) event.run(unit, ms(toMinutes + 1), 'jobs_resumed', early, `m ${unit}`, boot, 2);
      if (jobs) event.run(unit, ms(toMinutes + 1), 'jobs_resumed', JSON.stringify(jobs), `m ${unit}`, boot, 3);
    }
    const gap = database.prepare(
      `insert into gaps (reactor_unit, epoch, from_seq, to_seq, from_at, to_at, dropped, reason)
      values (?, 'e', ?, ?, ?, ?, '{"od":3,"temperature":2}', ?)`,
    );
    for (const [index, [unit, from, to, reason]] of (scene.gaps ?? []).entries())
      gap.run(unit, 10 * index + 1, 10 * index + 5, ms(from), ms(to), reason);
  });

const kinds = (body: unknown): unknown =>
  Array.isArray(body) ? body.map(({ reactor_unit, kind, to }) => `${reactor_unit} ${kind} ${to}`) : body;

describe('interruptions of an experiment', () => {
  it('are listed with times, the fate of the jobs, missing records, and a sentence', async () => {
    const jobs = { resumed: ['od_reading', 'stirring'], held: ['dosing_automation'], off: ['led_intensity'] };
    await store({
      members: [['rx01', 0, null]],
      runs: [
        { boot: 2, fromMinutes: 10, toMinutes: 133, jobs },
        { boot: 3, fromMinutes: 200, toMinutes: 201, clean: true },
        { boot: 4, fromMinutes: 300, toMinutes: 310, more: { last_record_unsynced: true } },
        // Its clock was an hour ahead.
        { boot: 5, fromMinutes: 500, toMinutes: 450 },
      ],
      gaps: [['rx01', 400, 401, 'thinned']],
    });
    const nothing = { reason: null, records: null, dropped: null, jobs: null, clock_unset: false };
    expect((await asked()).expect(200)).toEqual([
      {
        ...nothing,
        reactor_unit: 'rx01',
        kind: 'unit_off',
        from: at(500),
        to: at(450),
        clock_unset: true,
        message:
          'rx01 was off, for an unknown time: its clock was wrong. It had not been stopped: its power failed, or its program crashed.',
      },
      {
        ...nothing,
        reactor_unit: 'rx01',
        kind: 'records_lost',
        from: at(400),
        to: at(401),
        reason: 'thinned',
        records: 5,
        dropped: { od: 3, temperature: 2 },
        message:
          '5 records are missing of rx01 (3 of od, 2 of temperature): the unit thinned them because its buffer was full.',
      },
      {
        ...nothing,
        reactor_unit: 'rx01',
        kind: 'unit_off',
        from: at(300),
        to: at(310),
        clock_unset: true,
        message:
          'rx01 was off (for 10 min 0 s by a clock that was not set). It had not been stopped: its power failed, or its program crashed.',
      },
      {
        ...nothing,
        reactor_unit: 'rx01',
        kind: 'unit_stopped',
        from: at(200),
        to: at(201),
        message: 'rx01 was off for 1 min 0 s. It had been stopped.',
      },
      {
        ...nothing,
        reactor_unit: 'rx01',
        kind: 'unit_off',
        from: at(10),
        to: at(133),
        jobs,
        message:
          'rx01 was off for 2 h 3 min. It had not been stopped: its power failed, or its program crashed. Afterwards od_reading and stirring went on; dosing_automation waits for a person; led_intensity stays off.',
      },
    ]);
  });

  it('are those of units while they were in it', async () => {
    await store({
      members: [
        ['rx01', 0, 100],
        // Moved to and fro while it was off: one interruption all the same.
        ['rx02', 0, 50],
        ['rx02', 55, null],
      ],
      runs: [
        { boot: 2, fromMinutes: 90, toMinutes: 110 },
        { boot: 3, fromMinutes: 120, toMinutes: 130 },
        { unit: 'rx02', boot: 2, fromMinutes: 40, toMinutes: 60 },
        { unit: 'rx03', boot: 2, fromMinutes: 40, toMinutes: 60 },
      ],
      // An unknown time belongs to no experiment.
      gaps: [
        ['rx01', null, null, 'forgotten'],
        ['rx01', null, 70, 'unexplained'],
        ['rx03', 40, 50, 'disk_full'],
      ],
    });
    expect(kinds((await asked()).expect(200))).toEqual([
      `rx01 unit_off ${at(110)}`,
      `rx01 records_lost ${at(70)}`,
      `rx02 unit_off ${at(60)}`,
    ]);
  });

  it('are filtered by unit, kind and time, page by page, and for all workers', async () => {
    await leader.client.registerWorker({
      body: { reactor_unit: 'rx01', model_name: 'reactor_20ml', model_version: '1.5' },
    });
    await store({
      members: [
        ['rx01', 0, null],
        ['rx02', 0, null],
      ],
      runs: [2, 3, 4, 5].flatMap((boot) => [
        { boot, fromMinutes: 10 * boot, toMinutes: 10 * boot + 5, clean: boot === 3 },
        { unit: 'rx02', boot, fromMinutes: 10 * boot, toMinutes: 10 * boot + 5 },
      ]),
      gaps: [['rx01', 25, 25, 'disk_full']],
    });
    const rows = async (query: Query, experiment?: string) => kinds((await asked(query, experiment)).expect(200));
    expect(await rows({ reactor_unit: 'rx02' })).toHaveLength(4);
    expect(await rows({ kind: 'unit_stopped' })).toEqual([`rx01 unit_stopped ${at(35)}`]);
    expect(await rows({ kind: 'records_lost', reactor_unit: 'rx01' })).toEqual([`rx01 records_lost ${at(25)}`]);
    const window = { reactor_unit: 'rx01', since: at(25), until: at(40) };
    expect(await rows(window)).toEqual([
      `rx01 unit_stopped ${at(35)}`,
      `rx01 unit_off ${at(25)}`,
      `rx01 records_lost ${at(25)}`,
    ]);
    // Only rx01 is a worker.
    expect(await rows({ kind: 'unit_off' }, '$experiment')).toHaveLength(3);
    const all = await rows({ limit: 1000 });
    const pages: unknown[] = [];
    let before: string | undefined;
    do {
      const answer = await asked({ limit: 2, ...(before === undefined ? {} : { before }) });
      pages.push(kinds(answer.expect(200)));
      before = answer.headers.get('x-next-before') ?? undefined;
    } while (before !== undefined);
    expect(pages.flat()).toEqual(all);
    expect(pages.map((page) => (Array.isArray(page) ? page.length : page))).toEqual([2, 2, 2, 2, 1]);
  });

  it('are empty for unknown names, and refused for invalid parameters', async () => {
    expect((await asked({}, 'other')).expect(200)).toEqual([]);
    expect((await asked()).expect(200)).toEqual([]);
    for (const query of [
      { kind: 'leader_away' },
      { since: 'yesterday' },
      { until: '2026-05-02' },
      { before: '7.2.1' },
      { limit: 0 },
      { limit: 1001 },
    ])
      expect((await asked(query)).expect(400)).toMatchObject({ code: 'invalid_query' });
  });
});

it('an interruption of a unit without a clock has the time of its leader', async () => {
  await using folder = await temporaryFolder('unit-without-a-clock');
  const dataFolder = `${folder.path}/unit`;
  await leader.client.registerWorker({
    body: { reactor_unit: 'unit1', model_name: 'reactor_20ml', model_version: '1.5' },
  });
  await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'unit1' } });
  /** A board without a battery: each start begins at the same moment, long ago. */
  const run = () =>
    startUnit({
      leaderUrl: leader.url,
      clock: new VirtualClock({ startMs: Date.parse('2020-01-01T00:00:00Z') }),
      dataFolder,
      configure: { hostSynced: () => false },
    });
  const isMember = async (unit: Awaited<ReturnType<typeof run>>) =>
    vi.waitFor(
      async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
      10_000,
    );
  const first = await run();
  await isMember(first);
  expect((await asked()).expect(200)).toEqual([]);
  const stoppedAt = leader.clock.now();
  await first[Symbol.asyncDispose]();
  await leader.clock.advance(90 * minute);
  const startedAt = leader.clock.now();
  await using second = await run();
  await isMember(second);
  const row = await vi.waitFor(async () => {
    const [interruption, ...others] = await leader.client.listInterruptions({
      params: { experiment: 'ramp' },
      query: {},
    });
    expect(others).toEqual([]);
    expect(interruption).toMatchObject({ reactor_unit: 'unit1', kind: 'unit_stopped', clock_unset: false });
    return interruption;
  }, 10_000);
  expect(Math.abs(Date.parse(row?.from ?? '') - stoppedAt)).toBeLessThan(1_000);
  expect(Math.abs(Date.parse(row?.to ?? '') - startedAt)).toBeLessThan(1_000);
});
