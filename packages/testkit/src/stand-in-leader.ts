import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  createClient,
  type DesiredReport,
  type DesiredState,
  Enrolment,
  type FeedAnswer,
  unitApi,
} from '@lcs/contract';
import { Value } from 'typebox/value';

/** Changes of the document by a test; the default is a member, active, in no experiment, with the usual model. */
export type DesiredChanges = Partial<Omit<DesiredState, 'leader' | 'leader_id' | 'version' | 'leader_time'>>;

export interface StandInLeader extends AsyncDisposable {
  readonly url: string;
  readonly id: string;
  /** Resolves with the next unit that has enrolled since the last call. */
  enrolled(): Promise<Enrolment>;
  /** Puts the next version of the document. */
  put(unitUrl: string, changes?: DesiredChanges): Promise<DesiredReport>;
  /** One request for the feed, as this leader. */
  read(
    unitUrl: string,
    query?: { readonly after?: number; readonly epoch?: string; readonly wait?: number },
  ): Promise<FeedAnswer>;
}

const emptyFile = { version: 1, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', text: '' };

const model = {
  model_name: 'reactor_40ml',
  model_version: '1.5',
  display_name: 'Reactor 40 mL, v1.5',
  reactor_capacity_ml: 40,
  reactor_diameter_mm: 27,
  reactor_max_fill_volume_ml: 36,
  max_temp_to_reduce_heating: 78,
  max_temp_to_disable_heating: 80,
  max_temp_to_shutdown: 85,
  is_legacy: false,
  is_contrib: false,
};

/** The experiment that tests put their units into. */
export const testExperiment = {
  name: 'yeast-ramp-07',
  uid: '5f2a8f8e-3c39-4a55-8f41-0a7f0d8b9d10',
  assigned_at: Date.UTC(2026, 0, 1),
};

/** A minimal leader for tests of a unit alone: it enrols the unit, sends documents and reads the feed. */
export async function startStandInLeader(id: string = randomUUID()): Promise<StandInLeader> {
  let version = 0;
  const arrivals: Enrolment[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    // It has no key, as a leader of an older version.
    if (request.method !== 'POST' || request.url?.endsWith('/challenge')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const enrol = (body: unknown): void => {
      if (!Value.Check(Enrolment, body)) {
        response.writeHead(400).end();
        return;
      }
      const answer = {
        leader: 'lead',
        leader_id: id,
        leader_time: Date.now(),
        protocol: 1,
        worker: true,
        desired_version: version,
        reachable: true,
        credentials: null,
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      arrivals.push(body);
      arrived.resolve();
    };
    // A unit that ends in the middle of its request, or sends no JSON, enrols nothing.
    void json(request).then(enrol, () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    id,
    enrolled: async () => {
      for (;;) {
        const next = arrivals.shift();
        if (next !== undefined) return next;
        arrived = Promise.withResolvers();
        await arrived.promise;
      }
    },
    put: async (unitUrl, changes = {}) => {
      version += 1;
      const unit = createClient(unitApi, { baseUrl: unitUrl });
      // The unit stores its leader a moment after its enrolment.
      while ((await unit.getDesired()).leader_id !== id) await new Promise<void>((resolve) => setImmediate(resolve));
      const document: DesiredState = {
        leader: 'lead',
        leader_id: id,
        version,
        leader_time: Date.now(),
        standing: 'member',
        active: true,
        experiment: testExperiment,
        model,
        config: { shared: emptyFile, own: emptyFile },
        stop: [],
        ...changes,
      };
      return unit.putDesired({ body: document });
    },
    read: (unitUrl, query = {}) =>
      createClient(unitApi, { baseUrl: unitUrl }).readFeed({ query: { leader_id: id, ...query } }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
