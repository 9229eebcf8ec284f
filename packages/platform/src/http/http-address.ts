import { networkAddress } from './own-names.ts';

interface Listening {
  readonly url: string;
  readonly networkUrl: string;
  readonly port: number;
  readonly ownUrl: string;
}

const wildcards = ['0.0.0.0', '::'];

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * Where a node listens. The services that need this address are created before the HTTP server.
 */
export class HttpAddress {
  #listening: Listening | undefined;

  get isListening(): boolean {
    return this.#listening !== undefined;
  }

  /** The server's port. Throws while the server is not started. */
  get port(): number {
    return this.#known().port;
  }

  /** An address at which this machine reaches the server, such as `http://127.0.0.1:4999` or, with TLS, `https://127.0.0.1:4999`. Throws while it is not started. */
  get url(): string {
    return this.#known().url;
  }

  /** For other machines: a server that listens on all addresses is there under one of the machine's addresses in the network. */
  get networkUrl(): string {
    return this.#known().networkUrl;
  }

  /** Under which the node itself reaches its server: without TLS, on a loopback address. */
  get ownUrl(): string {
    return this.#known().ownUrl;
  }

  /** The server listens on this host and port; with TLS it listens on `ownPort` of 127.0.0.1 too. */
  opened(host: string, port: number, ownPort?: number): void {
    const scheme = ownPort === undefined ? 'http' : 'https';
    const urlOf = (name: string): string => `${scheme}://${inUrl(name)}:${port}`;
    const isEverywhere = wildcards.includes(host);
    const url = urlOf(isEverywhere ? '127.0.0.1' : host);
    this.#listening = {
      url,
      networkUrl: urlOf(isEverywhere ? networkAddress() : host),
      port,
      ownUrl: ownPort === undefined ? url : `http://127.0.0.1:${ownPort}`,
    };
  }

  closed(): void {
    this.#listening = undefined;
  }

  #known() {
    if (this.#listening === undefined) throw new Error('The HTTP server is not started.');
    return this.#listening;
  }
}
