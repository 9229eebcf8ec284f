import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Duplex, PassThrough } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';

const relayProgram = fileURLToPath(new URL('./relay.js', import.meta.url));

function ip(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr}`);
}

function reasonAgainstNamespaces(): string | undefined {
  const name = `lcs-probe-${process.pid}`;
  try {
    ip('netns', 'add', name);
  } catch (error) {
    return String(error);
  }
  try {
    ip('-n', name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth1');
    ip('-n', name, 'link', 'add', 'switch', 'type', 'bridge');
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    ip('netns', 'del', name);
  }
}

/** Why this machine has no network namespaces for tests; where they must be there (`LCS_NETNS_REQUIRED`), this is an error. */
export const noNamespaces = reasonAgainstNamespaces();
if (noNamespaces !== undefined && process.env.LCS_NETNS_REQUIRED) throw new Error(noNamespaces);

/** A machine: a network namespace with one cable to the switch. */
export interface Machine {
  readonly namespace: string;
  readonly address: string;
}

/** Machines on one switch, each a network namespace. The network exists in these namespaces only. */
export class Laboratory implements AsyncDisposable {
  readonly #prefix = `lcs-${process.pid}`;
  readonly #namespaces: string[] = [];
  #relay: ChildProcess | undefined;
  #relayPath = '';

  constructor() {
    this.#add('switch');
    ip('-n', this.#nameOf('switch'), 'link', 'add', 'switch', 'type', 'bridge');
    ip('-n', this.#nameOf('switch'), 'link', 'set', 'switch', 'up');
  }

  machine(name: string, address: string): Machine {
    const namespace = this.#add(name);
    const inSwitch = ['-n', this.#nameOf('switch'), 'link'];
    ip('-n', namespace, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', name, 'netns', this.#nameOf('switch'));
    ip(...inSwitch, 'set', name, 'master', 'switch', 'up');
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    return { namespace, address };
  }

  /** Pulls the cable of a machine out of the switch, or plugs it in. */
  cable(name: string, state: 'up' | 'down'): void {
    ip('-n', this.#nameOf('switch'), 'link', 'set', name, state);
  }

  moved({ namespace, address }: Machine, newAddress: string): Machine {
    ip('-n', namespace, 'address', 'del', `${address}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'address', 'add', `${newAddress}/24`, 'dev', 'eth0');
    return { namespace, address: newAddress };
  }

  /** From now on the connections of this process to machines begin at this one. */
  async workAt({ namespace }: Machine, folder: string): Promise<void> {
    this.#relayPath = join(folder, 'relay.sock');
    const relay = spawn('ip', ['netns', 'exec', namespace, process.execPath, relayProgram, this.#relayPath], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#relay = relay;
    await once(relay.stdout, 'data');
  }

  /** A connection to a machine, without encryption. */
  async connect(host: string, port: number): Promise<Socket> {
    const socket = connectSocket(this.#relayPath);
    socket.write(`${host} ${port}\n`);
    const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    if (!Buffer.isBuffer(answer)) throw new Error(`Nobody listens at ${host}, port ${port}.`);
    return socket;
  }

  /** An encrypted connection to a machine. */
  async connectTls(host: string, port: number, options: ConnectionOptions): Promise<Duplex> {
    const socket = connectTls({ ...options, socket: await this.connect(host, port), host });
    await once(socket, 'secureConnect');
    return socket;
  }

  /** For requests to machines. */
  agent(options: ConnectionOptions): Agent {
    return new LaboratoryAgent((host, port) => this.connectTls(host, port, options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#relay !== undefined) {
      const ended = once(this.#relay, 'exit');
      this.#relay.kill();
      await ended;
    }
    for (const namespace of this.#namespaces) ip('netns', 'del', namespace);
  }

  #add(name: string): string {
    const namespace = this.#nameOf(name);
    ip('netns', 'add', namespace);
    this.#namespaces.push(namespace);
    return namespace;
  }

  #nameOf(name: string): string {
    return `${this.#prefix}-${name}`;
  }
}

type Open = (host: string, port: number) => Promise<Duplex>;

class LaboratoryAgent extends Agent {
  readonly #open: Open;

  constructor(open: Open) {
    super({ keepAlive: true });
    this.#open = open;
  }

  override createConnection(
    { host, port }: { readonly host?: string | null; readonly port?: string | number | null },
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#open(host ?? '', Number(port)).then(
      (socket) => done?.(null, socket),
      (error: Error) => done?.(error, new PassThrough()),
    );
  }
}
