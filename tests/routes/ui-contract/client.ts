import { setTimeout as later } from 'node:timers/promises';
import type { Fixture, Names } from './fixture.ts';
import type { UiRequest } from './page.ts';
import { faults, type Shape } from './shape.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** What stands at a place like `session.session_id`. */
const at = (value: unknown, place: string): unknown =>
  place.split('.').reduce<unknown>((within, key) => (isObject(within) ? within[key] : undefined), value);

const filled = (text: string, names: Names, write: (value: string) => string = (value) => value): string =>
  text.replace(/\{([A-Za-z_]+)\}/g, (_, name: string) => write(String(named(names, name))));

function named(names: Names, name: string): string | number {
  const value = names[name];
  if (value === undefined) throw new Error(`Nothing in the scene is called ${name}.`);
  return value;
}

/** A text that is one name becomes its value, be it a text or a number. */
function filledDeep(value: unknown, names: Names): unknown {
  if (typeof value === 'string') {
    const only = /^\{([A-Za-z_]+)\}$/.exec(value)?.[1];
    return only === undefined ? filled(value, names) : named(names, only);
  }
  if (Array.isArray(value)) return value.map((each) => filledDeep(each, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [filled(key, names), filledDeep(of, names)]));
}

function filledShape(shape: Shape, names: Names): Shape {
  if (typeof shape === 'string') return filled(shape, names);
  if (Array.isArray(shape)) return [filledShape(shape[0], names)];
  return Object.fromEntries(Object.entries(shape).map(([key, of]) => [filled(key, names), filledShape(of, names)]));
}

/** Names of units go into paths as they are, all others percent-encoded. */
const pathOf = ({ path, query }: UiRequest, names: Names): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value));
  const address = path.replace(/\{([A-Za-z_]+)\}/g, (_, name: string) => {
    const value = String(named(names, name));
    return name === 'U' || name === 'leader' ? value : encodeURIComponent(value);
  });
  return search.size > 0 ? `${address}?${search}` : address;
};

function sent(request: UiRequest, scene: Fixture): RequestInit {
  const { method, form, body } = request;
  if (form !== undefined) {
    const data = new FormData();
    data.append(form.field, new Blob([scene.file(form.file)]), form.fileName);
    return { method, body: data };
  }
  if (method === 'GET' || method === 'DELETE') return { method };
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(filledDeep(body, scene.names)) }) };
}

/** Asks as the other interface does. */
export const ask = (request: UiRequest, scene: Fixture): Promise<Response> =>
  fetch(scene.base + pathOf(request, scene.names), sent(request, scene));

const quickPolls = 20;
const pauseMs = 4;

/** Lets virtual time pass between two polls. What takes long waits for real time, which polling would not shorten. */
function pollPauses(scene: Fixture): () => Promise<void> {
  let polls = 0;
  return async () => {
    await scene.pass();
    polls += 1;
    if (polls > quickPolls) await later(pauseMs);
  };
}

/** A job of one name may be started once a second, by the real clock; people are slower than tests. */
export async function askedSlowly(request: UiRequest, scene: Fixture): Promise<Response> {
  const pause = pollPauses(scene);
  for (;;) {
    const response = await ask(request, scene);
    if (response.status !== 429) return response;
    await response.body?.cancel();
    await pause();
  }
}

/** Follows a task as the other interface does: as long as it is answered 202, whatever the body says. Returns the result. */
export async function taskResult(scene: Fixture, accepted: unknown): Promise<unknown> {
  const path = at(accepted, 'result_url_path');
  if (typeof path !== 'string') throw new Error(`No result_url_path in ${JSON.stringify(accepted)}`);
  const pause = pollPauses(scene);
  for (;;) {
    const response = await fetch(scene.base + path);
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    const body: unknown = await response.json();
    if (response.status === 200) {
      const status = at(body, 'status');
      if (status === 'succeeded') return at(body, 'result');
      if (status === 'failed') throw new Error(`${at(body, 'error')} ${at(body, 'cause')}`);
      if (status !== 'pending' && status !== 'running') throw new Error(`An unexpected status: ${status}`);
    }
    await pause();
  }
}

/** Nobody looks at the end of this task; the next request comes after it, whatever it was. */
async function ended(text: string, scene: Fixture): Promise<void> {
  const path = text.startsWith('{') ? at(JSON.parse(text), 'result_url_path') : undefined;
  if (typeof path !== 'string') return;
  const pause = pollPauses(scene);
  while ((await fetch(scene.base + path)).status === 202) await pause();
}

async function looked(request: UiRequest, response: Response, scene: Fixture): Promise<unknown> {
  switch (request.answer) {
    case 'text':
      return response.text();
    case 'file':
      return (await response.arrayBuffer()).byteLength;
    case 'task':
      return taskResult(scene, await response.json());
    case 'json':
      return response.json();
    default:
      return ended(await response.text(), scene);
  }
}

/** The answer; a request that a unit refuses because of its rate is repeated. */
async function answered(request: UiRequest, scene: Fixture): Promise<unknown> {
  const pause = pollPauses(scene);
  for (;;) {
    const response = await askedSlowly(request, scene);
    if (response.status !== request.status) {
      throw new Error(`It is answered ${response.status}: ${(await response.text()).slice(0, 600)}`);
    }
    const value = await looked(request, response, scene);
    if (!JSON.stringify(value ?? null).includes('"status_code":429')) return value;
    await pause();
  }
}

/** Asks, holds what comes back to what is read of it, and keeps the names that it brings. */
export async function showRequest(
  request: UiRequest,
  scene: Fixture,
  faultsIn: (value: unknown, shape: Shape) => readonly string[] = faults,
): Promise<void> {
  const value = await answered(request, scene);
  const found = request.reads === undefined ? [] : faultsIn(value, filledShape(request.reads, scene.names));
  if (found.length > 0) throw new Error(`${found.slice(0, 12).join('\n')}\n${JSON.stringify(value).slice(0, 1500)}`);
  for (const [name, place] of Object.entries(request.learns ?? {})) {
    const learned = at(value, place);
    if (typeof learned !== 'string' && typeof learned !== 'number') throw new Error(`There is no ${place} to learn.`);
    scene.names[name] = learned;
  }
}
