import { type Clock, realClock } from '@lcs/platform';
import { addToyUnit, type LeaderUnderTest, signedInClient, startLeader } from '@lcs/testkit';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'exp 1', description: 'first' } });
});
afterEach(() => leader[Symbol.asyncDispose]());

/** The clock of the computer, on which a query has a minute instead of 5 s: with PostgreSQL each starts a thread, and all tests run at once. */
function slowTimeoutClock(): Clock {
  const clock = realClock();
  return { ...clock, after: (delayMs, action) => clock.after(delayMs === 5_000 ? 60_000 : delayMs, action) };
}

/** The client of the protocol's own library. */
async function connected(headers: Readonly<Record<string, string>> = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const http = new StreamableHTTPClientTransport(new URL('/mcp/', leader.url), { requestInit: { headers } });
  // The library declares its own transport a little differently from what its client takes.
  const transport: Transport = {
    start: () => http.start(),
    close: () => http.close(),
    send: (message) => http.send(message),
    setProtocolVersion: (version) => http.setProtocolVersion(version),
    set onmessage(listener: NonNullable<Transport['onmessage']>) {
      http.onmessage = (message) => listener(message);
    },
    set onclose(listener: () => void) {
      http.onclose = listener;
    },
    set onerror(listener: (error: Error) => void) {
      http.onerror = listener;
    },
  };
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

const allow = async (...keys: readonly string[]) => {
  const lines = keys.map((key) => `${key}=1`).join('\n');
  const code = `${await leader.client.getSharedConfig()}\n[mcp]\n${lines}\n`;
  await leader.client.saveSharedConfig({ body: { code } });
};
const allowActing = () => allow('allow_acting_tools');

const readingTools = [
  ...['get_current_job_settings_for_reactor_unit', 'get_experiment', 'get_experiments', 'get_growth_rates'],
  ...['get_jobs_running_on_reactor_unit', 'get_od_readings', 'get_reactor_unit_capabilities', 'get_reactor_workers'],
  ...['get_recent_experiment_logs', 'get_temperature_readings', 'get_units', 'get_workers_of_experiment'],
  ...['get_reactor_unit_configuration', 'get_experiment_profiles'],
];
const queryTools = ['db_get_tables', 'db_get_table_schema', 'db_query_db'];
const actingTools = [
  ...['assign_workers_to_experiment', 'blink_reactor_unit', 'create_experiment', 'run_job_or_action_on_reactor_unit'],
  ...['stop_job_on_reactor_unit', 'unassign_worker_from_experiment', 'update_reactor_unit_job_settings'],
  ...['reboot_reactor_unit', 'shutdown_reactor_unit', 'run_experiment_profile'],
  'export_experiment_data',
];

describe('tools', () => {
  it('only read until the configuration allows more', async () => {
    await using first = await connected();
    const { tools } = await first.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(readingTools));
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
    const refused = first.client.callTool({ name: 'create_experiment', arguments: { experiment: 'exp 2' } });
    await expect(refused).rejects.toMatchObject({ code: -32602 });
    expect(await leader.client.listExperiments()).toHaveLength(1);
    await allowActing();
    await using second = await connected();
    const all = await second.client.listTools();
    expect(all.tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...readingTools, ...actingTools]));
    const made = await second.client.callTool({ name: 'create_experiment', arguments: { experiment: 'exp 2' } });
    expect(made.structuredContent).toMatchObject({ experiment: 'exp 2', worker_count: 0 });
    expect(made.isError).toBeUndefined();
  });

  it('report faults in their result, with the error of the API', async () => {
    await allowActing();
    await using mcp = await connected();
    const taken = await mcp.client.callTool({ name: 'create_experiment', arguments: { experiment: 'exp 1' } });
    expect(taken).toMatchObject({ isError: true, structuredContent: { status: 409, code: 'experiment_name_taken' } });
    const strange = await mcp.client.callTool({ name: 'create_experiment', arguments: { experiment: 7 } });
    expect(strange).toMatchObject({ isError: true, structuredContent: { status: 400, cause: expect.any(String) } });
    const missing = await mcp.client.callTool({ name: 'create_experiment', arguments: {} });
    expect(missing).toMatchObject({ isError: true, structuredContent: { status: 400 } });
    await expect(mcp.client.callTool({ name: 'drop_tables' })).rejects.toMatchObject({ code: -32602 });
  });

  it('choose what is active, and names with any letter', async () => {
    await leader.client.createExperiment({ body: { experiment: 'a & b ü' } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx02' } });
    await leader.client.assignWorker({ params: { experiment: 'a & b ü' }, body: { reactor_unit: 'rx01' } });
    await leader.client.setWorkerActivation({ params: { reactor_unit: 'rx02' }, body: { is_active: 0 } });
    await using mcp = await connected();
    const call = async (name: string, args: Record<string, unknown>) =>
      (await mcp.client.callTool({ name, arguments: args })).structuredContent;
    expect(await call('get_experiments', { active_only: true })).toMatchObject({
      result: [{ experiment: 'a & b ü' }],
    });
    expect(await call('get_experiments', {})).toMatchObject({ result: [{}, {}] });
    expect(await call('get_reactor_workers', { active_only: true })).toMatchObject({
      result: [{ reactor_unit: 'rx01' }],
    });
    expect(await call('get_experiment', { experiment: 'a & b ü' })).toMatchObject({ experiment: 'a & b ü' });
    expect(await call('get_recent_experiment_logs', { experiment: 'a & b ü', lines: 1 })).toMatchObject({
      result: [{ level: expect.any(String) }],
    });
    expect(await call('get_growth_rates', { experiment: 'exp 1' })).toEqual({ series: [], data: [] });
  });

  it('wait for units, and list those that did not answer', async () => {
    await allowActing();
    const stirring = {
      job_name: 'stirring',
      help: 'Turns.',
      arguments: [],
      options: [
        {
          name: 'target_rpm',
          long_flag: 'target-rpm',
          help: '',
          required: false,
          multiple: false,
          default: null,
          type: 'float',
        },
      ],
      published_settings: { $state: { datatype: 'string', settable: true } },
      cli_example: 'lcs run stirring',
    };
    await using unit = await addToyUnit(leader, 'rx01', {
      answer: ({ path }) => (path === '/unit_api/capabilities' ? { status: 200, body: [stirring] } : undefined),
    });
    await leader.client.registerWorker({ body: { reactor_unit: 'rx00' } });
    await leader.client.assignWorker({ params: { experiment: 'exp 1' }, body: { reactor_unit: 'rx01' } });
    await using mcp = await connected();
    const call = async (name: string, args: Record<string, unknown>) =>
      (await mcp.client.callTool({ name, arguments: args })).structuredContent;
    expect(await call('get_reactor_unit_capabilities', { reactor_unit: '$broadcast', condensed: true })).toMatchObject({
      rx00: { ok: false, error: { kind: 'connection_error' } },
      rx01: {
        ok: true,
        value: [{ job_name: 'stirring', help: 'Turns.', options: ['target_rpm'], published_settings: ['$state'] }],
      },
    });
    await call('run_job_or_action_on_reactor_unit', {
      reactor_unit: 'rx01',
      job_or_action: 'stirring',
      experiment: 'exp 1',
      options: { target_rpm: 400 },
    });
    await call('stop_job_on_reactor_unit', { experiment: 'exp 1', job: 'stirring' });
    await call('stop_job_on_reactor_unit', { experiment: 'exp 1' });
    await call('blink_reactor_unit', { reactor_unit: 'rx01' });
    const sent = unit.requests.filter(({ method }) => method !== 'GET').map(({ path, body }) => ({ path, body }));
    expect(sent).toEqual(
      expect.arrayContaining([
        {
          path: '/unit_api/jobs/run/job_name/stirring',
          body: expect.objectContaining({
            options: { target_rpm: 400 },
            env: expect.objectContaining({ JOB_SOURCE: 'mcp', EXPERIMENT: 'exp 1' }),
          }),
        },
        { path: '/unit_api/jobs/stop', body: { job_name: 'stirring', experiment: 'exp 1' } },
        { path: '/unit_api/jobs/stop', body: { experiment: 'exp 1' } },
      ]),
    );
  });
});

describe('tools that read what is stored', () => {
  const structured = (result: Awaited<ReturnType<Client['callTool']>>) => result.structuredContent;

  it('export if the configuration allows acting, and return the URL of the file', async () => {
    await allowActing();
    await using mcp = await connected();
    const made = await mcp.client.callTool({
      name: 'export_experiment_data',
      arguments: { experiment: 'exp 1', dataset_names: ['logs'] },
    });
    expect(structured(made)).toMatchObject({
      result: true,
      msg: 'Finished',
      artifact: { mime_type: 'application/zip', size_bytes: expect.any(Number) },
    });
    const { artifact } = Object(structured(made));
    const file = await leader.api.call('downloadMcpExport', { params: { filename: artifact.filename } });
    file.expect(200);
    expect(artifact.download_path).toBe(`/mcp/artifacts/exports/${artifact.filename}`);
    (await leader.api.call('downloadMcpExport', { params: { filename: 'export_none.zip' } })).expect(404);
    const unknown = { experiment: 'exp 1', dataset_names: ['nope'] };
    const refused = await mcp.client.callTool({ name: 'export_experiment_data', arguments: unknown });
    expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'datasets_unknown' } });
  });

  it('query only if the configuration allows it, and only what people may read', async () => {
    await leader[Symbol.asyncDispose]();
    leader = await startLeader({ observe, configure: { wire: slowTimeoutClock() } });
    await leader.client.createExperiment({ body: { experiment: 'exp 1', description: 'first' } });
    await using before = await connected();
    const names = (await before.client.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => queryTools.includes(name))).toEqual([]);
    await allow('allow_queries');
    await using mcp = await connected();
    const call = (name: string, args: Record<string, unknown> = {}) => mcp.client.callTool({ name, arguments: args });
    expect(structured(await call('db_get_tables'))).toMatchObject({
      result: expect.arrayContaining([{ table_name: 'od_readings', description: expect.any(String) }]),
    });
    expect(structured(await call('db_get_table_schema', { table_name: 'od_readings' }))).toMatchObject({
      result: expect.arrayContaining([{ column: 'od_reading', description: expect.any(String), unit: 'OD or AU' }]),
    });
    expect(await call('db_get_table_schema', { table_name: 'none' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'dataset_not_found' },
    });
    const query = 'select experiment, description from experiments';
    expect(structured(await call('db_query_db', { query }))).toEqual({
      result: [{ experiment: 'exp 1', description: 'first' }],
    });
    for (const sql of ['delete from experiments', 'select * from workers', 'select * from sqlite_schema', 'nonsense']) {
      expect(await call('db_query_db', { query: sql })).toMatchObject({
        isError: true,
        structuredContent: { code: 'dataset_unreadable', cause: expect.any(String) },
      });
    }
    expect(await leader.client.listExperiments()).toHaveLength(1);
  });

  it('show configurations without their secrets', async () => {
    const code = (await leader.client.getSharedConfig()).replace('[mqtt]\n', '[mqtt]\npassword=hidden\n');
    await leader.client.saveSharedConfig({ body: { code } });
    await using mcp = await connected();
    const shown = await mcp.client.callTool({
      name: 'get_reactor_unit_configuration',
      arguments: { reactor_unit: 'lead' },
    });
    expect(structured(shown)).toMatchObject({ configs: { lead: { mqtt: expect.any(Object) } } });
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });
});

describe('profiles and machines', () => {
  it('are run, restarted and switched off if that is allowed', async () => {
    await allowActing();
    await leader.client.createExperimentProfile({
      body: {
        filename: 'hello.yaml',
        body: `version: "1.0"
experiment_profile_name: Hello
common:
  jobs:
    stirring:
      actions:
        - {type: log, t: 0h, options: {message: hello}}
`,
      },
    });
    await using mcp = await connected();
    const call = (name: string, args: Record<string, unknown> = {}) => mcp.client.callTool({ name, arguments: args });
    expect((await call('get_experiment_profiles')).structuredContent).toMatchObject({
      result: [{ file: 'hello.yaml' }],
    });
    const run = { profile: 'hello.yaml', experiment: 'exp 1', dry_run: true };
    expect((await call('run_experiment_profile', run)).structuredContent).toMatchObject({ ok: true });
    expect(await call('run_experiment_profile', { ...run, profile: 'none.yaml' })).toMatchObject({ isError: true });
    for (const name of ['reboot_reactor_unit', 'shutdown_reactor_unit']) {
      // The machine of a test must not be changed; the answer reports that.
      expect((await call(name, { reactor_unit: 'lead' })).structuredContent).toMatchObject({
        lead: { ok: false, status_code: 503 },
      });
    }
  });
});

describe('resources and prompts', () => {
  it('can be listed and read', async () => {
    await using mcp = await connected();
    expect((await mcp.client.listResources()).resources.map(({ uri }) => uri)).toContain('reactor://experiments');
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('reactor://experiments/{experiment}');
    const { contents } = await mcp.client.readResource({ uri: 'reactor://experiments/exp%201' });
    const [content] = contents;
    if (content === undefined || !('text' in content)) throw new Error('There is no text.');
    expect(JSON.parse(content.text)).toMatchObject({ experiment: 'exp 1', description: 'first' });
    await expect(mcp.client.readResource({ uri: 'reactor://experiments/none' })).rejects.toMatchObject({
      code: -32602,
      data: { code: 'experiment_not_found' },
    });
    await expect(mcp.client.readResource({ uri: 'reactor://nothing' })).rejects.toMatchObject({ code: -32602 });
    await expect(mcp.client.readResource({ uri: 'reactor://experiments/%' })).rejects.toMatchObject({ code: -32602 });
    const textAt = async (uri: string) => {
      const [read] = (await mcp.client.readResource({ uri })).contents;
      return read !== undefined && 'text' in read ? read.text : undefined;
    };
    const body = `version: "1.0"
experiment_profile_name: hello
common: {jobs: {stirring: {actions: [{type: log, t: 0h, options: {message: hello}}]}}}
`;
    await leader.client.createExperimentProfile({ body: { body, filename: 'hello you.yaml' } });
    expect(await textAt('reactor://profiles/hello%20you.yaml')).toContain('experiment_profile_name: hello');
    await expect(mcp.client.readResource({ uri: 'reactor://profiles/none.yaml' })).rejects.toMatchObject({
      data: { code: 'profile_not_found' },
    });
    expect(JSON.parse((await textAt('reactor://datasets')) ?? '')).toEqual(
      expect.arrayContaining([expect.objectContaining({ dataset_name: 'od_readings' })]),
    );
    const { prompts } = await mcp.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['summarise_experiment', 'draft_profile']);
    const { messages } = await mcp.client.getPrompt({
      name: 'summarise_experiment',
      arguments: { experiment: 'exp 1' },
    });
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('"exp 1"') } }]);
    await expect(mcp.client.getPrompt({ name: 'summarise_experiment' })).rejects.toMatchObject({ code: -32602 });
    await expect(mcp.client.getPrompt({ name: 'nothing' })).rejects.toMatchObject({ code: -32602 });
  });
});

describe.each(['callMcp', 'callMcpWithoutSlash'] as const)('%s', (operation) => {
  const accept = 'application/json, text/event-stream';
  const post = (body: unknown, headers: Record<string, string> = { accept }) =>
    leader.api.call(operation, { body, headers });

  it('answers requests, accepts notifications, and refuses other messages', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    expect((await post(initialize)).expect(200)).toMatchObject({
      id: 1,
      result: { protocolVersion: '2025-06-18', serverInfo: { name: 'reactor_mcp' }, instructions: expect.any(String) },
    });
    expect((await post({ jsonrpc: '2.0', id: 2, method: 'ping' })).expect(200)).toMatchObject({ id: 2, result: {} });
    expect((await post({ jsonrpc: '2.0', id: 3, method: 'nonsense' })).expect(200)).toMatchObject({
      error: { code: -32601 },
    });
    (await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).expect(202);
    (await post({ jsonrpc: '2.0', method: 'notifications/nonsense' })).expect(202);
    (await post({ hello: 'world' })).expect(400);
    (await post([initialize])).expect(400);
    (await leader.api.call(operation, { rawBody: '{', headers: { accept } })).expect(400);
    (await post(initialize, { accept: 'application/json' })).expect(406);
    // Refused before any route is looked at.
    const foreign = await post(initialize, { accept, origin: 'http://elsewhere.example' });
    expect([foreign.status, foreign.json]).toEqual([403, expect.objectContaining({ code: 'foreign_origin' })]);
    const old = { accept, 'mcp-protocol-version': '1999-01-01' };
    (await post({ jsonrpc: '2.0', id: 4, method: 'ping' }, old)).expect(400);
  });
});

describe('an invalid body', () => {
  it.each(['/mcp/', '/mcp'])('is answered by %s as JSON-RPC does', async (path) => {
    const send = async (body: string) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const response = await fetch(leader.url + path, { method: 'POST', headers, body });
      const answer: unknown = await response.json();
      return { status: response.status, answer };
    };
    const fault = (code: number) => ({
      status: 400,
      answer: { jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } },
    });
    expect(await send('{"jsonrpc": "2.0",')).toEqual(fault(-32_700));
    expect(await send('hello')).toEqual(fault(-32_700));
    expect(await send('[]')).toEqual(fault(-32_600));
    expect(await send('7')).toEqual(fault(-32_600));
  });
});

it('an agent acts with its token: what it does is the act of the token, within its permissions', async () => {
  await allowActing();
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password: 'three brown horses' } });
  const ada = await signedInClient(leader.url, 'ada', 'three brown horses');
  const permissions = ['mcp.use', 'experiments.read', 'experiments.write'];
  const { secret } = await ada.createToken({ body: { name: 'agent', permissions, days: 1 } });
  await using session = await connected({ authorization: `Bearer ${secret}` });
  const { tools } = await session.client.listTools();
  const names = tools.map(({ name }) => name);
  expect([names.includes('create_experiment'), names.includes('run_job_or_action_on_reactor_unit')]).toEqual([
    true,
    false,
  ]);
  await session.client.callTool({ name: 'create_experiment', arguments: { experiment: 'of an agent' } });
  const [entry] = await ada.listAudit({ query: { operation: 'createExperiment' } });
  expect(entry).toMatchObject({ caller: 'agent', caller_kind: 'token', experiment: 'of an agent', status: 201 });
  await expect(connected()).rejects.toThrow(/401|not_signed_in/);
});
