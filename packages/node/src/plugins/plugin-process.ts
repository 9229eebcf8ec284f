/**
 * The process of a plugin: a child of the node, over the IPC channel of `fork`. Argument: `{ entry }` as JSON, the file of the plugin. It
 * describes the plugin, runs one of its jobs, or serves its routes; it ends when the channel is closed. Import only what is needed: each
 * running job of a plugin is such a process.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { takeMemoryRank } from '@lcs/platform/memory-rank';
import type { PluginRoute } from '@lcs/plugin-api';
import { Channel, sentError } from './channel.ts';
import type { CheckedRoute } from './checked-route.ts';
import { JobInProcess } from './job-in-process.ts';
import { describePlugin, type LoadedPlugin, loadedPlugin } from './loaded-plugin.ts';
import { NodeClock } from './node-clock.ts';
import type { ChildCalls, NodeCalls } from './plugin-calls.ts';

takeMemoryRank('plugin');
const { entry, api }: { entry: string; api: string } = JSON.parse(process.argv[2] ?? '{}');

/** How long a process with SIGTERM waits for its node, which may be ending its jobs in order. */
const terminationMs = 4_000;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@lcs/plugin-api' ? { url: api, shortCircuit: true } : next(specifier, context),
});

let loading: Promise<LoadedPlugin> | undefined;
const plugin = (): Promise<LoadedPlugin> => {
  loading ??= import(pathToFileURL(entry).href).then(loadedPlugin);
  return loading;
};

const clock = new NodeClock(() => performance.now());
// A message to an ended node cannot be delivered; the event 'disconnect' follows.
const send = (message: object, then = () => {}) => process.send?.(message, undefined, undefined, then);
const channel: Channel<ChildCalls, NodeCalls> = new Channel<ChildCalls, NodeCalls>({
  send: (message) => send(message),
  handlers: {
    describe: async () => describePlugin(await plugin()),
    start: async ({ nowMs, ...beginning }) => {
      clock.set(nowMs);
      return job.start(await plugin(), beginning);
    },
    tick: ({ id, nowMs }) => {
      clock.set(nowMs);
      return job.tick(id);
    },
    received: ({ id, nowMs, value }) => {
      clock.set(nowMs);
      return job.receive(id, value);
    },
    apply: (values) => job.apply(values),
    sleep: () => job.sleep(),
    wake: () => job.wake(),
    stop: () => job.stop(),
    route: async ({ method, path, query, body, unit, config }) => {
      const jobSettings = async (name: string) => (await channel.call('jobSettings', name)) ?? undefined;
      return (await checkedRoute(method, path)).answer({ query, body }, { unit, config, jobSettings });
    },
  },
});
const routes = new Map<PluginRoute, CheckedRoute>();
const job: JobInProcess = new JobInProcess(channel, clock, fail);

async function checkedRoute(method: string, path: string): Promise<CheckedRoute> {
  const route = (await plugin()).routes?.find((one) => one.method === method && one.path === path);
  if (route === undefined) throw new Error(`It has no route ${method} ${path}.`);
  const known = routes.get(route);
  if (known !== undefined) return known;
  // Loaded only to serve requests.
  const { CheckedRoute } = await import('./checked-route.ts');
  const checked = new CheckedRoute(route);
  routes.set(route, checked);
  return checked;
}

/** An unhandled error cannot be attributed to a part of the plugin, so the whole process ends. */
function fail(error: unknown): void {
  const { message } = sentError(error);
  send({ call: 'failed', id: 0, given: message }, () => process.exit(1));
}

// The node may hold virtual time until a message is handled.
let seen = 0;
process.on('message', (message: unknown) => {
  void channel.take(message);
  seen += 1;
  const now = seen;
  setImmediate(() => send({ seen: now }));
});
process.on('uncaughtException', fail);
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => setTimeout(() => process.exit(143), terminationMs));
// Ctrl-C reaches the whole process group; the node ends its jobs in order.
process.on('SIGINT', () => {});
// The process has started: from now on a missing response means that the plugin blocks its thread.
send({ seen });
