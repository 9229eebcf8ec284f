import { ApiError, type Enrolled, type Enrolment as EnrolmentBody, enrolmentRoutes } from '@lcs/contract';
import { HttpServer, memoryLog, realClock, serve, silentLog, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import type { NewNote } from '../outbox/new-record.ts';
import { EnrolmentRefused, httpEnrolCall } from './enrol-call.ts';
import { Enrolment, type EnrolmentOptions } from './enrolment.ts';
import type { LeaderLinkState } from './leader-link.ts';

const leaderId = '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01';
const machineId = 'e5a1f2c9-0c7d-4f57-9a53-2b8f6f0a7d44';
const epoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';
const tokens = { unit_token: 'u_1', leader_token: 'l_1', mqtt: { username: 'unit1', password: 'x' } };
const accepted: Enrolled = {
  leader: 'lead',
  leader_id: leaderId,
  leader_time: 1_795_252_443_120,
  protocol: 1,
  worker: true,
  desired_version: 12,
  reachable: true,
  credentials: null,
};
const never = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

interface EnrolmentRequest {
  readonly body: EnrolmentBody;
  readonly token: string | undefined;
}

/** A unit that asks; `answer` decides about each request. */
function testEnrolment(respond: () => Enrolled, changes: Partial<EnrolmentOptions> = {}) {
  const wire = new VirtualClock();
  const requests: EnrolmentRequest[] = [];
  const notes: NewNote[] = [];
  const link: { current: LeaderLinkState | undefined; bind: (enrolled: Enrolled) => Promise<void> } = {
    current: undefined,
    bind: async ({ leader, leader_id, credentials }) => {
      link.current = { leader, leader_id, standing: 'member', credentials };
    },
  };
  const enrolment = new Enrolment({
    unit: 'unit1',
    machineId,
    appVersion: '26.11.0',
    boot: 17,
    epoch: () => epoch,
    address: () => ({ baseUrl: null, port: 4999 }),
    link,
    call: async (body, token) => {
      requests.push({ body, token });
      return respond();
    },
    wire,
    log: memoryLog(),
    random: () => 0.5,
    note: (note) => notes.push(note),
    ...changes,
  });
  return { wire, requests, notes, link, enrolment };
}

async function advance(wire: VirtualClock, milliseconds: number): Promise<void> {
  await settled();
  await wire.advance(milliseconds);
  await settled();
}

describe('enrolment', () => {
  it('sends the unit’s identity and address, and binds it to the leader', async () => {
    const { requests, link, enrolment } = testEnrolment(() => accepted);
    await enrolment.start();
    await settled();
    expect(requests).toEqual([
      {
        token: undefined,
        body: {
          reactor_unit: 'unit1',
          machine_id: machineId,
          protocol: 1,
          app_version: '26.11.0',
          base_url: null,
          port: 4999,
          epoch,
          boot: 17,
          model: null,
        },
      },
    ]);
    expect(link.current?.leader_id).toBe(leaderId);
    expect(enrolment.state).toEqual({ kind: 'enrolled', leader: 'lead', isWorker: true, isReachable: true });
    await enrolment.stop();
  });

  it('repeats the request after ten minutes without contact, and not while the leader is in contact', async () => {
    const { wire, requests, enrolment } = testEnrolment(() => accepted);
    await enrolment.start();
    await advance(wire, 599_000);
    enrolment.noteContact();
    await advance(wire, 599_000);
    expect(requests).toHaveLength(1);
    await advance(wire, 1_000);
    expect(requests).toHaveLength(2);
    await enrolment.stop();
  });

  it('repeats the request at once when its epoch or address has changed', async () => {
    const { requests, enrolment } = testEnrolment(() => accepted);
    await enrolment.start();
    await settled();
    enrolment.changed();
    await settled();
    expect(requests).toHaveLength(2);
    await enrolment.stop();
  });

  it('never gives up on a leader that does not answer, at growing intervals up to a minute', async () => {
    const { wire, requests, enrolment } = testEnrolment(() => {
      throw new Error('connect ECONNREFUSED');
    });
    await enrolment.start();
    const counts: number[] = [];
    for (const milliseconds of [0, 500, 1_000, 2_000, 3_600_000]) {
      await settled();
      for (let leftMs = milliseconds; leftMs > 0; leftMs -= 500) await advance(wire, 500);
      counts.push(requests.length);
    }
    expect(counts.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(counts[4]).toBeGreaterThan(60);
    expect(counts[4]).toBeLessThan(80);
    expect(enrolment.state).toMatchObject({ kind: 'failed', reason: 'connect ECONNREFUSED', retryMs: 60_000 });
    await enrolment.stop();
  });

  it('reports the leader’s refusal, and waits longer, at least as long as requested', async () => {
    let refusal = new EnrolmentRefused(409, 'unit_name_taken', 'The name unit1 is taken.');
    const { wire, requests, enrolment } = testEnrolment(() => {
      throw refusal;
    });
    await enrolment.start();
    await settled();
    expect(enrolment.state).toMatchObject({ kind: 'refused', code: 'unit_name_taken', retryMs: 10_000 });
    refusal = new EnrolmentRefused(429, 'too_many_requests', 'Too many requests.', 60_000);
    await advance(wire, 10_000);
    expect(requests).toHaveLength(2);
    expect(enrolment.state).toMatchObject({ kind: 'refused', code: 'too_many_requests', retryMs: 60_000 });
    await enrolment.stop();
  });

  it('shows its token, and once it is refused comes without', async () => {
    const { wire, requests, link, enrolment } = testEnrolment(() => {
      throw new EnrolmentRefused(401, 'not_signed_in', 'Not signed in.');
    });
    link.current = { leader: 'lead', leader_id: leaderId, standing: 'member', credentials: tokens };
    await enrolment.start();
    await advance(wire, 10_000);
    expect(requests.map(({ token }) => token)).toEqual(['u_1', undefined]);
    await enrolment.stop();
  });

  it('lets the unit go when another machine has its name', async () => {
    let isReplaced = false;
    const { enrolment } = testEnrolment(
      () => {
        throw new EnrolmentRefused(409, 'unit_replaced', 'unit1 is another machine now.');
      },
      {
        onReplaced: async () => {
          isReplaced = true;
        },
      },
    );
    await enrolment.start();
    await settled();
    expect(isReplaced).toBe(true);
    await enrolment.stop();
  });

  it('warns when the leader cannot reach the unit', async () => {
    const { notes, enrolment } = testEnrolment(() => ({ ...accepted, reachable: false }));
    await enrolment.start();
    await settled();
    expect(notes).toMatchObject([{ kind: 'log', level: 'WARNING', task: 'enrolment' }]);
    await enrolment.stop();
  });

  it('limits the wait for a response, and ends at once when the node stops', async () => {
    const { wire, enrolment } = testEnrolment(() => accepted, {
      call: (_body, _token, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await enrolment.start();
    await advance(wire, 10_000);
    expect(enrolment.state).toMatchObject({ kind: 'failed', reason: 'The leader did not respond in time.' });
    await advance(wire, 500);
    expect(enrolment.state).toMatchObject({ kind: 'asking', attempt: 2 });
    await enrolment.stop();
  });
});

describe('the call over HTTP', () => {
  async function leader(respond: (body: EnrolmentBody, authorization: unknown) => Enrolled) {
    const api = serve(enrolmentRoutes, {
      enrolUnit: ({ body, headers }) => ({ status: 200, body: respond(body, headers.authorization) }),
    });
    const shell = new HttpServer({ host: '127.0.0.1', port: 0, log: silentLog(), clock: realClock(), apis: [api] });
    await shell.start(never);
    return Object.assign(shell, { [Symbol.asyncDispose]: () => shell.stop() });
  }
  const body: EnrolmentBody = {
    reactor_unit: 'unit1',
    machine_id: machineId,
    protocol: 1,
    app_version: '26.11.0',
    base_url: null,
    port: 4999,
    epoch,
    boot: 1,
    model: null,
  };

  it('brings the welcome, with the token shown', async () => {
    const seen: unknown[] = [];
    await using shell = await leader((sent, authorization) => {
      seen.push(sent, authorization);
      return { ...accepted, credentials: tokens };
    });
    expect(await httpEnrolCall(() => new URL(shell.url))(body, 'u_1', never)).toEqual({
      ...accepted,
      credentials: tokens,
    });
    expect(seen).toEqual([body, 'Bearer u_1']);
  });

  it('brings the reason of a refusal', async () => {
    await using shell = await leader(() => {
      throw new ApiError('unit_name_taken', { unit: 'unit1' });
    });
    await expect(httpEnrolCall(() => new URL(shell.url))(body, undefined, never)).rejects.toMatchObject({
      status: 409,
      code: 'unit_name_taken',
    });
  });

  it('takes nothing for a leader that does not answer like one', async () => {
    await using shell = await leader(() => ({ ...accepted, leader_id: 'x' }));
    await expect(httpEnrolCall(() => new URL(shell.url))(body, undefined, never)).rejects.toMatchObject({
      code: 'invalid_answer',
    });
  });
});
