import { addToyUnit, type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../cluster/units/eventually.ts';
import { observe } from '../observe.ts';

const name = 'yeast-ramp-07';
const in07 = { params: { experiment: name } };
const elsewhere = { params: { experiment: 'nowhere' } };

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: name } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const now = () => new Date(leader.clock.now()).toISOString();
const change = (body: object) => leader.api.call('updateExperiment', { ...in07, body });
const listed = async (query: { readonly ended?: boolean; readonly archived?: boolean } = {}) =>
  (await leader.client.listExperiments({ query })).map(({ experiment }) => experiment);
const messages = async () => (await leader.client.listExperimentLogs({ ...in07, query: {} })).map((log) => log.message);

describe('the end of an experiment', () => {
  it('is a time in the experiment, without other new keys', async () => {
    const { delta_hours, ...before } = await leader.client.getExperiment(in07);
    expect(Object.keys(before).sort()).toEqual(['created_at', 'description', 'experiment', 'tags', 'worker_count']);
    await leader.clock.advance(3_600_000);
    const ended = { ...before, delta_hours: 1, ended_at: now() };
    expect((await change({ ended_at: true })).expect(200)).toEqual(ended);
    await leader.clock.advance(1000);
    expect((await leader.api.call('getExperiment', in07)).expect(200)).toEqual(ended);
    expect((await leader.api.call('listExperiments')).expect(200)).toEqual([ended]);
    expect((await change({ ended_at: before.created_at })).expect(200)).toEqual({
      ...ended,
      ended_at: before.created_at,
    });
    expect((await change({ ended_at: null })).expect(200)).toEqual({ ...before, delta_hours: 1 });
    expect(await messages()).toEqual([
      `Experiment ${name} was reopened.`,
      `Ended experiment ${name}.`,
      `Ended experiment ${name}.`,
      `Created experiment ${name}.`,
    ]);
  });

  it('frees its workers and stops its jobs; a new assignment reopens it', async () => {
    await using unit = await addToyUnit(leader, 'rx01');
    const assign = () => leader.client.assignWorker({ ...in07, body: { reactor_unit: 'rx01' } });
    await assign();
    expect((await change({ ended_at: true })).expect(200)).toMatchObject({ worker_count: 0, ended_at: now() });
    expect((await leader.client.listAssignments())[0]).toMatchObject({ reactor_unit: 'rx01', experiment: null });
    await eventually(() =>
      expect(unit.requests).toContainEqual(
        expect.objectContaining({ path: '/unit_api/jobs/stop', body: { experiment: name } }),
      ),
    );
    await assign();
    expect(await leader.client.getExperiment(in07)).not.toHaveProperty('ended_at');
    expect(leader.storedRows('assignment_history')).toMatchObject([
      { reactor_unit: 'rx01', unassigned_at: expect.any(Number) },
      { reactor_unit: 'rx01', unassigned_at: null },
    ]);
  });

  it('stops its jobs and keeps its workers when it is asked to', async () => {
    await using unit = await addToyUnit(leader, 'rx01');
    await leader.client.assignWorker({ ...in07, body: { reactor_unit: 'rx01' } });
    const ended = (await change({ ended_at: true, keep_workers: true })).expect(200);
    expect(ended).toMatchObject({ worker_count: 1, ended_at: now() });
    await eventually(() =>
      expect(unit.requests).toContainEqual(
        expect.objectContaining({ path: '/unit_api/jobs/stop', body: { experiment: name } }),
      ),
    );
    expect((await leader.client.listAssignments())[0]).toMatchObject({ reactor_unit: 'rx01', experiment: name });
    // Without an end there is nothing to keep them for.
    (await change({ keep_workers: true })).expect(400, 'nothing_to_change');
  });

  it('has stored the stops of the workers that it keeps when it is answered', async () => {
    await using unit = await addToyUnit(leader, 'rx01');
    await leader.client.assignWorker({ ...in07, body: { reactor_unit: unit.name } });
    const ordered = () => leader.storedRows('desired').map(({ document }) => JSON.parse(String(document)));
    await eventually(() => expect(ordered()).toMatchObject([{ experiment: { name }, stop: [] }]));
    (await change({ ended_at: true, keep_workers: true })).expect(200);
    const [experiment] = leader.storedRows('experiments');
    expect(ordered()).toMatchObject([
      { experiment: { name }, stop: [{ experiment_uid: experiment?.uid, job_name: null, reason: 'stopped' }] },
    ]);
  });

  it('with kept workers is corrected without freeing them or stopping anything again', async () => {
    await using unit = await addToyUnit(leader, 'rx01');
    await leader.client.assignWorker({ ...in07, body: { reactor_unit: unit.name } });
    await leader.clock.advance(60_000);
    const earlier = now();
    await leader.clock.advance(60_000);
    (await change({ ended_at: true, keep_workers: true })).expect(200);
    const stops = () => unit.requests.filter(({ path }) => path === '/unit_api/jobs/stop');
    await eventually(() => expect(stops()).toHaveLength(1));
    const orders = leader.storedRows('desired');
    expect((await change({ ended_at: earlier })).expect(200)).toMatchObject({ worker_count: 1, ended_at: earlier });
    expect((await change({ ended_at: true })).expect(200)).toMatchObject({ worker_count: 1, ended_at: now() });
    expect(await leader.client.listAssignments()).toMatchObject([{ reactor_unit: 'rx01', experiment: name }]);
    expect(leader.storedRows('desired').map(({ document }) => document)).toEqual(
      orders.map(({ document }) => document),
    );
    expect(stops()).toHaveLength(1);
  });

  it('starts no job on a kept worker until a new assignment of it reopens the experiment', async () => {
    await using unit = await addToyUnit(leader, 'rx01');
    const assign = () => leader.client.assignWorker({ ...in07, body: { reactor_unit: unit.name } });
    await assign();
    (await change({ ended_at: true, keep_workers: true })).expect(200);
    const params = { experiment: name, reactor_unit: 'rx01', job: 'stirring' };
    const starts = () => unit.requests.filter(({ path }) => path.includes('/jobs/run/'));
    for (const operation of ['runWorkerJob', 'runUnitJob'] as const) {
      for (const reactor_unit of ['rx01', '$broadcast']) {
        const answer = await leader.api.call(operation, { params: { ...params, reactor_unit }, body: {} });
        answer.expect(409, 'job_experiment_ended');
      }
    }
    // Light is switched off at any time.
    const off = { params: { ...params, job: 'led_intensity' }, body: { options: { A: 0 } } };
    await leader.finished((await leader.api.call('runWorkerJob', off)).expect(202));
    expect(starts()).toMatchObject([{ path: expect.stringContaining('led_intensity') }]);
    expect(await leader.client.getExperiment(in07)).toHaveProperty('ended_at');
    await assign();
    expect(await leader.client.getExperiment(in07)).not.toHaveProperty('ended_at');
    expect((await messages())[0]).toBe(`Experiment ${name} was reopened.`);
    expect(leader.storedRows('assignment_history')).toMatchObject([{ unassigned_at: null }]);
    const started = (await leader.api.call('runWorkerJob', { params, body: {} })).expect(202);
    expect(await leader.finished(started)).toMatchObject({ status: 'succeeded', result: { rx01: { ok: true } } });
  });

  it('is between its creation and now', async () => {
    for (const ended_at of ['2999-01-01T00:00:00Z', '1999-01-01T00:00:00Z', 'soon', '2026-13-01T00:00:00Z']) {
      (await change({ ended_at })).expect(400, 'ended_at_invalid');
    }
    (await change({ ended_at: false })).expect(400, 'invalid_body');
    (await change({})).expect(400, 'nothing_to_change');
    const answer = await leader.api.call('updateExperiment', { ...elsewhere, body: { ended_at: true } });
    answer.expect(404, 'experiment_not_found');
  });

  it('and the archive are filters of lists', async () => {
    for (const experiment of ['b', 'c']) {
      await leader.clock.advance(1000);
      await leader.client.createExperiment({ body: { experiment } });
    }
    await leader.client.updateExperiment({ params: { experiment: 'b' }, body: { ended_at: true } });
    // What may run stays in all lists.
    (await change({ archived: true })).expect(409, 'experiment_not_ended');
    (await change({ archived: 1 })).expect(409, 'experiment_not_ended');
    (await change({ archived: true, ended_at: null })).expect(409, 'experiment_not_ended');
    expect(await listed({ archived: true })).toEqual([]);
    expect((await change({ archived: true, ended_at: true })).expect(200)).toMatchObject({ archived: true });
    expect(await listed()).toEqual(['c', 'b', name]);
    expect(await listed({ archived: false })).toEqual(['c', 'b']);
    expect(await listed({ archived: true })).toEqual([name]);
    expect(await listed({ ended: true })).toEqual(['b', name]);
    expect(await listed({ ended: false, archived: false })).toEqual(['c']);
    expect((await change({ archived: 0 })).expect(200)).not.toHaveProperty('archived');
    expect(await listed({ archived: true })).toEqual([]);
    expect((await change({ archived: true })).expect(200)).toMatchObject({ archived: true });
    expect((await change({ ended_at: null })).expect(200)).not.toHaveProperty('archived');
    (await leader.api.call('listExperiments', { query: { ended: 'perhaps' } })).expect(400, 'invalid_query');
  });
});

describe('a copy', () => {
  it('takes over labels, groups, charts, description and tags, and no data', async () => {
    await leader.client.updateExperiment({ ...in07, body: { description: 'ramp', tags: ['organism: yeast', 'ramp'] } });
    await leader.client.putUnitLabel({ ...in07, body: { unit: 'rx01', label: 'control' } });
    const groups = [{ name: 'wild type', units: ['rx01', 'rx02'] }];
    await leader.client.replaceReplicateGroups({ ...in07, body: { groups } });
    const charts = { overview_chart_keys: ['temperature'], reactor_chart_keys: null };
    await leader.client.updateChartPreferences({ ...in07, body: charts });
    await leader.client.createNote({ ...in07, body: { text: 'not copied' } });
    const copied = await leader.client.createExperiment({ body: { experiment: 'copy', copy_from: name } });
    expect(copied).toMatchObject({ description: 'ramp', tags: ['organism: yeast', 'ramp'], worker_count: 0 });
    const params = { experiment: 'copy' };
    expect(await leader.client.getUnitLabels({ params })).toEqual({ rx01: 'control' });
    expect(await leader.client.listReplicateGroups({ params })).toEqual(groups);
    expect(await leader.client.getChartPreferences({ params })).toEqual(charts);
    expect(await leader.client.listNotes({ params, query: {} })).toEqual([]);
    const body = { experiment: 'other', copy_from: 'copy', description: null, tags: [] };
    const other = await leader.client.createExperiment({ body });
    expect(other).toMatchObject({ tags: [] });
    const unknown = await leader.api.call('createExperiment', { body: { experiment: 'x', copy_from: 'nothing' } });
    unknown.expect(404, 'experiment_not_found');
    expect(await listed()).not.toContain('x');
  });
});

describe('replicate groups', () => {
  const put = (groups: unknown) => leader.api.call('replaceReplicateGroups', { ...in07, body: { groups } });
  const groups = [
    { name: 'control', units: ['rx01', 'rx02'] },
    { name: 'µM drug', units: ['rx03'] },
  ];

  it('are replaced as a list, with a history', async () => {
    expect((await leader.api.call('listReplicateGroups', in07)).expect(200)).toEqual([]);
    expect((await put(groups)).expect(200)).toEqual(groups);
    const first = now();
    await leader.clock.advance(1000);
    (await put(groups)).expect(200);
    const fewer = [{ name: 'control', units: [] }];
    expect((await put([{ name: ' control ', units: [] }])).expect(200)).toEqual(fewer);
    expect((await leader.api.call('listReplicateGroups', in07)).expect(200)).toEqual(fewer);
    expect((await leader.api.call('listReplicateGroupHistory', in07)).expect(200)).toEqual([
      { timestamp: now(), groups: fewer },
      { timestamp: first, groups },
    ]);
  });

  it('are refused with a name or a unit that is none or occurs twice', async () => {
    const cases = [
      [
        'two groups of one name',
        [
          { name: 'a', units: [] },
          { name: 'a ', units: [] },
        ],
      ],
      [
        'a unit in two groups',
        [
          { name: 'a', units: ['rx01'] },
          { name: 'b', units: ['rx01'] },
        ],
      ],
      ['a unit twice in one', [{ name: 'a', units: ['rx01', 'rx01'] }]],
      ['no name', [{ name: '  ', units: [] }]],
      ['a long name', [{ name: 'x'.repeat(101), units: [] }]],
      ['what is no unit', [{ name: 'a', units: ['$broadcast'] }]],
    ] as const;
    for (const [what, wrong] of cases) {
      (await put([...wrong])).expect(400, 'groups_invalid');
      expect(await leader.client.listReplicateGroups(in07), what).toEqual([]);
    }
  });

  it('belong to an experiment', async () => {
    (await put([{ name: 'a' }])).expect(400, 'invalid_body');
    for (const operation of ['listReplicateGroups', 'listReplicateGroupHistory'] as const) {
      (await leader.api.call(operation, elsewhere)).expect(404, 'experiment_not_found');
    }
    const answer = await leader.api.call('replaceReplicateGroups', { ...elsewhere, body: { groups } });
    answer.expect(404, 'experiment_not_found');
  });
});

describe('notes', () => {
  beforeEach(async () => {
    for (const reactor_unit of ['rx01', 'rx02']) {
      await leader.client.registerWorker({ body: { reactor_unit } });
      await leader.client.assignWorker({ ...in07, body: { reactor_unit } });
    }
  });
  const write = (body: object) => leader.api.call('createNote', { ...in07, body });
  const numbered = (note_id: string | number) => ({ params: { experiment: name, note_id: String(note_id) } });
  const list = async (query: object = {}) =>
    (await leader.api.call('listNotes', { ...in07, query: { ...query } })).expect(200);
  const volumes = () => leader.node.volumeNotes.of(name, 'rx01');

  it('are written, logged, and listed newest first, page by page', async () => {
    const first = {
      note_id: 1,
      experiment: name,
      timestamp: now(),
      kind: 'note',
      text: 'Foam at the top.',
      author: null,
      reactor_unit: null,
      volume_ml: null,
      photo: null,
      created_at: now(),
      updated_at: null,
      edited_by: null,
      version: 0,
    };
    expect((await write({ text: ' Foam at the top.\n' })).expect(201)).toEqual(first);
    await leader.clock.advance(1000);
    const sample = {
      note_id: 2,
      experiment: name,
      timestamp: now(),
      kind: 'sample_taken',
      text: 'for the cytometer',
      author: 'Ada',
      reactor_unit: 'rx01',
      volume_ml: 1.5,
      photo: null,
      created_at: now(),
      updated_at: null,
      edited_by: null,
      version: 0,
    };
    const { kind, text, author, volume_ml } = sample;
    const sent = { kind, text, author, volume_ml, pioreactor_unit: 'rx01' };
    expect((await write(sent)).expect(201)).toEqual(sample);
    expect(await list()).toEqual([sample, first]);
    expect(await list({ limit: 1 })).toEqual([sample]);
    expect(await list({ skip: 1 })).toEqual([first]);
    expect(await list({ kind: 'sample_taken', unit: 'rx01' })).toEqual([sample]);
    expect(await list({ unit: 'rx02' })).toEqual([]);
    const logs = await leader.client.listExperimentLogs({ ...in07, query: {} });
    expect(logs.slice(0, 2)).toMatchObject([
      {
        reactor_unit: 'rx01',
        task: 'note',
        level: 'INFO',
        timestamp: sample.timestamp,
        message: 'Sample taken, 1.5 mL: for the cytometer (Ada)',
      },
      { reactor_unit: 'lead', message: 'Foam at the top.', timestamp: first.timestamp },
    ]);
  });

  it('can be corrected and removed; volumes follow', async () => {
    const changes: unknown[] = [];
    const cancel = leader.node.volumeNotes.onChange((each) => changes.push(each));
    const at = now();
    const media = { kind: 'media_added', reactor_unit: 'rx01', volume_ml: 4, timestamp: at };
    (await write(media)).expect(201);
    expect(await volumes()).toEqual([{ noteId: 1, kind: 'media_added', volumeMl: 4, atMs: Date.parse(at) }]);
    await leader.clock.advance(1000);
    const corrected = (await leader.api.call('updateNote', { ...numbered(1), body: { volume_ml: 5 } })).expect(200);
    expect(corrected).toMatchObject({ volume_ml: 5, kind: 'media_added', timestamp: at, updated_at: now() });
    expect(await volumes()).toMatchObject([{ volumeMl: 5 }]);
    const moved = { ...numbered(1), body: { reactor_unit: 'rx02' } };
    (await leader.api.call('updateNote', moved)).expect(200);
    expect(await volumes()).toEqual([]);
    expect((await leader.api.call('deleteNote', numbered(1))).expect(200)).toEqual({ status: 'success' });
    expect(await list()).toEqual([]);
    cancel();
    (await write(media)).expect(201);
    expect(changes).toEqual(['rx01', 'rx01', 'rx02', 'rx01', 'rx02'].map((unit) => ({ experiment: name, unit })));
    expect((await messages()).slice(0, 3)).toEqual([
      'Note 1 removed: Media added, 5 mL',
      'Note 1 corrected: Media added, 5 mL',
      'Note 1 corrected: Media added, 5 mL',
    ]);
  });

  it.each([
    ['no text', {}],
    ['a blank text', { text: ' ' }],
    ['a volume of a plain note', { text: 'x', volume_ml: 1 }],
    ['a sample without volume', { kind: 'sample_taken', reactor_unit: 'rx01' }],
    ['a sample of no unit', { kind: 'sample_taken', volume_ml: 1 }],
    ['a strange unit', { text: 'x', reactor_unit: '$broadcast' }],
    ['an unknown unit', { text: 'x', reactor_unit: 'rx99' }],
    ['no moment', { text: 'x', timestamp: 'today' }],
    ['the future', { text: 'x', timestamp: '2999-01-01T00:00:00Z' }],
  ])('are refused with %s', async (_, body) => {
    (await write(body)).expect(400, 'note_invalid');
    (await write({ text: 'x' })).expect(201);
    if (Object.keys(body).length > 0) {
      (await leader.api.call('updateNote', { ...numbered(1), body })).expect(400, 'note_invalid');
    }
    expect(await list()).toMatchObject([{ text: 'x', kind: 'note' }]);
  });

  it('of a sample are refused beyond what the vial held, or can hold while no volume is known', async () => {
    const body = { model_name: 'reactor_40ml', model_version: '1.5' };
    await leader.client.setWorkerModel({ params: { reactor_unit: 'rx01' }, body });
    const sample = (volume_ml: number, sent = {}) =>
      write({ kind: 'sample_taken', volume_ml, reactor_unit: 'rx01', ...sent });
    expect((await sample(99)).expect(400, 'note_invalid')).toMatchObject({ field: 'volume_ml' });
    (await sample(40)).expect(201);
    const earlier = now();
    await leader.clock.advance(60_000);
    const reported = leader.clock.now();
    await leader.editStore((database) => {
      const { uid } = database.prepare('select uid from experiments where name = ?').get(name) ?? {};
      const insert = 'insert into series (experiment_uid, unit, source) values (?, ?, ?) returning id';
      const { id = 0 } = database.prepare(insert).get(String(uid), 'rx01', 'liquid_volume') ?? {};
      database.prepare('insert into samples (series_id, at, value) values (?, ?, 16.4)').run(Number(id), reported);
    });
    await leader.clock.advance(60_000);
    expect((await sample(17)).expect(400, 'note_invalid')).toMatchObject({ field: 'volume_ml' });
    (await sample(17, { timestamp: earlier })).expect(201);
    (await sample(16.4)).expect(201);
    const note_id = (await leader.client.listNotes({ ...in07, query: { limit: 1 } }))[0]?.note_id ?? 0;
    (await leader.api.call('updateNote', { ...numbered(note_id), body: { volume_ml: 17 } })).expect(
      400,
      'note_invalid',
    );
    // What was added since can be taken too.
    (await write({ kind: 'media_added', volume_ml: 4, reactor_unit: 'rx01' })).expect(201);
    (await sample(20)).expect(201);
  });

  it('of a unit are of a time at which it was in the experiment', async () => {
    const minute = 60_000;
    const started = leader.clock.now();
    const at = (minutes: number) => new Date(started + minutes * minute).toISOString();
    const wait = (minutes: number) => leader.clock.advance(minutes * minute);
    const rx01 = { params: { experiment: name, reactor_unit: 'rx01' } };
    const sample = (minutes: number, reactor_unit = 'rx01') =>
      write({ kind: 'sample_taken', volume_ml: 1, reactor_unit, timestamp: at(minutes) });
    await wait(10);
    await leader.client.unassignWorker(rx01);
    await wait(10);
    await leader.client.assignWorker({ ...in07, body: { reactor_unit: 'rx01' } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx03' } });
    await wait(10);
    for (const minutes of [-1, 5, 11, 19, 25]) (await sample(minutes)).expect(201);
    for (const minutes of [-2, 12, 18]) {
      expect((await sample(minutes)).expect(409, 'note_outside_experiment')).toMatchObject({ field: 'timestamp' });
    }
    expect((await sample(25, 'rx03')).expect(409, 'note_outside_experiment')).toMatchObject({ field: 'reactor_unit' });
    // Without a unit it is not older than the experiment.
    (await write({ text: 'x', timestamp: at(-2) })).expect(409, 'note_outside_experiment');
    const [first] = await leader.client.listNotes({ ...in07, query: { kind: 'sample_taken', limit: 1 } });
    const change = (body: object) => leader.api.call('updateNote', { ...numbered(first?.note_id ?? 0), body });
    (await change({ timestamp: at(15) })).expect(409, 'note_outside_experiment');
    (await change({ reactor_unit: 'rx03' })).expect(409, 'note_outside_experiment');
    (await change({ timestamp: at(22), reactor_unit: 'rx02' })).expect(200);
    expect(await list()).toHaveLength(5);
  });

  it('refuse a correction of a version that has been corrected meanwhile, and name what it says now', async () => {
    (await write({ text: 'Foam', author: 'Ada' })).expect(201);
    const correct = (body: object) => leader.api.call('updateNote', { ...numbered(1), body });
    const first = (await correct({ text: 'Foam at 9', based_on: 0 })).expect(200);
    expect(first).toMatchObject({ author: 'Ada', version: 1, updated_at: now(), edited_by: null });
    const refused = (await correct({ text: 'Foam at 10', based_on: 0 })).expect(409, 'note_changed');
    expect(refused).toMatchObject({ cause: expect.stringContaining('Foam at 9') });
    expect(await list()).toMatchObject([{ text: 'Foam at 9', version: 1 }]);
    expect((await correct({ text: 'Foam at 10', based_on: 1 })).expect(200)).toMatchObject({ version: 2 });
    (await correct({ based_on: 2 })).expect(400, 'nothing_to_change');
    // A program that names no version replaces the text, as before.
    expect((await correct({ text: 'Foam at 11' })).expect(200)).toMatchObject({ version: 3 });
    expect(await leader.client.getTimeline({ ...in07, query: { kinds: 'note' } })).toMatchObject([
      { by: 'Ada', note: { version: 3, edited_at: now(), edited_by: null } },
    ]);
  });

  it('of a unit end with the experiment; a text may follow, and an older note be corrected', async () => {
    (await write({ text: 'of rx01', reactor_unit: 'rx01' })).expect(201);
    await leader.clock.advance(600_000);
    (await leader.api.call('updateExperiment', { ...in07, body: { ended_at: true, keep_workers: true } })).expect(200);
    await leader.clock.advance(600_000);
    (await write({ text: 'late', reactor_unit: 'rx01' })).expect(409, 'note_outside_experiment');
    (await write({ text: 'Counted 3e8 per mL' })).expect(201);
    const change = (body: object) => leader.api.call('updateNote', { ...numbered(1), body });
    (await change({ text: 'foam' })).expect(200);
    (await change({ timestamp: now() })).expect(409, 'note_outside_experiment');
  });

  it('are refused with invalid fields, and identified by their number', async () => {
    for (const body of [
      { kind: 'poem', text: 'x' },
      { text: 5 },
      { text: 'x', volume_ml: 0 },
      { text: 'x', more: 1 },
    ]) {
      (await write(body)).expect(400, 'invalid_body');
    }
    (await write({ text: 'x' })).expect(201);
    (await leader.api.call('updateNote', { ...numbered(1), body: {} })).expect(400, 'nothing_to_change');
    for (const number of ['2', '0', 'x', '1.0', '999999999999999999']) {
      (await leader.api.call('updateNote', { ...numbered(number), body: { text: 'y' } })).expect(404, 'note_not_found');
      (await leader.api.call('deleteNote', numbered(number))).expect(404, 'note_not_found');
    }
    (await leader.api.call('listNotes', elsewhere)).expect(404, 'experiment_not_found');
    (await leader.api.call('createNote', { ...elsewhere, body: { text: 'x' } })).expect(404, 'experiment_not_found');
    const other = { params: { experiment: 'nowhere', note_id: '1' } };
    (await leader.api.call('updateNote', { ...other, body: { text: 'x' } })).expect(404, 'experiment_not_found');
    (await leader.api.call('deleteNote', other)).expect(404, 'experiment_not_found');
    (await leader.api.call('listNotes', { ...in07, query: { limit: 0 } })).expect(400, 'invalid_query');
  });
});

describe('a deleted experiment', () => {
  it('takes its groups and notes with it, and a new one of the same name begins with none', async () => {
    const groups = [{ name: 'a', units: ['rx01'] }];
    await leader.client.replaceReplicateGroups({ ...in07, body: { groups } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ ...in07, body: { reactor_unit: 'rx01' } });
    await leader.client.createNote({ ...in07, body: { kind: 'sample_taken', reactor_unit: 'rx01', volume_ml: 1 } });
    await leader.client.updateExperiment({ ...in07, body: { ended_at: true, archived: true } });
    const accepted = await leader.client.deleteExperiment(in07);
    await leader.client.createExperiment({ body: { experiment: name } });
    expect(await leader.client.getExperiment(in07)).not.toHaveProperty('ended_at');
    expect(await leader.client.listNotes({ ...in07, query: {} })).toEqual([]);
    expect(await leader.client.listReplicateGroups(in07)).toEqual([]);
    expect(await leader.node.volumeNotes.of(name, 'rx01')).toEqual([]);
    expect(await leader.finished(accepted)).toMatchObject({ status: 'succeeded' });
    expect(leader.storedRows('experiment_notes')).toEqual([]);
    expect(leader.storedRows('replicate_group_versions')).toEqual([]);
  });
});
