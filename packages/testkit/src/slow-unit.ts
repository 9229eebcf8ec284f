import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { LeaderUnderTest } from './leader-under-test.ts';

/** A worker that receives every command and answers none until `answer`. */
export interface SlowUnit extends AsyncDisposable {
  readonly name: string;
  /** Answers the pending requests, and from now on every request at once. */
  answer(): void;
}

/** Adds such a worker to the leader's inventory, so that tasks that address units stay in progress. */
export async function addSlowUnit(leader: LeaderUnderTest, name = 'slow'): Promise<SlowUnit> {
  const waiting: ServerResponse[] = [];
  let patient = true;
  const done = (response: ServerResponse) => {
    response.setHeader('content-type', 'application/json').end('{"status":"success"}');
  };
  const server = createServer((_, response) => {
    if (patient) waiting.push(response);
    else done(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await leader.client.registerWorker({ body: { reactor_unit: name } });
  const config = await leader.client.getSharedConfig();
  const code = config.replace('[cluster.addresses]\n', `$&${name}=127.0.0.1:${port}\n`);
  await leader.client.saveSharedConfig({ body: { code } });
  const answer = () => {
    patient = false;
    for (const response of waiting.splice(0)) done(response);
  };
  return {
    name,
    answer,
    [Symbol.asyncDispose]: async () => {
      answer();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
