import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { get } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryLog, OwnCertificate, realClock } from '@lcs/platform';
import { isPostgresInstalled, PostgresAdmin } from '@lcs/platform/testing';
import { postgresOf, temporaryFolder } from '@lcs/testkit';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { freePort } from '../../packages/leader/src/testing/test-brokers.ts';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const program = fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url));
const within = { timeout: 60_000, interval: 200 };

const Service = Type.Object({ command: Type.Array(Type.String()) });
const Compose = Type.Object({ services: Type.Object({ control: Service, ingest: Service, api: Service }) });
const Mosquitto = Type.Object({ services: Type.Object({ mosquitto: Service }) });

const Named = Type.Object({ name: Type.String() });
const Probe = Type.Object({
  httpGet: Type.Optional(Type.Object({ scheme: Type.Literal('HTTPS'), path: Type.String(), port: Type.Number() })),
});
const Container = Type.Object({
  name: Type.String(),
  command: Type.Optional(Type.Array(Type.String())),
  ports: Type.Optional(Type.Array(Type.Object({ containerPort: Type.Number() }))),
  volumeMounts: Type.Array(Named),
  readinessProbe: Type.Optional(Probe),
  livenessProbe: Type.Optional(Probe),
  startupProbe: Type.Optional(Probe),
});
const Manifest = Type.Object({
  kind: Type.String(),
  metadata: Named,
  spec: Type.Optional(
    Type.Object({
      replicas: Type.Optional(Type.Number()),
      selector: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      ports: Type.Optional(Type.Array(Type.Object({ port: Type.Number() }))),
      template: Type.Optional(
        Type.Object({
          metadata: Type.Object({ labels: Type.Record(Type.String(), Type.String()) }),
          spec: Type.Object({
            initContainers: Type.Optional(Type.Array(Container)),
            containers: Type.Array(Container),
            volumes: Type.Optional(
              Type.Array(
                Type.Object({
                  name: Type.String(),
                  persistentVolumeClaim: Type.Optional(Type.Object({ claimName: Type.String() })),
                  secret: Type.Optional(Type.Object({ secretName: Type.String() })),
                }),
              ),
            ),
          }),
        }),
      ),
      volumeClaimTemplates: Type.Optional(Type.Array(Type.Object({ metadata: Named }))),
    }),
  ),
});

const composeOf = async () =>
  Value.Parse(Compose, parse(await readFile(join(examples, 'compose/postgres.yaml'), 'utf8'), { merge: true }))
    .services;

async function manifests() {
  const documents = parseAllDocuments(await readFile(join(examples, 'kubernetes/lcs.yaml'), 'utf8'));
  return documents.map((document) => Value.Parse(Manifest, document.toJS()));
}

/** The manifests of processes, with their only container. */
async function workloads() {
  return (await manifests()).flatMap(({ metadata: { name }, spec }) => {
    const [container] = spec?.template?.spec.containers ?? [];
    return container === undefined || spec?.template === undefined
      ? []
      : [{ name, ...spec, template: spec.template, container }];
  });
}

const containerOf = async (name: string) => (await workloads()).find((one) => one.name === name)?.container;

/** The status of a request, as a probe makes it: whatever the certificate is. */
async function statusAt(url: string): Promise<number | undefined> {
  const [response] = await once(get(url, { rejectUnauthorized: false, agent: false }), 'response');
  response.resume();
  return response.statusCode;
}

it('the manifests start the same commands as the compose examples, and name nothing that is not there', async () => {
  const services = await composeOf();
  for (const name of ['control', 'ingest', 'api'] as const)
    expect((await containerOf(name))?.command, name).toEqual(services[name].command);
  const { mosquitto } = Value.Parse(
    Mosquitto,
    parse(await readFile(join(examples, 'compose/compose.yaml'), 'utf8')),
  ).services;
  expect((await containerOf('mosquitto'))?.command).toEqual(mosquitto.command);

  const all = await manifests();
  const namesOf = (kind: string) => all.flatMap((one) => (one.kind === kind ? [one.metadata.name] : []));
  // The documents say how to make the last two.
  const secrets = [...namesOf('Secret'), 'lcs-broker-files', 'lcs-api-tls'];
  const processes = await workloads();
  expect(processes.map(({ name }) => name)).toEqual(['postgres', 'control', 'ingest', 'api', 'mosquitto']);
  for (const { name, template, container, selector, volumeClaimTemplates = [] } of processes) {
    expect(selector, name).toEqual({ matchLabels: template.metadata.labels });
    const { volumes = [], initContainers = [] } = template.spec;
    const known = [...volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)].map((volume) => volume.name);
    for (const mount of [...initContainers, container].flatMap(({ volumeMounts }) => volumeMounts))
      expect(known, name).toContain(mount.name);
    for (const { persistentVolumeClaim, secret } of volumes) {
      if (persistentVolumeClaim !== undefined)
        expect(namesOf('PersistentVolumeClaim'), name).toContain(persistentVolumeClaim.claimName);
      if (secret !== undefined) expect(secrets, name).toContain(secret.secretName);
    }
  }
  for (const { kind, metadata, spec } of all.filter(({ kind }) => kind === 'Service')) {
    const behind = processes.filter(({ template }) => template.metadata.labels.app === spec?.selector?.app);
    expect(behind, `${kind} ${metadata.name}`).toHaveLength(1);
    expect(spec?.ports, metadata.name).toEqual(
      behind[0]?.container.ports?.map(({ containerPort: port }) => ({ port })),
    );
  }
});

it.skipIf(!isPostgresInstalled)(
  'the compose example with PostgreSQL starts an api process that finds the control process, its standby and an ingest process, outside of containers; the probes of the manifests are answered',
  async () => {
    await using folder = await temporaryFolder('compose');
    const { url: database } = await postgresOf(folder.path);
    const services = await composeOf();
    const [data, tls] = [join(folder.path, 'data'), join(folder.path, 'tls')];
    await mkdir(data);
    await mkdir(tls);
    const certificates = join(folder.path, 'certificates');
    const certificate = new OwnCertificate({
      folder: certificates,
      owner: 'api',
      names: () => ['127.0.0.1'],
      clock: realClock(),
      log: memoryLog(),
    });
    await certificate.start();
    onTestFinished(() => certificate.stop());
    for (const name of ['api.pem', 'api.key']) await copyFile(join(certificates, 'server.pem'), join(tls, name));
    const ports = new Map([
      ['4998', String(await freePort())],
      ['4999', String(await freePort())],
    ]);
    /** What the containers see, on this machine. */
    const here = (word: string): string =>
      ports.get(word) ??
      word
        .replace(/^\/data$/, data)
        .replace(/^\/tls(?=\/)/, tls)
        .replace('postgres://lcs@postgres/lcs', database);
    const start = (words: readonly string[], ...more: readonly string[]) => {
      const child = spawn(process.execPath, [program, ...words.slice(1), ...more], { stdio: 'ignore' });
      onTestFinished(async () => {
        const ended = once(child, 'exit');
        if (child.exitCode === null && child.kill()) await ended;
      });
    };
    // The port of the embedded broker could be taken; the example has an external one.
    const control = services.control.command.map(here);
    const broker = ['--broker-url', 'mqtt://127.0.0.1:9'];
    start(control, ...broker);
    start(services.api.command.map(here));
    /** Status of a probe of the manifests, at this port of this machine. */
    const probed = async (name: string, kind: 'readinessProbe' | 'livenessProbe' | 'startupProbe', port?: string) => {
      const probe = (await containerOf(name))?.[kind]?.httpGet;
      return probe && (await statusAt(`https://127.0.0.1:${port ?? ports.get(String(probe.port))}${probe.path}`));
    };
    await vi.waitFor(
      async () => expect(await statusAt(`https://127.0.0.1:${ports.get('4999')}/readyz`)).toBe(200),
      within,
    );
    for (const name of ['control', 'api'])
      for (const kind of ['readinessProbe', 'livenessProbe'] as const) expect(await probed(name, kind), name).toBe(200);
    // Before the control process has made its key, an ingest process ends, and its container starts it again.
    start(services.ingest.command.map(here));
    await using admin = await PostgresAdmin.open(database);
    const ingests = () => admin.rows('select process from lcs_process.ingest');
    await vi.waitFor(async () => expect(await ingests()).toHaveLength(1), within);
    // The second pod: alive, and not in the service.
    const port = String(await freePort());
    start(
      control.map((word) => (word === ports.get('4998') ? port : word)),
      ...broker,
    );
    await vi.waitFor(async () => expect(await probed('control', 'livenessProbe', port)).toBe(200), within);
    expect(await probed('control', 'startupProbe', port)).toBe(200);
    expect(await probed('control', 'readinessProbe', port)).toBe(503);
  },
  240_000,
);
