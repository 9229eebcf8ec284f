import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { Agent, type Server } from 'node:http';
import { connect } from 'node:net';

/** No umask of the account may open the socket to others between its creation and `chmod`. */
const onlyOwner = 0o077;

/**
 * Listens on a Unix socket that only its owner can open. Replaces the file of a killed process: the caller has locked the data folder, so
 * that no other process listens there.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  await rm(path, { force: true });
  const listening = once(server, 'listening');
  const before = process.umask(onlyOwner);
  // The file is created during this call.
  server.listen(path);
  process.umask(before);
  await listening;
  await chmod(path, 0o600);
}

/** Requests through the Unix socket of a node. */
export function unixSocketAgent(path: string): Agent {
  const agent = new Agent();
  agent.createConnection = () => connect(path);
  return agent;
}
