import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { runProgram } from '@lcs/cli/testing';
import { createClient, leaderApi } from '@lcs/contract';
import { memoryLog, OwnCertificate, realClock } from '@lcs/platform';
import { signIn, startLeader, startUnit, temporaryFolder } from '@lcs/testkit';
import { connectAsync, type IClientOptions } from 'mqtt';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  exampleBroker,
  freePort,
  isMosquittoInstalled,
  withQuickHash,
} from '../../../packages/leader/src/testing/test-brokers.ts';

const [reactor_unit, experiment] = ['unit1', 'ramp 7'];
const branch = `reactor/${reactor_unit}/${experiment}`;
const monitorState = `reactor/${reactor_unit}/$experiment/monitor/$state`;
const account = { username: 'lcs', password: 'five green lamps' };
const password = 'three brown horses';
const readingEveryMs = 5_000;
const within = { timeout: 30_000, interval: 100 };

/** A leader with a unit on Mosquitto with the documented configuration, people and a token. */
async function laboratory() {
  const folder = await temporaryFolder('external-broker');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const certificate = new OwnCertificate({
    folder: join(folder.path, 'certificates'),
    owner: 'broker',
    names: () => ['127.0.0.1'],
    clock: realClock(),
    log: memoryLog(),
  });
  await certificate.start();
  onTestFinished(() => certificate.stop());
  const authority = await readFile(join(folder.path, 'certificates', 'ca.pem'), 'utf8');
  // As NODE_EXTRA_CA_CERTS does for a process that starts.
  setDefaultCACertificates([...getCACertificates('default'), authority]);
  const port = await freePort();
  const ini = `[broker]\nmode = external\nurl = mqtts://127.0.0.1:${port}\nusername = ${account.username}\npassword = ${account.password}\n`;
  await writeFile(join(folder.path, 'leader.ini'), ini, { mode: 0o600 });
  const leader = await startLeader({ dataFolder: folder.path });
  onTestFinished(() => leader[Symbol.asyncDispose]());
  const unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock, usesBroker: true });
  onTestFinished(() => unit[Symbol.asyncDispose]());
  await leader.client.createExperiment({ body: { experiment } });
  await leader.client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    within,
  );
  for (const job of ['stirring', 'od_reading']) {
    const accepted = await unit.client.runJob({ params: { job }, body: {} });
    expect(await unit.finished(accepted)).toMatchObject({ status: 'succeeded' });
  }
  // From now on callers without an account may do nothing.
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  const client = createClient(leaderApi, { baseUrl: leader.url, headers: await signIn(leader.url, 'ada', password) });
  const token = await client.createToken({
    body: { name: 'program', permissions: ['experiments.read', 'jobs.read', 'jobs.run', 'inventory.read'], days: 1 },
  });
  const securityFile = join(folder.path, 'dynamic-security.json');
  const lcs = (...words: readonly string[]) => runProgram([...words, '--data-dir', folder.path]);
  expect(await lcs('broker', 'dynamic-security', '--file', securityFile)).toMatchObject({ code: 0, err: '' });
  await writeFile(securityFile, withQuickHash(await readFile(securityFile, 'utf8'), account));
  const server = join(folder.path, 'certificates', 'server.pem');
  const broker = await exampleBroker({
    port,
    securityFile,
    account,
    certificateFile: server,
    keyFile: server,
    autosaveS: 1,
  });
  onTestFinished(() => broker.close());
  /** A program with the token. Its messages, in their order. */
  const program = async (options: IClientOptions = {}) => {
    const opened = await connectAsync(broker.url, {
      username: `token:${token.token_id}`,
      password: token.secret,
      reconnectPeriod: 100,
      ...options,
    });
    onTestFinished(() => opened.endAsync(true));
    const messages: { readonly topic: string; readonly payload: string }[] = [];
    opened.on('message', (topic, payload) => messages.push({ topic, payload: payload.toString() }));
    return { client: opened, messages };
  };
  return { leader, broker, program, lcs };
}

/** What Mosquitto saves from now on is complete. */
async function untilSaved(file: string): Promise<void> {
  const since = Date.now();
  await vi.waitFor(async () => expect((await stat(file)).mtimeMs).toBeGreaterThan(since + 1_000), within);
}

describe.skipIf(!isMosquittoInstalled)('Mosquitto as documented (skipped where it is not installed)', () => {
  it('restarts and is killed: sessions, states and commands continue, and no reading is lost or doubled', async () => {
    const { leader, broker, program, lcs } = await laboratory();
    const { clock } = leader;
    await vi.waitFor(async () => expect(await lcs('doctor', 'broker')).toMatchObject({ code: 0 }), within);
    const ofLasting = { clientId: 'recorder', clean: false };
    const observer = await program();
    await observer.client.subscribeAsync('reactor/#', { qos: 1 });
    await vi.waitFor(() => expect(observer.messages).toContainEqual({ topic: monitorState, payload: 'ready' }), within);

    for (const [signal, rpm] of [
      ['SIGTERM', '310'],
      ['SIGKILL', '320'],
    ] as const) {
      const recorder = await program(ofLasting);
      await recorder.client.subscribeAsync(`${branch}/stirring/target_rpm`, { qos: 1 });
      await recorder.client.endAsync();
      await observer.client.publishAsync(`${branch}/stirring/target_rpm/set`, rpm, { qos: 1 });
      await vi.waitFor(
        () => expect(observer.messages).toContainEqual({ topic: `${branch}/stirring/target_rpm`, payload: rpm }),
        within,
      );
      expect((await lcs('doctor', 'broker', '--before-restart')).code).toBe(0);
      if (signal === 'SIGKILL') await untilSaved(broker.savedFile);
      await clock.advance(60_000);
      observer.messages.length = 0;
      await broker.restart(signal);
      await clock.advance(60_000);

      const { client: again, messages } = await program(ofLasting);
      await vi.waitFor(() => expect(messages).toContainEqual({ topic: `${branch}/stirring/target_rpm`, payload: rpm }));
      await again.endAsync();
      expect(await lcs('doctor', 'broker', '--after-restart')).toMatchObject({ code: 0 });
      // Leader and unit are back, and have published their states.
      await vi.waitFor(async () => expect(await lcs('doctor', 'broker')).toMatchObject({ code: 0 }), within);
      const states = new Map(observer.messages.map(({ topic, payload }) => [topic, payload]));
      expect(states.get(`${branch}/stirring/$state`)).toBe('ready');

      // A command of QoS 1 is carried out once.
      const next = String(Number(rpm) + 5);
      await observer.client.publishAsync(`${branch}/stirring/target_rpm/set`, next, { qos: 1 });
      await vi.waitFor(
        () => expect(observer.messages).toContainEqual({ topic: `${branch}/stirring/target_rpm`, payload: next }),
        within,
      );
      expect(observer.messages.filter(({ payload }) => payload === next)).toHaveLength(2);
    }

    // Readings go over HTTP: their times have no gap, and none comes twice.
    await clock.advance(60_000);
    const series = leader.storedRows('series').filter(({ source }) => source === 'od');
    expect(series.length).toBeGreaterThan(0);
    const untilMs = clock.now();
    for (const { id } of series) {
      const read = () =>
        leader.storedRows('samples').flatMap(({ series_id, at }) => (series_id === id ? [Number(at)] : []));
      await vi.waitFor(() => expect(read().at(-1)).toBeGreaterThan(untilMs - 2 * readingEveryMs), within);
      const times = read();
      const lastedMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
      expect(lastedMs).toBeGreaterThan(280_000);
      expect(times).toHaveLength(Math.round(lastedMs / readingEveryMs) + 1);
    }
  }, 180_000);
});
