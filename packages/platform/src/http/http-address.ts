/**
 * Where a node listens. The services that need this address are created before the HTTP server.
 */
export class HttpAddress {
  #listening: { readonly url: string; readonly port: number; readonly ownUrl: string } | undefined;

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

  /** Under which the node itself reaches its server: without TLS, on a loopback address. */
  get ownUrl(): string {
    return this.#known().ownUrl;
  }

  /** The server listens on this host and port; with TLS it listens on `ownPort` of 127.0.0.1 too. */
  opened(host: string, port: number, ownPort?: number): void {
    const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.#listening =
      ownPort === undefined
        ? { url: `http://${place}`, port, ownUrl: `http://${place}` }
        : { url: `https://${place}`, port, ownUrl: `http://127.0.0.1:${ownPort}` };
  }

  closed(): void {
    this.#listening = undefined;
  }

  #known() {
    if (this.#listening === undefined) throw new Error('The HTTP server is not started.');
    return this.#listening;
  }
}
