import { createClient, leaderApi } from '@lcs/contract';
import { isPostgresInstalled, PostgresAdmin } from '@lcs/platform/testing';
import { type NodeProcess, postgresOf, signIn, startApiProcess, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it, vi } from 'vitest';
import { ControlPair } from './control-pair.ts';
import { freePort } from './measuring-units.ts';

/** On a busy machine. */
const patient = { timeout: 30_000, interval: 20 };
const password = 'three brown horses';

interface Received {
  readonly id: string;
  readonly name: string;
  readonly data: string;
}

/** Follows live events as a browser does: it connects again after each end, from its last event. */
class LivePage implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #ending = new AbortController();
  readonly #following: Promise<void>;
  connections = 0;

  constructor({ url }: NodeProcess, headers: Readonly<Record<string, string>>) {
    this.#url = `${url}/api/live`;
    this.#headers = headers;
    this.#following = this.#follow();
  }

  get snapshots(): number {
    return this.received.filter(({ name }) => name === 'snapshot').length;
  }

  /** The descriptions that it was told of the experiment, after the last snapshot. */
  get descriptions(): readonly string[] {
    const last = this.received.findLastIndex(({ name }) => name === 'snapshot');
    const changes = this.received.slice(last + 1).filter(({ name }) => name === 'experiment');
    return changes.map(({ data }) => String(Reflect.get(Object(JSON.parse(data)), 'description')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // Whatever ends it: a browser connects again.
      await this.#connect(signal).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const last = this.received.at(-1)?.id;
    const headers = { ...this.#headers, ...(last !== undefined && { 'last-event-id': last }) };
    const { status, body } = await fetch(this.#url, { headers, signal });
    if (status !== 200 || body === null) return;
    this.connections += 1;
    let text = '';
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id, name, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (id !== undefined && name !== undefined && data !== undefined) this.received.push({ id, name, data });
      }
    }
  }
}

async function startWorld(path: string) {
  const dataFolder = `${path}/control`;
  const { url: database } = await postgresOf(dataFolder);
  const pair = await ControlPair.start({ dataFolder, database, mqttPort: await freePort() });
  const second = await startApiProcess(database);
  await pair.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  const ada = await signIn(pair.api.url, 'ada', password);
  const clientOf = () => createClient(leaderApi, { baseUrl: pair.active.url, headers: ada });
  await clientOf().createExperiment({ body: { experiment: 'a' } });
  const change = (description: string) =>
    clientOf().updateExperiment({ params: { experiment: 'a' }, body: { description } });
  const dispose = async () => {
    await second.kill('SIGKILL');
    await pair[Symbol.asyncDispose]();
  };
  return { pair, second, database, ada, change, [Symbol.asyncDispose]: dispose };
}

describe.skipIf(!isPostgresInstalled)('live events of two api processes', () => {
  it('are the same, in their order, also large ones, and go on after a take-over', async () => {
    await using folder = await temporaryFolder('live');
    await using world = await startWorld(folder.path);
    const { pair, second, ada, change } = world;
    await using one = new LivePage(pair.api, ada);
    await using other = new LivePage(second, ada);
    const pages = [one, other];
    await vi.waitFor(() => expect(pages.map(({ snapshots }) => snapshots)).toEqual([1, 1]), patient);

    const descriptions = Array.from({ length: 20 }, (_, index) => `${index} ${'ä'.repeat(index * 500)}`);
    for (const description of descriptions) await change(description);
    await vi.waitFor(() => {
      for (const page of pages) expect(page.descriptions).toEqual(descriptions);
    }, patient);
    const idsOf = (page: LivePage) => page.received.filter(({ name }) => name === 'experiment').map(({ id }) => id);
    expect(idsOf(one)).toEqual(idsOf(other));
    expect(pages.map(({ connections }) => connections)).toEqual([1, 1]);

    await pair.takeOver('killed');
    await vi.waitFor(() => expect(pages.map(({ snapshots }) => snapshots)).toEqual([2, 2]), patient);
    const later = ['after', 'the', 'take-over'];
    for (const description of later) await change(description);
    await vi.waitFor(() => {
      for (const page of pages) expect(page.descriptions).toEqual(later);
    }, patient);
    for (const { received } of pages) expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
  }, 180_000);

  it('come by the database: a page whose process loses that connection connects again, without a loss', async () => {
    await using folder = await temporaryFolder('live');
    await using world = await startWorld(folder.path);
    const { second, database, ada, change } = world;
    await using page = new LivePage(second, ada);
    await vi.waitFor(() => expect(page.snapshots).toBe(1), patient);
    await change('before');
    await vi.waitFor(() => expect(page.descriptions).toEqual(['before']), patient);
    await using admin = await PostgresAdmin.open(database);
    await admin.run(`select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'listen "lcs_live%' and datname = current_database()`);
    await change('meanwhile');
    await vi.waitFor(() => expect(page.connections).toBe(2), patient);
    await change('after');
    await vi.waitFor(() => expect(page.descriptions).toEqual(['before', 'meanwhile', 'after']), patient);
    expect(page.snapshots).toBe(1);
  }, 120_000);

  it('go on for others while one is suspended, and there without a loss when it continues', async () => {
    await using folder = await temporaryFolder('live');
    await using world = await startWorld(folder.path);
    const { pair, second, ada, change } = world;
    await using one = new LivePage(pair.api, ada);
    await using other = new LivePage(second, ada);
    await vi.waitFor(() => expect([one.snapshots, other.snapshots]).toEqual([1, 1]), patient);
    const descriptions = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(9_000)}`);
    second.child.kill('SIGSTOP');
    try {
      for (const description of descriptions) await change(description);
      await vi.waitFor(() => expect(one.descriptions).toEqual(descriptions), patient);
      expect(other.descriptions.length).toBeLessThan(descriptions.length);
    } finally {
      second.child.kill('SIGCONT');
    }
    await vi.waitFor(() => expect(other.descriptions.at(-1)).toBe(descriptions.at(-1)), patient);
    expect(other.connections).toBe(1);
  }, 120_000);

  it('end when the session of the client ends', async () => {
    await using folder = await temporaryFolder('live');
    await using world = await startWorld(folder.path);
    const { pair, second, ada, change } = world;
    const program = createClient(leaderApi, { baseUrl: pair.active.url, headers: ada });
    const body = { name: 'program', permissions: ['experiments.read'], days: 1 };
    const { secret, token_id } = await program.createToken({ body });
    await using page = new LivePage(second, { authorization: `Bearer ${secret}` });
    await vi.waitFor(() => expect(page.snapshots).toBe(1), patient);
    await change('seen');
    await vi.waitFor(() => expect(page.descriptions).toEqual(['seen']), patient);
    // Only what its permission shows.
    expect(new Set(page.received.map(({ name }) => name))).toEqual(new Set(['snapshot', 'experiment']));
    await program.revokeToken({ params: { token_id } });
    await using witness = new LivePage(second, ada);
    await vi.waitFor(() => expect(witness.snapshots).toBe(1), patient);
    await change('secret');
    await vi.waitFor(() => expect(witness.descriptions).toEqual(['secret']), patient);
    expect(page.descriptions).toEqual(['seen']);
    expect(page.connections).toBe(1);
  }, 120_000);
});
