import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Alarm } from '@lcs/contract';
import type { LeaderUnderTest } from '@lcs/testkit';
import { SMTPServer } from 'smtp-server';

/** A received request of a webhook or a ping. */
export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An external service that receives webhooks and pings on loopback, with scripted answers. */
export async function outsideService() {
  const calls: ReceivedCall[] = [];
  const waiting: { readonly most: number; readonly resolve: () => void }[] = [];
  let status = 204;
  let isSilent = false;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    calls.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    if (!isSilent) response.writeHead(status).end();
    for (const one of waiting) if (calls.length >= one.most) one.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    calls,
    url: `http://127.0.0.1:${address.port}/hook`,
    answer: (next: number) => {
      status = next;
    },
    fallSilent: () => {
      isSilent = true;
    },
    /** Resolves when this number of calls was received in all. */
    received: (most: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ most, resolve });
      if (calls.length >= most) resolve();
      return promise;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Lets a leader call services on loopback, as `leader.ini` does; what else is in that file is lost. */
export const allowLoopback = (dataFolder: string): Promise<void> =>
  writeFile(join(dataFolder, 'leader.ini'), '[webhooks]\nallowed_addresses=127.0.0.1\n');

/** The signature that a webhook with this secret must have. */
export const expectedSignature = (secret: string, { headers, body }: ReceivedCall): string =>
  `sha256=${createHmac('sha256', secret).update(`${headers['x-lcs-timestamp']}.${body}`).digest('hex')}`;

/** A mail server on loopback that stores received e-mails; the account is `lab` with this password. */
export async function mailServer(password: string) {
  const emails: { readonly to: readonly string[]; readonly text: string }[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth: (auth, _session, done) => {
      if (auth.username === 'lab' && auth.password === password) done(null, { user: 'lab' });
      else done(new Error(`Wrong password ${auth.password}`));
    },
    onData: (stream, session, done) => {
      text(stream).then(
        (message) => {
          emails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text: message });
          done();
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', () => listening.resolve());
  await listening.promise;
  const address: AddressInfo | string | null = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    emails,
    port: address.port,
    [Symbol.asyncDispose]: () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      return closed.promise;
    },
  };
}

const enrol = (name: string, on: LeaderUnderTest) =>
  on.client.enrolUnit({
    body: {
      reactor_unit: name,
      machine_id: crypto.randomUUID(),
      protocol: 1,
      app_version: '1',
      base_url: null,
      port: 1,
      epoch: crypto.randomUUID(),
      boot: 1,
      model: null,
    },
  });

/** An alarm: a worker that enrolled once and has not answered for some minutes. */
export async function raiseUnitOffline(on: LeaderUnderTest, name = 'rx01'): Promise<Alarm> {
  await on.client.registerWorker({ body: { reactor_unit: name } });
  await enrol(name, on);
  await on.clock.advance(10 * 60_000);
  const alarms = await on.client.listAlarms({ query: { unit: name, rule: 'unit_offline' } });
  const [alarm] = alarms;
  if (alarm === undefined) throw new Error('no alarm was raised');
  return alarm;
}
