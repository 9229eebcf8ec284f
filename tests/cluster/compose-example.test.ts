import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@lcs/cli/testing';
import { memoryLog, OwnCertificate, realClock } from '@lcs/platform';
import { temporaryFolder } from '@lcs/testkit';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { freePort, installedPlugin, isMosquittoInstalled } from '../../packages/leader/src/testing/test-brokers.ts';

const example = fileURLToPath(new URL('../../examples/compose/', import.meta.url));
const program = fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url));
const within = { timeout: 60_000, interval: 500 };

const Service = Type.Object({
  command: Type.Array(Type.String()),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  ports: Type.Array(Type.String()),
  volumes: Type.Array(Type.String()),
});
const Compose = Type.Object({ services: Type.Object({ leader: Service, mosquitto: Service }) });

describe.skipIf(!isMosquittoInstalled)('the compose example (skipped where Mosquitto is not installed)', () => {
  it('starts a leader and a broker that lcs doctor broker finds in order, with its commands outside of containers', async () => {
    const folder = await temporaryFolder('compose');
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const { services } = Value.Parse(Compose, parse(await readFile(join(example, 'compose.yaml'), 'utf8')));
    expect(services.leader).toMatchObject({ ports: ['4999:4999'], volumes: ['./data:/data', './broker:/broker'] });
    expect(services.mosquitto).toMatchObject({ ports: ['8883:8883'], volumes: ['./broker:/broker'] });
    const [data, broker] = [join(folder.path, 'data'), join(folder.path, 'broker')];
    const [httpPort, brokerPort] = [await freePort(), await freePort()];
    /** What the containers see, on this machine. */
    const here = (text: string): string =>
      text
        .replaceAll(/(?<![\w./])\/data\b/g, data)
        .replaceAll(/(?<![\w./])\/broker\b/g, broker)
        .replace(/^4999$/, String(httpPort))
        .replace('mqtts://broker.lab:8883', `mqtts://127.0.0.1:${brokerPort}`)
        .replace('listener 8883', `${process.getuid?.() === 0 ? 'user root\n' : ''}listener ${brokerPort} 127.0.0.1`)
        .replace('/usr/lib/mosquitto_dynamic_security.so', installedPlugin ?? '');
    await mkdir(data);
    await mkdir(broker);
    for (const file of ['data/leader.ini', 'broker/mosquitto.conf'])
      await writeFile(join(folder.path, file), here(await readFile(join(example, file), 'utf8')), { mode: 0o600 });
    const certificates = join(folder.path, 'certificates');
    const certificate = new OwnCertificate({
      folder: certificates,
      owner: 'broker',
      names: () => ['127.0.0.1'],
      clock: realClock(),
      log: memoryLog(),
    });
    await certificate.start();
    onTestFinished(() => certificate.stop());
    await copyFile(join(certificates, 'ca.pem'), join(broker, 'ca.pem'));
    for (const name of ['broker.pem', 'broker.key'])
      await copyFile(join(certificates, 'server.pem'), join(broker, name));

    const start = ({ command, environment = {} }: (typeof services)['leader']) => {
      const [first = '', ...words] = command.map(here);
      const [file, args] = first === 'lcs' ? [process.execPath, [program, ...words]] : [first, words];
      const variables = Object.entries(environment).map(([name, value]) => [name, here(value)]);
      const child = spawn(file, args, {
        stdio: 'ignore',
        env: { PATH: `${process.env.PATH}:/usr/sbin`, ...Object.fromEntries(variables) },
      });
      onTestFinished(async () => {
        const ended = once(child, 'exit');
        if (child.exitCode === null && child.kill()) await ended;
      });
    };
    const lcs = (...words: readonly string[]) => runProgram([...words, '--data-dir', data]);
    start(services.leader);
    // Without its socket, lcs would ask whoever listens on the usual port.
    await vi.waitFor(() => access(join(data, 'run', 'node.sock')), within);
    const security = ['broker', 'dynamic-security', '--file', here('/broker/dynamic-security.json')];
    await vi.waitFor(async () => expect(await lcs(...security)).toMatchObject({ code: 0 }), within);
    expect((await lcs('doctor', 'broker')).out).toContain('cannot be reached');
    start(services.mosquitto);
    await vi.waitFor(async () => expect(await lcs('doctor', 'broker')).toMatchObject({ code: 0 }), within);
    const { out } = await lcs('doctor', 'broker');
    expect(out).toContain('is trusted (TLSv1.3)');
  }, 120_000);
});
