import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import {
  createClient,
  hasShape,
  leaderApi,
  type Permission,
  Session,
  UnitCredentials,
  unitOutcomes,
  waitForTask,
} from '@lcs/contract';
import {
  agentFetch,
  type KeyedCertificate,
  machineCertificate,
  machineServerName,
  realClock,
  unixSocketAgent,
} from '@lcs/platform';
import { type NodeProcess, startNodeProcess, temporaryFolder } from '@lcs/testkit';
import { MqttClient } from 'mqtt';
import { Type } from 'typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Ledger, machineIdOf } from '../kill-units/ledger.ts';
import { StoredRecords } from '../kill-units/stored.ts';
import { Laboratory, type Machine, noNamespaces } from './laboratory.ts';

const port = 4999;
const brokerPort = 8883;
const experiment = 'on the network';
const cameras = `/api/workers/rx01/camera/experiments/${encodeURIComponent(experiment)}`;
const person = { name: 'ada', password: 'three brown horses' };
const json = { 'content-type': 'application/json' };
/** All that topics of a job need. */
const mayListen = ['jobs.read', 'logs.read', 'experiments.read'] satisfies Permission[];
/** A process starts, a unit enrols, is assigned, or comes back. */
const limitMs = 60_000;

/** Each look takes processor time from what it waits for. */
const eventually = (look: () => Promise<void> | void) => vi.waitFor(look, { timeout: limitMs, interval: 200 });

type LeaderClient = ReturnType<typeof createClient<typeof leaderApi>>;

/** A running node, and the lines of its log. */
interface Node {
  readonly process: NodeProcess;
  readonly log: string[];
}

const urlOf = ({ address }: Machine): string => `https://${address}:${port}`;

async function startNode(at: Machine, ...args: readonly string[]): Promise<Node> {
  const log: string[] = [];
  const { namespace } = at;
  const process = await startNodeProcess(args, { namespace, onLog: (line) => log.push(line) });
  return { process, log };
}

const hasLogged = ({ log }: Node, word: string) => eventually(() => expect(log.join('\n')).toContain(word));

async function certificateOf(dataFolder: string): Promise<KeyedCertificate> {
  return machineCertificate(createPrivateKey(await readFile(join(dataFolder, 'storage', 'identity.pem'), 'utf8')));
}

const Link = Type.Object({ credentials: UnitCredentials });

async function credentialsIn(dataFolder: string): Promise<UnitCredentials> {
  const link: unknown = JSON.parse(await readFile(join(dataFolder, 'storage', 'credentials.json'), 'utf8'));
  if (!hasShape(Link, link)) throw new Error('The unit has no credentials.');
  return link.credentials;
}

const why = noNamespaces === undefined ? '' : ` (skipped without network namespaces: ${noNamespaces})`;

describe.skipIf(noNamespaces !== undefined)(`a cluster of machines${why}`, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let laboratory: Laboratory;
  let machines: Readonly<Record<'leader' | 'first' | 'second' | 'spare' | 'desk', Machine>>;
  let leader: Node;
  let first: Node;
  let second: Node;
  let client: LeaderClient;
  let session: {
    readonly baseUrl: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly fetch: typeof globalThis.fetch;
  };
  let ledger: Ledger;
  const nodes: Node[] = [];
  const folderOf = (name: string): string => join(folder.path, name);

  beforeAll(async () => {
    folder = await temporaryFolder('laboratory');
    laboratory = new Laboratory();
    machines = {
      leader: laboratory.machine('leader', '10.77.0.1'),
      first: laboratory.machine('first', '10.77.0.2'),
      second: laboratory.machine('second', '10.77.0.3'),
      spare: laboratory.machine('spare', '10.77.0.4'),
      desk: laboratory.machine('desk', '10.77.0.9'),
    };
    await laboratory.workAt(machines.desk, folder.path);
  });
  // Each step begins with the machines as the step before has left them.
  let isBroken = false;
  beforeEach(({ skip }) => skip(isBroken, 'an earlier step has failed'));
  afterEach(({ task }) => {
    isBroken ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    ledger?.close();
    // A killed unit would leave the process of its board.
    for (const { process } of nodes) process.child.kill('SIGTERM');
    await Promise.all(nodes.map(({ process }) => process.ended));
    await laboratory[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  async function startLeader(machine: Machine, name = 'lead', dataFolder = folderOf('lead')): Promise<Node> {
    const ports = ['--port', String(port), '--mqtt-port', '0', '--mqtt-tls-port', String(brokerPort)];
    const args = ['leader', '--name', name, '--host', machine.address, '--data-dir', dataFolder, ...ports];
    const node = await startNode(machine, ...args);
    nodes.push(node);
    return node;
  }

  async function startUnit(machine: Machine, name: string, dataFolder: string, ...more: readonly string[]) {
    const args = ['unit', '--name', name, '--host', machine.address, '--port', String(port), '--data-dir', dataFolder];
    const node = await startNode(machine, ...args, ...more);
    nodes.push(node);
    return node;
  }

  const request = async (url: string, init: RequestInit, options: Parameters<Laboratory['agent']>[0]) => {
    const agent = laboratory.agent(options);
    const response = await agentFetch(agent)(url, init);
    const body: unknown = JSON.parse(await response.text());
    agent.destroy();
    return { status: response.status, body, cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };

  /** As a node that presents this certificate, or none. */
  const asNode = (certificate?: KeyedCertificate) => ({
    servername: machineServerName,
    rejectUnauthorized: false,
    ...(certificate && { key: certificate.key, cert: certificate.certificate }),
  });

  async function connectToLeader(): Promise<void> {
    const ca = await readFile(join(folderOf('lead'), 'storage', 'ca.pem'), 'utf8');
    const baseUrl = urlOf(machines.leader);
    const signIn = { method: 'POST', headers: json, body: JSON.stringify(person) };
    const { body, cookie } = await request(`${baseUrl}/api/session`, signIn, { ca });
    if (!hasShape(Session, body)) throw new Error(`No sign-in: ${JSON.stringify(body)}`);
    const headers = { cookie, 'x-csrf-token': body.csrf_token ?? '' };
    session = { baseUrl, headers, fetch: agentFetch(laboratory.agent({ ca })) };
    client = createClient(leaderApi, session);
  }

  const statusOf = async (unit: string) => (await client.listUnits()).find(({ reactor_unit }) => reactor_unit === unit);
  const newCode = async () => (await client.createEnrolmentCode({ body: { reactor_unit: null } })).code;
  /** How many readings of a unit the leader has. */
  const readingsOf = async (unit: string): Promise<number> => {
    const { series, data } = await client.getOdReadings({ params: { experiment } });
    return series.flatMap((name, index) => (name.startsWith(unit) ? (data[index] ?? []) : [])).length;
  };
  const jobsOf = async (unit: string): Promise<readonly string[]> => {
    const { out } = await runProgram(['jobs', '--unit', unit, '--data-dir', folderOf('lead'), '--json']);
    const outcomes: Readonly<Record<string, { readonly value: readonly { readonly job_name: string }[] }>> =
      JSON.parse(out);
    return (outcomes[unit]?.value ?? []).map(({ job_name }) => job_name);
  };

  /** The answer of the leader's broker to an account on a connection with this certificate. */
  const answerOfBroker = async (account: UnitCredentials['mqtt'], unit: string, certificate: KeyedCertificate) => {
    const { address } = machines.leader;
    const stream = await laboratory.connectTls(address, brokerPort, asNode(certificate));
    const mqtt = new MqttClient(() => stream, { ...account, clientId: `reactor-${unit}`, reconnectPeriod: 0 });
    const answer = await new Promise<string>((resolve) => {
      mqtt.once('connect', () => resolve('connected'));
      mqtt.once('error', ({ message }) => resolve(message));
    });
    await mqtt.endAsync(true);
    return answer;
  };

  it('begins with a set-up code over TLS; two units join with one-time codes', async () => {
    leader = await startLeader(machines.leader);
    await hasLogged(leader, '"code"');
    const code = /"code":"([^"]+)"/.exec(leader.log.join('\n'))?.[1];
    const ca = await readFile(join(folderOf('lead'), 'storage', 'ca.pem'), 'utf8');
    const setUp = { method: 'POST', headers: json, body: JSON.stringify({ ...person, code }) };
    expect(await request(`${urlOf(machines.leader)}/api/setup`, setUp, { ca })).toMatchObject({ status: 201 });
    await connectToLeader();
    const codes = [await newCode(), await newCode()];
    const joining = ['--leader', urlOf(machines.leader), '--code'];
    [first, second] = await Promise.all([
      startUnit(machines.first, 'rx01', folderOf('rx01'), ...joining, codes[0] ?? ''),
      startUnit(machines.second, 'rx02', folderOf('rx02'), ...joining, codes[1] ?? ''),
    ]);
    await Promise.all([hasLogged(first, 'Enrolled'), hasLogged(second, 'Enrolled')]);
    expect(await client.listEnrolmentCodes()).toEqual([]);
  });

  it('runs jobs through the leader, and readings arrive there and at the broker', async () => {
    await client.createExperiment({ body: { experiment } });
    const { secret } = await client.createToken({ body: { name: 'listener', permissions: mayListen, days: 1 } });
    const ca = await readFile(join(folderOf('lead'), 'storage', 'ca.pem'), 'utf8');
    const stream = await laboratory.connectTls(machines.leader.address, brokerPort, { ca });
    const listener = new MqttClient(() => stream, { username: 'token', password: secret, reconnectPeriod: 0 });
    const published = new Promise<string>((resolve) => {
      listener.on('message', (topic) => resolve(topic));
    });
    await listener.subscribeAsync(`reactor/rx02/${experiment}/od_reading/+`);
    for (const reactor_unit of ['rx01', 'rx02']) {
      await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
      await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
      const params = { reactor_unit, job: 'od_reading', experiment };
      await client.runWorkerJob({ params, body: { options: { interval: 1 } } });
    }
    for (const unit of ['rx01', 'rx02'])
      await eventually(async () => expect(await readingsOf(unit)).toBeGreaterThan(2));
    expect(await published).toContain('reactor/rx02/');
    await listener.endAsync(true);
    await client.stopWorkerJob({ params: { reactor_unit: 'rx02', job_name: 'od_reading', experiment } });
    await eventually(async () => expect(await jobsOf('rx02')).toEqual(['monitor']));
    expect(await statusOf('rx01')).toMatchObject({ url: urlOf(machines.first), trouble: null, liveness: 'online' });
  });

  it.each([
    ['an answer that is passed on', 'GET', '/api/units/rx01/configuration'],
    ['a streamed archive of its calibrations', 'GET', '/api/workers/rx01/zipped_calibrations'],
    ['an archive of its data', 'GET', '/api/units/rx01/zipped_dot_reactor'],
    ['a still of its camera', 'POST', `${cameras}/stills`],
    ['the stills of its camera', 'GET', `${cameras}/stills.zip`],
  ])('reaches a unit for %s', async (_, method, path) => {
    const { baseUrl, headers, fetch } = session;
    const body = method === 'GET' ? {} : { body: '{}' };
    const response = await fetch(baseUrl + path, { method, headers: { ...headers, ...json }, ...body });
    const received = await response.text();
    expect(response.ok ? 'received' : received).toBe('received');
  });

  it('reports the clocks of its units', async () => {
    const accepted = await client.getUnitClocks({ params: { reactor_unit: '$broadcast' } });
    const { baseUrl: leaderUrl, headers, fetch } = session;
    const sleep = (ms: number) => realClock().sleep(ms);
    const task = await waitForTask(leaderUrl, accepted, { sleep, headers, fetch });
    expect([...unitOutcomes(task)].map(([unit, { ok }]) => [unit, ok])).toEqual(
      expect.arrayContaining([
        ['rx01', true],
        ['rx02', true],
      ]),
    );
  });

  it('has a unit back after a power cut, without a code, with its job', async () => {
    await first.process.kill('SIGKILL');
    const before = await readingsOf('rx01');
    first = await startUnit(machines.first, 'rx01', folderOf('rx01'), '--leader', urlOf(machines.leader));
    ledger = new Ledger('rx01', folderOf('rx01'));
    ledger.open();
    await eventually(async () => expect(await readingsOf('rx01')).toBeGreaterThan(before + 2));
    expect(await jobsOf('rx01')).toContain('od_reading');
  });

  it('receives what a unit has measured while its cable was out; its jobs stop at the machine itself', async () => {
    laboratory.cable('first', 'down');
    ledger.read();
    const { head } = ledger;
    await eventually(() => {
      ledger.read();
      expect(ledger.head).toBeGreaterThan(head + 3);
    });
    const stopped = await runProgram(['stop', '--all', '--data-dir', folderOf('rx01')]);
    expect([stopped.code, stopped.err]).toEqual([0, '']);
    ledger.read();
    laboratory.cable('first', 'up');
    await eventually(async () => {
      const status = await statusOf('rx01');
      expect(status).toMatchObject({ liveness: 'online', backlog: 0 });
      expect(await jobsOf('rx01')).toEqual(['monitor']);
      using stored = new StoredRecords(folderOf('lead'));
      const mark = stored.rows('select seq from feed_marks where reactor_unit = ?', 'rx01')[0]?.seq;
      expect(Number(mark)).toBeGreaterThanOrEqual(ledger.head);
    });
  });

  it('refuses a stolen token, and a stolen account of the broker, from a machine with another key', async () => {
    const { unit_token, leader_token, mqtt } = await credentialsIn(folderOf('rx01'));
    const thief = await machineCertificate(generateKeyPairSync('ed25519').privateKey);
    const statusWith = async (url: string, token: string, certificate?: KeyedCertificate) =>
      (await request(url, { headers: { authorization: `Bearer ${token}` } }, asNode(certificate))).status;
    const own = await certificateOf(folderOf('rx01'));
    const atLeader = `${urlOf(machines.leader)}/api/experiments`;
    // A unit may read no experiments: 403 shows that it is known, 401 that it is not.
    expect(await statusWith(atLeader, unit_token, own)).toBe(403);
    expect(await statusWith(atLeader, unit_token, thief)).toBe(401);
    expect(await statusWith(atLeader, unit_token)).toBe(401);
    const atUnit = `${urlOf(machines.first)}/unit_api/jobs/running`;
    expect(await statusWith(atUnit, leader_token, await certificateOf(folderOf('lead')))).toBe(200);
    expect(await statusWith(atUnit, leader_token, thief)).toBe(401);
    expect(await statusWith(atUnit, leader_token)).toBe(401);
    expect(await answerOfBroker(mqtt, 'rx01', thief)).toContain('Connection refused');
  });

  it('gives the name of a unit to another machine with a code, and refuses the former one', async () => {
    const former = await credentialsIn(folderOf('rx02'));
    const joining = ['--leader', urlOf(machines.leader), '--replace', '--code', await newCode()];
    const spare = await startUnit(machines.spare, 'rx02', folderOf('spare'), ...joining);
    await hasLogged(spare, 'Enrolled');
    await eventually(async () => {
      expect(await statusOf('rx02')).toMatchObject({ url: urlOf(machines.spare), liveness: 'online', trouble: null });
    });
    const headers = { authorization: `Bearer ${former.unit_token}` };
    const own = await certificateOf(folderOf('rx02'));
    const url = `${urlOf(machines.leader)}/api/experiments`;
    expect((await request(url, { headers }, asNode(own))).status).toBe(401);
    expect(await answerOfBroker(former.mqtt, 'rx02', own)).toContain('Connection refused');
    await second.process.kill('SIGTERM');
    await second.process.ended;
  });

  it('has units that obey no second leader, and find their own one at a new address by its key', async () => {
    await first.process.kill('SIGTERM');
    const other = await startLeader(machines.second, 'other', folderOf('other'));
    const ofOther = createClient(leaderApi, {
      baseUrl: 'http://localhost',
      fetch: agentFetch(unixSocketAgent(join(folderOf('other'), 'run', 'node.sock'))),
    });
    const { code } = await ofOther.createEnrolmentCode({ body: { reactor_unit: 'rx01' } });
    const joining = ['--leader', urlOf(machines.second), '--code', code];
    first = await startUnit(machines.first, 'rx01', folderOf('rx01'), ...joining);
    await hasLogged(first, 'foreign_leader');
    expect(await ofOther.discoverWorkers()).toEqual([]);
    await eventually(async () => expect(await statusOf('rx01')).toMatchObject({ liveness: 'online', trouble: null }));

    await Promise.all([other, leader].map(({ process }) => process.kill('SIGTERM')));
    const { address } = machines.second;
    laboratory.moved(machines.second, '10.77.0.13');
    machines = { ...machines, leader: laboratory.moved(machines.leader, address) };
    leader = await startLeader(machines.leader);
    await connectToLeader();
    await hasLogged(first, '"message":"Enrolled"');
    // The spare machine knows the former address only: there the leader has found it.
    for (const unit of ['rx01', 'rx02'])
      await eventually(async () => expect(await statusOf(unit)).toMatchObject({ liveness: 'online' }));
  });

  it('refuses a revoked machine everywhere, which is a fault of its unit', async () => {
    const { unit_token, mqtt } = await credentialsIn(folderOf('rx01'));
    const own = await certificateOf(folderOf('rx01'));
    await client.revokeCredentials({ params: { reactor_unit: 'rx01' } });
    expect(await statusOf('rx01')).toMatchObject({ trouble: 'revoked' });
    const headers = { authorization: `Bearer ${unit_token}` };
    const url = `${urlOf(machines.leader)}/api/experiments`;
    expect((await request(url, { headers }, asNode(own))).status).toBe(401);
    expect(await answerOfBroker(mqtt, 'rx01', own)).toContain('Connection refused');
    await hasLogged(first, 'The connection to the broker is lost');
  });

  it('has lost nothing, and has nothing twice', async () => {
    ledger.read();
    await leader.process.kill('SIGTERM');
    using stored = new StoredRecords(folderOf('lead'));
    const mark = stored.rows('select seq from feed_marks where reactor_unit = ?', 'rx01')[0]?.seq;
    const { lost, doubled, invented, readings } = stored.compare(ledger, machineIdOf(folderOf('rx01')), Number(mark));
    expect({ lost, doubled, invented }).toEqual({ lost: [], doubled: [], invented: [] });
    expect(readings).toBeGreaterThan(10);
  });
});
