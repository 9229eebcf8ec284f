import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'ramp' } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const start = Date.parse('2025-12-31T09:00:00.000Z');
const minute = 60_000;
const at = (minutes: number): string => new Date(start + minutes * minute).toISOString();

type Query = Readonly<Record<string, string | number>>;
const asked = (query: Query = {}, experiment = 'ramp') =>
  leader.api.call('getTimeline', { params: { experiment }, query });
const read = (query: Query = {}) => leader.client.getTimeline({ params: { experiment: 'ramp' }, query });

type Event = readonly [unit: string, minutes: number, name: string, data: object, source?: string];

/** Stores events like records of units, and an alarm of each kind of subject, at minutes after the start. */
const store = (events: readonly Event[], alarms: readonly (readonly [unit: string, minutes: number])[] = []) =>
  leader.editStore((database) => {
    const { id, uid } =
      database.prepare("update experiments set created_at = ? where name = 'ramp' returning id, uid").get(start) ?? {};
    const event = database.prepare(
      `insert into events (experiment_uid, reactor_unit, at, name, source, data, machine_id, boot, mono)
      values (?, ?, ?, ?, ?, ?, 'm', 1, (select count(*) from events))`,
    );
    for (const [unit, minutes, name, data, source = 'UI'] of events)
      event.run(String(uid), unit, start + minutes * minute, name, source, JSON.stringify(data));
    const member = database.prepare(
      `insert into assignment_history (reactor_unit, experiment_id, experiment, assigned_at, unassigned_at)
      values (?, ?, 'ramp', ?, ?)`,
    );
    const alarm = database.prepare(
      `insert into alarms (alarm_id, rule, severity, reactor_unit, standing, message, since)
      values (?, 'unit_cut_off', 'error', ?, 'unacknowledged', 'Cut off.', ?)`,
    );
    for (const [unit, minutes] of alarms) {
      member.run(unit, Number(id), start, start + 60 * minute);
      alarm.run(`alarm-${unit}-${minutes}`, unit, start + minutes * minute);
    }
  });

const pump = (output: string, more: object = {}) => ({
  output,
  to: 1,
  unit: 'mL',
  rule: 'The target was reached.',
  job_id: 7,
  job_name: 'dosing_automation',
  ...more,
});
const flow = (event: string, ml: number, more: object = {}) => ({ event, volume_change_ml: ml, ...more });

/** An exchange of 1 mL as a unit records it: each pump once, and its flow in many parts. */
const exchange = (unit: string, minutes: number, by = 'ada'): readonly Event[] => [
  [unit, minutes, 'automation', { event_name: 'DosingStarted' }],
  [unit, minutes, 'actuation', pump('media_pump', { started_by: by })],
  ...Array.from({ length: 10 }, (_, part): Event => [unit, minutes + part / 100, 'dosing', flow('add_media', 0.1)]),
  [unit, minutes + 0.2, 'actuation', pump('waste_pump', { started_by: by })],
  ...Array.from(
    { length: 5 },
    (_, part): Event => [
      unit,
      minutes + 0.2 + part / 100,
      'dosing',
      flow('remove_waste', 0.6, { volume_before_ml: 15.2 - part / 5, volume_after_ml: 15 - part / 5 }),
    ],
  ),
];

const settings = (kind: string, minutes: number, values: object, ended: number | null = null): Event => [
  ...(['rx01', ended ?? minutes, 'automation_settings'] as const),
  {
    kind,
    automation_name: kind === 'dosing' ? 'turbidostat' : 'thermostat',
    settings: values,
    started_at: start + minutes * minute,
    ended_at: ended === null ? null : start + ended * minute,
  },
];

const idsOf = (body: unknown): readonly string[] =>
  Array.isArray(body) ? body.map(({ entry_id }) => String(entry_id)) : [];

/** All pages one after the other. */
async function pagedIds(query: Query & { readonly limit: number }): Promise<readonly string[]> {
  const found: string[] = [];
  for (let before: string | null = ''; before !== null; ) {
    const answer = await asked({ ...query, ...(before !== '' && { before }) });
    const page = idsOf(answer.expect(200));
    expect(page.length).toBeLessThanOrEqual(query.limit);
    found.push(...page);
    before = answer.headers.get('x-next-before');
  }
  return found;
}

it('says that a unit moved to another experiment', async () => {
  const { client } = leader;
  await client.registerWorker({ body: { reactor_unit: 'rx01', model_name: 'reactor_20ml', model_version: '1.5' } });
  await client.createExperiment({ body: { experiment: 'next' } });
  const assign = (experiment: string) =>
    client.assignWorker({ params: { experiment }, body: { reactor_unit: 'rx01' } });
  await assign('ramp');
  await assign('next');
  const entries = await read({ kinds: 'action', reactor_unit: 'rx01' });
  expect(new Set(entries.map(({ entry_id }) => entry_id.split('-')[0]))).toEqual(new Set(['action', 'departure']));
  // The experiment that it is in now has its assignment only.
  expect((await asked({ kinds: 'action' }, 'next')).expect(200)).toHaveLength(1);
});

describe('the timeline of an experiment', () => {
  it('has one entry for a dose with what its pumps moved, and each other kind with its facts, newest first', async () => {
    await store(
      [
        ...exchange('rx01', 10),
        ['rx01', 12, 'actuation', pump('media_pump', { refused: 'It would overflow.', job_id: 8 })],
        ['rx01', 13, 'actuation', pump('waste_pump', { from: 100, to: 0, unit: '%', rule: 'It was stopped.' })],
        ['rx01', 13, 'actuation', { output: 'heater', to: 20, unit: '%' }],
        settings('dosing', 1, { target_biomass: 0.5, biomass_signal: 'od' }),
        settings('dosing', 1, { target_biomass: 0.5, biomass_signal: 'od' }, 20),
        settings('dosing', 20, { target_biomass: 0.6, biomass_signal: 'od' }),
        settings('temperature', 2, { target_temperature: 37 }),
      ],
      [
        ['rx01', 30],
        ['rx02', 70],
      ],
    );
    const in07 = { params: { experiment: 'ramp' } };
    const sample = {
      kind: 'sample_taken',
      text: 'for HPLC',
      reactor_unit: 'rx01',
      volume_ml: 0.5,
      author: 'Ada',
    } as const;
    await leader.client.createNote({ ...in07, body: { ...sample, timestamp: at(5) } });
    const entries = await read();
    expect(entries.map(({ kind, at: moment }) => [kind, moment])).toEqual([
      ['alarm', at(30)],
      ['setting', at(20)],
      ['dose', at(12)],
      ['dose', at(10)],
      ['note', at(5)],
      ['setting', at(2)],
      ['setting', at(1)],
    ]);
    const [alarm, later, refused, dose, note, warm, first] = entries;
    expect(alarm).toMatchObject({ severity: 'error', reactor_unit: 'rx01', until: null });
    expect(dose).toMatchObject({
      volumes_ml: { media: 1, alt_media: 0, waste: 1 },
      refused: false,
      by: 'ada',
      why: 'The target was reached.',
      reactor_unit: 'rx01',
    });
    expect(refused).toMatchObject({ refused: true, why: 'It would overflow.', volumes_ml: { media: 0 } });
    expect(note).toMatchObject({
      note: { note_id: 1, kind: 'sample_taken', text: 'for HPLC', volume_ml: 0.5 },
      by: 'Ada',
    });
    expect(first).toMatchObject({ until: at(20), automation: { kind: 'dosing', settings: { target_biomass: 0.5 } } });
    expect([later?.until, warm?.until]).toEqual([null, null]);
    expect(new Set(entries.map(({ entry_id }) => entry_id)).size).toBe(entries.length);
  });

  it('has the blanks that were kept and removed, and lists those in use with the warning that was overridden', async () => {
    await leader.client.registerWorker({
      body: { reactor_unit: 'rx01', model_name: 'reactor_20ml', model_version: '1.5' },
    });
    await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'rx01' } });
    await store([
      ['rx01', 1, 'od_blank', { means: { '2': 0.01213 }, problems: [] }],
      ['rx01', 3, 'od_blank', { means: { '2': 0.0613 }, problems: ['It drifted.'] }],
      ['rx02', 4, 'od_blank', { means: { '2': 0.02 }, problems: [] }],
    ]);
    const blank = { reactor_unit: 'rx01', experiment: 'ramp', measured_at: at(3) };
    expect((await leader.api.call('listBlanks', {})).expect(200)).toEqual([
      { ...blank, means: { '2': 0.0613 }, problems: ['It drifted.'] },
    ]);
    const kept = await read({ kinds: 'setting', reactor_unit: 'rx01' });
    expect(kept.map((entry) => [entry.at, entry.why, entry.kind])).toEqual([
      [at(3), 'It drifted.', 'setting'],
      [at(1), null, 'setting'],
    ]);
    expect(kept[0]?.text).toContain('0.0613 V');
    await store([['rx01', 5, 'od_blank', { means: null, problems: [] }]]);
    expect(await leader.client.listBlanks()).toEqual([]);
    expect(await read({ kinds: 'setting', reactor_unit: 'rx01', limit: 1 })).toMatchObject([{ at: at(5) }]);
  });

  it('is filtered by kind, unit, person and time', async () => {
    await store([...exchange('rx01', 10), ...exchange('rx02', 20, 'otto'), settings('dosing', 1, {})]);
    const moments = async (query: Query) => (await read(query)).map((entry) => entry.at);
    expect(await moments({ kinds: 'dose' })).toEqual([at(20), at(10)]);
    expect(await moments({ kinds: 'setting, note' })).toEqual([at(1)]);
    expect(await moments({ reactor_unit: 'rx02' })).toEqual([at(20)]);
    expect(await moments({ by: 'ada' })).toEqual([at(10)]);
    expect(await moments({ since: at(10), until: at(20) })).toEqual([at(10)]);
    (await asked({ kinds: 'dose,cat' })).expect(400, 'invalid_query');
    (await asked({ before: 'yesterday' })).expect(400, 'invalid_query');
    (await asked({ since: 'yesterday' })).expect(400, 'invalid_query');
    (await asked({}, 'unknown')).expect(404, 'experiment_not_found');
  });

  it('gives a running dose all that its pump moves, and a refused one nothing', async () => {
    await store([
      ['rx01', 0, 'actuation', pump('media_pump')],
      ...Array.from({ length: 10 }, (_, part): Event => ['rx01', part / 100, 'dosing', flow('add_media', 0.1)]),
      ['rx01', 0.05, 'actuation', pump('media_pump', { job_id: 8, rule: null, refused: 'The pump is in use.' })],
    ]);
    expect((await read({ kinds: 'dose' })).map(({ refused, volumes_ml }) => [refused, volumes_ml?.media])).toEqual([
      [true, 0],
      [false, 1],
    ]);
  });

  it('has what the ledger entered of a dose that is pumped, and of one that was stopped', async () => {
    const requested = { job_id: 9, job_name: 'add_media', rule: null };
    const dose = (minutes: number, ...volumesMl: readonly number[]): readonly Event[] => [
      ['rx01', minutes, 'actuation', pump('media_pump', requested)],
      ...volumesMl.map(
        (ml, part): Event => [
          'rx01',
          minutes + part / 120,
          'dosing',
          flow('add_media', ml, { volume_before_ml: 14, volume_after_ml: 14 + ml }),
        ],
      ),
    ];
    const now = (leader.clock.now() - start) / minute;
    await store([
      // Announced, and not all of it pumped.
      ...dose(10, 0.25, 0.25, -0.13),
      ['rx01', 10.02, 'actuation', pump('media_pump', { ...requested, from: 100, to: 0, unit: '%', rule: 'Stopped.' })],
      // Timers end a run a little early: that is no stop.
      ...dose(20, 0.5, 0.5, -0.002),
      ...dose(30, 0.5, 0.53),
      ...dose(now - 0.01, 0.25, 0.25),
    ]);
    const entries = (await read({ kinds: 'dose' })).toReversed();
    expect(entries.map(({ volumes_ml }) => volumes_ml?.media)).toEqual([0.37, 0.998, 1.03, 0.5]);
    expect(entries.map(({ text }) => /\(.*\)/.exec(text)?.[0] ?? '')).toEqual([
      '(1 mL requested, stopped)',
      '',
      '(1 mL requested)',
      '(1 mL requested, pumping…)',
    ]);
    const actuations = await leader.client.listWorkerActuations({ params: { reactor_unit: 'rx01' }, query: {} });
    expect(actuations.flatMap(({ pumped }) => pumped ?? []).toReversed()).toEqual([
      { volume_ml: 0.37, state: 'stopped' },
      { volume_ml: 0.998, state: 'ended' },
      { volume_ml: 1.03, state: 'ended' },
      { volume_ml: 0.5, state: 'pumping' },
    ]);
  });

  it('pages the doses of a job that pumps again and again as the whole list has them', async () => {
    const runs = Array.from({ length: 60 }, (_, minutes): Event => ['rx01', minutes, 'actuation', pump('waste_pump')]);
    await store(runs);
    const all = (await read({ kinds: 'dose', limit: 1000 })).map(({ entry_id }) => entry_id);
    expect(all).toHaveLength(6);
    expect(await pagedIds({ kinds: 'dose', limit: 1 })).toEqual(all);
  });

  it('has the steps of profiles page by page, the same step of several units once', async () => {
    await leader.editStore((database) => {
      const { id } = database.prepare("select id from experiments where name = 'ramp'").get() ?? {};
      database
        .prepare(
          `insert into profile_runs (uid, experiment_id, started_at, experiment_profile_name, profile_filename,
            profile_text, is_dry_run, common_units, own_units, first_job_id, ended_at, outcome, started_by)
          values ('r', ?, ?, 'steps', 'p.yaml', 'x: 1', 0, '[]', '[]', 1, ?, 'finished', 'ada')`,
        )
        .run(Number(id), start - 1, start + 40 * minute);
      const item = database.prepare(
        `insert into profile_items (run_id, reactor_unit, path, iteration, planned_ms, settled_ms, at, outcome)
        values ((select id from profile_runs), ?, 'common.jobs.stirring.actions[0]', ?, 0, 0, ?, 'done')`,
      );
      for (let unit = 0; unit < 30; unit += 1)
        for (let step = 0; step < 20; step += 1) item.run(`rx${unit}`, step, start + 2 * step * minute + unit);
    });
    const steps = await read({ kinds: 'profile', limit: 1000 });
    expect(steps).toHaveLength(22);
    expect(steps[1]).toMatchObject({ at: at(38), reactor_unit: null, text: expect.stringContaining('30 units') });
    const ids = steps.map(({ entry_id }) => entry_id);
    for (const limit of [1, 3]) expect(await pagedIds({ kinds: 'profile', limit })).toEqual(ids);
    expect((await read({ kinds: 'profile', reactor_unit: 'rx3' }))[1]).toMatchObject({ reactor_unit: 'rx3' });
    expect((await read({ kinds: 'profile', by: 'ada' })).map(({ by }) => by)).toEqual(['ada']);
    expect(await read({ kinds: 'profile', since: at(10), until: at(20) })).toHaveLength(5);
    // A run that has ended says that a step of it failed, as the step does.
    expect(steps.every(({ severity }) => severity === null)).toBe(true);
    await leader.editStore((database) => {
      database.exec("update profile_items set outcome = 'failed' where reactor_unit = 'rx3' and iteration = 19");
    });
    expect((await read({ kinds: 'profile', limit: 2 })).map(({ text, severity }) => [text, severity])).toEqual([
      [expect.stringContaining('with 1 failure'), 'error'],
      [expect.stringContaining('failed'), 'error'],
    ]);
  });

  it('is read page by page without a hole or an entry twice, whatever the size of a page', async () => {
    const doses = Array.from({ length: 40 }, (_, index) => exchange('rx01', 10 * index));
    const others = Array.from({ length: 40 }, (_, index) => exchange('rx02', 10 * index));
    const targets = Array.from({ length: 40 }, (_, index) => settings('dosing', 10 * index, { target_biomass: index }));
    await store([...doses, ...others, targets].flat());
    const all = (await read({ limit: 1000 })).map(({ entry_id }) => entry_id);
    expect(all).toHaveLength(120);
    for (const limit of [1, 7, 120]) expect(await pagedIds({ limit })).toEqual(all);
  });
});

it('has what people did, with their names: assignments, and the stop of everything', async () => {
  await leader.client.registerWorker({ body: { reactor_unit: 'rx-1' } });
  await leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'rx-1' } });
  await leader.client.stopEverywhere({ body: { what: 'pumps' } });
  await leader.client.stopEverywhere({ body: { what: 'everything' } });
  const actions = async () =>
    (await read({ kinds: 'action' })).map(({ reactor_unit, text, by }) => [reactor_unit, text, by]);
  // The entry of a stop is stored after its answer.
  await expect.poll(actions).toHaveLength(3);
  // The unit is away: as soon as that is known, the texts begin with it.
  expect(await actions()).toEqual([
    [null, expect.stringMatching(/everything stopped/i), expect.any(String)],
    [null, expect.stringMatching(/pumps stopped/i), expect.any(String)],
    ['rx-1', expect.stringContaining('Assigned'), expect.any(String)],
  ]);
  expect(await read({ kinds: 'action', by: 'nobody-of-this-name' })).toEqual([]);
  expect(await read({ kinds: 'action', reactor_unit: 'rx-1', limit: 1 })).toHaveLength(1);
});

it('names the units on which a stop of all pumps has ended dosing', async () => {
  await leader.client.stopEverywhere({ body: { what: 'pumps' } });
  const pumpsStopped = () => actionTexts().then(([text]) => text);
  // The entry of a stop is stored after its answer.
  await expect.poll(pumpsStopped).toMatch(/pumps stopped/i);
  expect(await pumpsStopped()).not.toMatch(/ on /);
  const minutes = (leader.clock.now() - start) / minute;
  const run = (from: number | null) => pump('media_pump', { from, to: from === null ? 1 : null });
  await store([
    ['rx01', minutes + 0.02, 'automation_settings', { kind: 'dosing', started_at: start, ended_at: start + 1 }],
    ['rx02', minutes + 0.01, 'actuation', run(1)],
    // They have begun, or ended long after.
    ['rx03', minutes + 0.01, 'actuation', run(null)],
    ['rx04', minutes + 1, 'actuation', run(1)],
    ['rx05', minutes + 0.01, 'automation_settings', { kind: 'temperature', started_at: start, ended_at: start + 1 }],
  ]);
  expect(await pumpsStopped()).toMatch(/ on rx01 and rx02$/);
});

const actionTexts = async (query: Query = {}) => (await read({ kinds: 'action', ...query })).map(({ text }) => text);

it('has no stops of all units after the end of the experiment', async () => {
  await leader.client.stopEverywhere({ body: { what: 'pumps' } });
  await leader.clock.advance(minute);
  const change = (ended_at: true | null) =>
    leader.client.updateExperiment({ params: { experiment: 'ramp' }, body: { ended_at } });
  await change(true);
  await leader.clock.advance(minute);
  await leader.client.stopEverywhere({ body: { what: 'everything' } });
  expect(await actionTexts()).toEqual([expect.stringContaining('pumps')]);
  await change(null);
  // The entry of a stop is stored after its answer.
  await expect.poll(() => actionTexts()).toHaveLength(2);
});

it('filters actions of callers without an account by the name that it shows for them', async () => {
  await leader.client.stopEverywhere({ body: { what: 'pumps' } });
  // The entry of a stop is stored after its answer.
  await expect.poll(() => actionTexts()).toHaveLength(1);
  const [action] = await read({ kinds: 'action' });
  expect(await read({ kinds: 'action', by: action?.by ?? '' })).toEqual([action]);
});

it('filters doses of callers without an account by one name, whatever way they came on', async () => {
  await store([...exchange('rx01', 10), ...exchange('rx02', 20, 'UI'), ...exchange('rx03', 30, 'http')]);
  const units = async (by: string) => (await read({ kinds: 'dose', by })).map(({ reactor_unit }) => reactor_unit);
  expect(await units('user')).toEqual(['rx03', 'rx02']);
  expect(await units('ada')).toEqual(['rx01']);
});

it('leaves out assignments that changed nothing', async () => {
  await leader.client.registerWorker({ body: { reactor_unit: 'rx-1' } });
  const assign = () => leader.client.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'rx-1' } });
  await assign();
  await assign();
  expect(await actionTexts()).toHaveLength(1);
});
