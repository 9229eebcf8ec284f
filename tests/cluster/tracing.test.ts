import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { startLeader, startUnit, temporaryFolder } from '@lcs/testkit';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { expect, it, onTestFinished, vi } from 'vitest';

/** What a collector receives at `/v1/traces` (OTLP, JSON). */
const Export = Type.Object({
  resourceSpans: Type.Array(
    Type.Object({
      resource: Type.Object({
        attributes: Type.Array(Type.Object({ key: Type.String(), value: Type.Object({ stringValue: Type.String() }) })),
      }),
      scopeSpans: Type.Array(
        Type.Object({
          spans: Type.Array(
            Type.Object({
              name: Type.String(),
              traceId: Type.String(),
              spanId: Type.String(),
              parentSpanId: Type.Optional(Type.String()),
              kind: Type.Integer(),
              status: Type.Object({ code: Type.Integer() }),
              attributes: Type.Array(
                Type.Object({ key: Type.String(), value: Type.Record(Type.String(), Type.Unknown()) }),
              ),
            }),
          ),
        }),
      ),
    }),
  ),
});

interface ReceivedSpan {
  readonly service: string | undefined;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly values: ReadonlyMap<string, unknown>;
}

/** A collector of OpenTelemetry on a free port. */
async function collector() {
  const spans: ReceivedSpan[] = [];
  const paths = new Set<string | undefined>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      paths.add(request.url);
      const { resourceSpans } = Value.Parse(Export, JSON.parse(Buffer.concat(chunks).toString()));
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue;
        for (const { attributes, ...span } of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({
            ...span,
            service,
            values: new Map(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
          });
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { endpoint: `http://127.0.0.1:${port}`, spans, paths };
}

const within = { timeout: 20_000, interval: 50 };
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

it('sends the spans of a command: request to the leader, its task, and the requests to the unit, in the trace of the caller', async () => {
  const { endpoint, spans, paths } = await collector();
  const folder = await temporaryFolder('tracing');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await writeFile(join(folder.path, 'leader.ini'), `[tracing]\nendpoint = ${endpoint}/\n`);
  await using leader = await startLeader({ dataFolder: folder.path });
  const { client, clock } = leader;
  await using unit = await startUnit({ leaderUrl: leader.url, clock, configure: { tracingEndpoint: endpoint } });
  await client.createExperiment({ body: { experiment: 'e' } });
  await client.registerWorker({ body: { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params: { experiment: 'e' }, body: { reactor_unit: 'unit1' } });
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    within,
  );
  const params = { reactor_unit: 'unit1', experiment: 'e', job: 'stirring' };
  const answer = await leader.api.call('runWorkerJob', { params, body: {}, headers: { traceparent } });
  expect(await leader.finished(answer.expect(202))).toMatchObject({ status: 'succeeded' });

  const own = () => spans.filter(({ traceId }) => traceId === caller.traceId);
  await vi.waitFor(() => expect(new Set(own().map(({ service }) => service)).size).toBe(2), within);
  await vi.waitFor(() => expect(own().some(({ name }) => name.startsWith('task '))).toBe(true), within);
  const request = own().find(({ parentSpanId }) => parentSpanId === caller.spanId);
  expect(request).toMatchObject({ service: 'lcs-leader', kind: 2 });
  expect(Object.fromEntries(request?.values ?? [])).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 202,
  });
  const task = own().find(({ service, name }) => service === 'lcs-leader' && name.startsWith('task '));
  expect(task?.parentSpanId).toBe(request?.spanId);
  const atUnit = own().filter(({ service, kind }) => service === 'lcs-unit' && kind === 2);
  expect(atUnit.map(({ parentSpanId }) => parentSpanId)).toContain(task?.spanId);
  // What the nodes do by themselves is in other traces, and long polls are in none.
  expect(spans.some(({ traceId }) => traceId !== caller.traceId)).toBe(true);
  expect(spans.filter(({ name }) => /^GET .*\/(feed|live)$/.test(name))).toEqual([]);
  expect(own().filter(({ name }) => name.includes('/feed'))).toEqual([]);
  expect([...paths]).toEqual(['/v1/traces']);
}, 60_000);

it('works on while no collector answers, says so once, and stops at once', async () => {
  const { endpoint } = await collector();
  const away = endpoint.replace(/:\d+$/, ':9');
  await using leader = await startLeader({ configure: { tracingEndpoint: away } });
  for (let count = 0; count < 3; count += 1) await leader.client.listExperiments();
  const warnings = () => leader.log.lines.filter(({ message }) => message.startsWith('Spans cannot be sent'));
  await vi.waitFor(() => expect(warnings()).toHaveLength(1), within);
  const startedMs = performance.now();
  await leader.node.stop();
  expect(performance.now() - startedMs).toBeLessThan(5_000);
}, 60_000);

it('does not start a leader whose collector has no address', async () => {
  await expect(startLeader({ configure: { tracingEndpoint: 'collector' } })).rejects.toThrow(
    /OTEL_EXPORTER_OTLP_ENDPOINT/,
  );
});
