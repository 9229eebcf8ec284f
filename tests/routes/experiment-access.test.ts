import { runProgram } from '@lcs/cli/testing';
import { AcceptedTask, createClient, hasShape, leaderApi, nodeApi, type TokenCreation } from '@lcs/contract';
import { type LeaderUnderTest, signIn, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

const password = 'three brown horses';
const wholeApi = { ...leaderApi, ...nodeApi };
const names = ['ada', 'otto', 'mia', 'nina', 'vera'] as const;
type Name = (typeof names)[number];
type Headers = Readonly<Record<string, string>>;

let leader: LeaderUnderTest;
const sessions = new Map<Name, Headers>();
const headersOf = (name: Name): Headers => sessions.get(name) ?? {};
const as = (name: Name) => createClient(wholeApi, { baseUrl: leader.url, headers: headersOf(name) });
type Call = Parameters<LeaderUnderTest['api']['call']>;
const call = (name: Name, operation: Call[0], options: Call[1] = {}) =>
  leader.api.call(operation, { headers: headersOf(name), ...options });
const codeOf = async (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 'ok',
    ({ body }: { body?: { code?: string } }) => body?.code,
  );

const closed = { params: { experiment: 'closed' } };
const stirring = { reactor_unit: 'rx2', job: 'stirring', experiment: 'closed' };
const stopping = { reactor_unit: 'rx2', job_name: 'stirring', experiment: 'closed' };

/** `ada` is an administrator, `vera` a viewer, the others are operators: `otto` owns `closed`, `mia` is a member, `nina` is not. */
beforeAll(async () => {
  leader = await startLeader({ observe });
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  sessions.set('ada', await signIn(leader.url, 'ada', password));
  for (const name of names.slice(1)) {
    const role = name === 'vera' ? 'viewer' : 'operator';
    await as('ada').createPerson({ body: { name, role, password } });
    sessions.set(name, await signIn(leader.url, name, password));
  }
  for (const reactor_unit of ['rx1', 'rx2', 'rx3'])
    await as('ada').registerWorker({ body: { reactor_unit, model_name: 'reactor_20ml', model_version: '1.5' } });
  await as('nina').createExperiment({ body: { experiment: 'open' } });
  await as('otto').createExperiment({ body: { experiment: 'closed' } });
  await as('nina').assignWorker({ params: { experiment: 'open' }, body: { reactor_unit: 'rx1' } });
  await as('otto').assignWorker({ params: { experiment: 'closed' }, body: { reactor_unit: 'rx2' } });
  await as('otto').updateExperimentAccess({ ...closed, body: { is_protected: true, members: ['mia', 'Vera'] } });
});
afterAll(() => leader[Symbol.asyncDispose]());

describe('an experiment', () => {
  it('belongs to the person who created it, and everybody reads to whom it belongs', async () => {
    expect(await as('vera').getExperimentAccess(closed)).toEqual({
      experiment: 'closed',
      owner: 'otto',
      created_by: 'otto',
      is_protected: true,
      members: ['mia', 'vera'],
      may_act: true,
      may_change: false,
    });
    expect(await as('nina').getExperimentAccess(closed)).toMatchObject({ may_act: false, may_change: false });
    expect(await as('otto').getExperimentAccess(closed)).toMatchObject({ may_act: true, may_change: true });
    expect(await as('nina').getExperiment(closed)).toMatchObject({ protected: true });
    expect(await as('nina').getExperiment({ params: { experiment: 'open' } })).not.toHaveProperty('protected');
  });

  it('is changed by its owner and administrators only', async () => {
    const body = { is_protected: false };
    for (const name of ['nina', 'mia'] as const)
      (await call(name, 'updateExperimentAccess', { ...closed, body })).expect(
        403,
        name === 'mia' ? 'not_owner' : 'not_a_member',
      );
    (await call('otto', 'updateExperimentAccess', { ...closed, body: {} })).expect(400, 'nothing_to_change');
    (await call('otto', 'updateExperimentAccess', { ...closed, body: { owner: 'nobody' } })).expect(
      400,
      'member_unknown',
    );
    const unknown = { params: { experiment: 'none' } };
    (await call('ada', 'getExperimentAccess', unknown)).expect(404, 'experiment_not_found');
    (await call('ada', 'updateExperimentAccess', { ...unknown, body })).expect(404, 'experiment_not_found');
    (await call('ada', 'updateExperimentAccess', { ...closed, body: { members: ['mia'] } })).expect(200);
    (await call('ada', 'getExperimentAccess', closed)).expect(200);
  });
});

describe('a protected experiment', () => {
  it.each<[Name, string]>([
    ['nina', 'not_a_member'],
    ['mia', 'ok'],
    ['otto', 'ok'],
    ['ada', 'ok'],
  ])('admits %s: %s', async (name, code) => {
    const client = as(name);
    const settings = { settings: { target_rpm: 400 } };
    const seen = [
      client.updateExperiment({ ...closed, body: { description: name } }),
      client.createNote({ ...closed, body: { text: name } }),
      client.putUnitLabel({ ...closed, body: { unit: 'rx2', label: 'x' } }),
      client.putUnitLabel({ params: { experiment: 'current' }, body: { unit: 'rx2', label: 'x' } }),
      client.runWorkerJob({ params: stirring, body: {} }),
      client.runWorkerJob({ params: { ...stirring, experiment: '$experiment' }, body: {} }),
      client.runUnitJob({ params: { ...stirring, reactor_unit: '$broadcast' }, body: {} }),
      client.updateWorkerJob({ params: stirring, body: settings }),
      client.updateUnitJob({ params: { ...stirring, reactor_unit: '$broadcast' }, body: settings }),
      client.blinkWorker({ params: { reactor_unit: 'rx2' } }),
    ];
    // Units that no test answers for give other errors than a refusal.
    const codes = (await Promise.all(seen.map(codeOf))).map((one) => (one === 'not_a_member' ? one : 'ok'));
    expect(codes).toEqual(seen.map(() => code));
  });

  it('lets nobody else take or free its units, alone or with all others', async () => {
    const move = { params: { experiment: 'open' }, body: { reactor_unit: 'rx2' } };
    expect(await codeOf(as('nina').assignWorker(move))).toBe('not_a_member');
    expect(await codeOf(as('nina').unassignWorker({ params: { ...closed.params, reactor_unit: 'rx2' } }))).toBe(
      'not_a_member',
    );
    expect(await codeOf(as('nina').unassignExperimentWorkers(closed))).toBe('not_a_member');
    expect(await codeOf(as('nina').unassignAllWorkers())).toBe('not_a_member');
    expect(await codeOf(as('nina').blinkWorker({ params: { reactor_unit: '$broadcast' } }))).toBe('not_a_member');
    expect(await codeOf(as('nina').blinkWorker({ params: { reactor_unit: 'rx1' } }))).not.toBe('not_a_member');
    const workers = await as('nina').listExperimentWorkers(closed);
    expect(workers.map(({ reactor_unit }) => reactor_unit)).toEqual(['rx2']);
  });

  it('is read by everybody, and its jobs are stopped by everybody who may stop jobs', async () => {
    await as('vera').listNotes(closed);
    await as('nina').stopWorkerJob({ params: stopping });
    await as('nina').stopUnitJobsOfExperiment({ params: { reactor_unit: '$broadcast', experiment: 'closed' } });
    await as('nina').updateWorkerJob({ params: stirring, body: { settings: { $state: 'disconnected' } } });
    expect(await codeOf(as('vera').stopWorkerJob({ params: stopping }))).toBe('not_allowed');
  });

  it('gives nobody a permission that their role has not', async () => {
    await as('otto').updateExperimentAccess({ ...closed, body: { members: ['mia', 'vera'] } });
    expect(await codeOf(as('vera').updateExperiment({ ...closed, body: { description: 'x' } }))).toBe('not_allowed');
    expect(await codeOf(as('mia').deleteExperiment(closed))).toBe('not_allowed');
  });

  it('can be handed over; its former owner has no rights then', async () => {
    await as('otto').createExperiment({ body: { experiment: 'handed' } });
    const handed = { params: { experiment: 'handed' } };
    await as('otto').updateExperimentAccess({ ...handed, body: { owner: 'mia', is_protected: true } });
    expect(await codeOf(as('otto').updateExperimentAccess({ ...handed, body: { owner: 'otto' } }))).toBe(
      'not_a_member',
    );
    await as('mia').updateExperimentAccess({ ...handed, body: { is_protected: false, owner: null } });
    expect(await codeOf(as('mia').updateExperimentAccess({ ...handed, body: { owner: 'mia' } }))).toBe('not_owner');
    const headers = { ...headersOf('ada'), 'x-reason': 'handed over' };
    (await leader.api.call('deleteExperiment', { ...handed, headers })).expect(202);
    await as('nina').createExperiment({ body: { experiment: 'handed' } });
    expect(await as('nina').getExperimentAccess(handed)).toMatchObject({ owner: 'nina', is_protected: false });
  });
});

it('a token has the membership of its maker, and rights to protected experiments only if it lists them', async () => {
  const tokenOf = async (name: Name, ...permissions: string[]) => {
    const { secret } = await as(name).createToken({ body: { name: 'script', permissions, days: 1 } });
    return createClient(wholeApi, { baseUrl: leader.url, headers: { authorization: `Bearer ${secret}` } });
  };
  const note = { ...closed, body: { text: 'by a program' } };
  expect(await codeOf((await tokenOf('mia', 'experiments.write')).createNote(note))).toBe('ok');
  expect(await codeOf((await tokenOf('nina', 'experiments.write')).createNote(note))).toBe('not_a_member');
  expect(await codeOf((await tokenOf('ada', 'experiments.write')).createNote(note))).toBe('not_a_member');
  expect(await codeOf((await tokenOf('ada', 'experiments.write', 'experiments.manage')).createNote(note))).toBe('ok');
  const program = await tokenOf('otto', 'experiments.write', 'experiments.read');
  await program.createExperiment({ body: { experiment: 'by a program' } });
  expect(await program.getExperimentAccess({ params: { experiment: 'by a program' } })).toMatchObject({
    owner: 'otto',
    created_by: 'script',
  });
});

describe('a token with limits', () => {
  const limited = async (limits: Partial<TokenCreation>) => {
    const permissions = ['experiments.read', 'experiments.write', 'jobs.run', 'jobs.stop', 'inventory.read'];
    const body = { name: 'limited', permissions, days: 1, ...limits };
    const token = await as('nina').createToken({ body });
    const headers = { authorization: `Bearer ${token.secret}` };
    return { token, client: createClient(wholeApi, { baseUrl: leader.url, headers }) };
  };
  const outside = 'outside_token_limits';

  it('reads and acts within them only', async () => {
    const { client, token } = await limited({ experiments: ['open'] });
    const open = { params: { experiment: 'open' } };
    expect(token).toMatchObject({ experiments: ['open'], units: null });
    expect(await as('nina').listTokens()).toContainEqual(expect.objectContaining({ experiments: ['open'] }));
    expect(await client.getExperiment(open)).toMatchObject({ experiment: 'open' });
    await client.createNote({ ...open, body: { text: 'x' } });
    const stopOpen = { reactor_unit: 'rx1', job_name: 'stirring', experiment: 'open' };
    await client.stopWorkerJob({ params: stopOpen });
    expect(await client.getSession()).toMatchObject({ kind: 'token' });
    const refused = [
      client.getExperiment(closed),
      client.listExperiments(),
      client.listUnits(),
      client.createExperiment({ body: { experiment: 'further' } }),
      client.assignWorker({ ...open, body: { reactor_unit: 'rx2' } }),
      client.stopWorkerJob({ params: stopping }),
      client.stopWorkerJob({ params: { ...stopOpen, reactor_unit: '$broadcast', experiment: '$experiment' } }),
      client.blinkWorker({ params: { reactor_unit: 'rx3' } }),
    ];
    expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => outside));
    await client.assignWorker({ ...open, body: { reactor_unit: 'rx3' } });
    await as('nina').unassignWorker({ params: { experiment: 'open', reactor_unit: 'rx3' } });
  });

  it('may be limited to units', async () => {
    const { client } = await limited({ units: ['rx1'] });
    expect(await codeOf(client.blinkWorker({ params: { reactor_unit: 'rx1' } }))).not.toBe(outside);
    for (const reactor_unit of ['rx3', '$broadcast', 'lead'])
      expect(await codeOf(client.blinkWorker({ params: { reactor_unit } }))).toBe(outside);
    expect(await codeOf(client.getExperiment({ params: { experiment: 'open' } }))).toBe(outside);
  });
});

describe('the caller', () => {
  it('is the recorded author, whatever the request contains', async () => {
    const note = await as('mia').createNote({ ...closed, body: { text: 'x', author: 'Ada' } });
    expect(note).toMatchObject({ author: 'mia' });
    const params = { ...closed.params, note_id: String(note.note_id) };
    expect(await as('otto').updateNote({ params, body: { text: 'y', author: 'mia' } })).toMatchObject({
      author: 'mia',
      edited_by: 'otto',
      version: 1,
    });
    const code = '[ui.rename]\nrx1=first\n';
    await as('ada').saveSpecificConfig({ params: { reactor_unit: 'rx1' }, body: { code, author: 'mia' } });
    expect(leader.storedRows('config_histories').at(-1)).toMatchObject({ author: 'ada' });
  });

  it('owns the Idempotency-Keys that it sends: the same key of somebody else is another command', async () => {
    const post = async (name: Name) => {
      const response = await fetch(`${leader.url}/unit_api/jobs/stop/all`, {
        method: 'POST',
        headers: { ...headersOf(name), 'idempotency-key': 'my-key' },
      });
      const accepted: unknown = await response.json();
      if (!hasShape(AcceptedTask, accepted)) throw new Error('The stop was not accepted.');
      return { taskId: accepted.task_id, isReplayed: response.headers.get('idempotency-replayed') };
    };
    const first = await post('mia');
    expect(await post('mia')).toEqual({ ...first, isReplayed: 'true' });
    const other = await post('nina');
    expect(other.isReplayed).toBeNull();
    expect(other.taskId).not.toBe(first.taskId);
  });

  it('loses its live stream with its session and with its role', async () => {
    const follow = async (headers: Headers) => {
      const response = await fetch(`${leader.url}/api/live`, { headers });
      const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      if (chunks === undefined) throw new Error('There is no stream.');
      const rest = async (begin: string): Promise<string> => {
        for (let text = begin; ; ) {
          const { value, done } = await chunks.read();
          if (done) return text;
          text += value;
        }
      };
      const { value: begin = '' } = await chunks.read();
      return { ended: rest(begin) };
    };
    const session = await signIn(leader.url, 'nina', password);
    const [own, other] = await Promise.all([follow(session), follow(headersOf('vera'))]);
    await createClient(wholeApi, { baseUrl: leader.url, headers: session }).signOut();
    expect(await own.ended).toContain('event: snapshot');
    const vera = (await as('ada').listPeople()).find(({ name }) => name === 'vera');
    await as('ada').updatePerson({ params: { person_id: vera?.person_id ?? '' }, body: { role: 'operator' } });
    expect(await other.ended).toContain('event: snapshot');
  });
});

it('lcs shows and changes owner, members and protection', async () => {
  await as('otto').createExperiment({ body: { experiment: 'shared' } });
  const { secret } = await as('otto').createToken({
    body: { name: 'lcs', permissions: ['experiments.read', 'experiments.write'], days: 1 },
  });
  const members = async (...args: string[]) => {
    const options = { environment: { LCS_TOKEN: secret, LCS_URL: leader.url } };
    const { code, out, err } = await runProgram(['experiments', 'members', 'shared', ...args, '--json'], options);
    return code === 0 ? JSON.parse(out) : err;
  };
  expect(await members()).toMatchObject({ owner: 'otto', members: [], is_protected: false });
  expect(await members('--protect', '--add', 'mia', '--add', 'vera')).toMatchObject({
    members: ['mia', 'vera'],
    is_protected: true,
  });
  expect(await members('--add', 'Mia', '--remove', 'VERA')).toMatchObject({ members: ['mia'], is_protected: true });
  expect(await members('--protect', '--unprotect')).toContain('cannot be used');
  expect(await members('--add', 'nobody')).toContain('nobody');
  expect(await members('--unprotect', '--owner', 'nina')).toMatchObject({ owner: 'nina', is_protected: false });
  expect(await members('--no-owner')).toContain('shared');
});

it('owners, members, protection and limits survive a restart', async () => {
  await using folder = await startLeader({ observe });
  await folder.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  const ada = createClient(wholeApi, { baseUrl: folder.url, headers: await signIn(folder.url, 'ada', password) });
  await ada.createPerson({ body: { name: 'nina', role: 'operator', password } });
  await ada.createExperiment({ body: { experiment: 'kept' } });
  const kept = { params: { experiment: 'kept' } };
  await ada.registerWorker({ body: { reactor_unit: 'rx1', model_name: 'reactor_20ml', model_version: '1.5' } });
  await ada.assignWorker({ ...kept, body: { reactor_unit: 'rx1' } });
  await ada.updateExperimentAccess({ ...kept, body: { is_protected: true } });
  const body = { name: 'x', permissions: ['experiments.read'], days: 1, experiments: ['kept'] };
  const { secret } = await ada.createToken({ body });
  await folder.node.stop();
  await folder.node.start(new AbortController().signal);
  const { url } = folder.node;
  const nina = createClient(wholeApi, { baseUrl: url, headers: await signIn(url, 'nina', password) });
  expect(await nina.getExperimentAccess(kept)).toMatchObject({ owner: 'ada', is_protected: true, may_act: false });
  expect(await codeOf(nina.blinkWorker({ params: { reactor_unit: 'rx1' } }))).toBe('not_a_member');
  const program = createClient(wholeApi, { baseUrl: url, headers: { authorization: `Bearer ${secret}` } });
  expect(await program.getExperiment(kept)).toMatchObject({ protected: true });
  expect(await codeOf(program.listExperiments())).toBe('outside_token_limits');
});

it('an experiment has the fields of the specification; the list has its creator on request', async () => {
  const names = ['created_at', 'delta_hours', 'description', 'experiment', 'tags', 'worker_count'];
  const keysOf = (answer: object): readonly string[] => Object.keys(answer).sort();
  const open = { params: { experiment: 'open' } };
  expect(keysOf(await as('nina').getExperiment(open))).toEqual(names);
  expect(keysOf(await as('nina').createExperiment({ body: { experiment: 'new' } }))).toEqual(names);
  expect(keysOf(await as('nina').updateExperiment({ ...open, body: { description: '' } }))).toEqual(names);
  expect(keysOf((await as('nina').getLatestExperiment()) ?? {})).toEqual(names);
  for (const listed of [await as('nina').listExperiments(), await as('nina').listActiveExperiments()])
    expect(listed.filter((each) => 'created_by' in each)).toEqual([]);
  for (const query of [{ creators: true }, { creators: true, ended: false }])
    expect(await as('nina').listExperiments({ query })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ experiment: 'new', created_by: 'nina' }),
        expect.objectContaining({ experiment: 'closed', created_by: 'otto' }),
      ]),
    );
});
