import { ApiError, type Json } from '@lcs/contract';
import type { Cancel, Clock } from '@lcs/platform';
import { RemoteError } from './channel.ts';
import type { KnownPlugin } from './compose-plugins.ts';
import type { PluginJobStart, RouteCall } from './plugin-calls.ts';
import type { PluginChild, PluginLimits } from './plugin-child.ts';

export interface PluginServiceOptions {
  readonly plugin: KnownPlugin;
  readonly unit: string;
  readonly config: () => PluginJobStart['config'];
  readonly wire: Clock;
  readonly limits: Pick<PluginLimits, 'routeMs' | 'idleMs'>;
  /** Starts a process that has the plugin loaded. */
  readonly child: () => PluginChild;
}

interface Given {
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** Serves the routes of one plugin, in a process that starts at the first request and ends when idle. */
export class PluginService {
  readonly #options: PluginServiceOptions;
  #child: PluginChild | undefined;
  #cancelIdle: Cancel = () => {};
  #runningRequests = 0;

  constructor(options: PluginServiceOptions) {
    this.#options = options;
  }

  /** The stamp of the loaded code. */
  get stamp(): string {
    return this.#options.plugin.found.stamp;
  }

  /** Answers a request to a declared route. @throws ApiError plugin_request_invalid, plugin_failed */
  async answer(method: 'GET' | 'POST', path: string, { query, body }: Given): Promise<Json> {
    const { unit, config } = this.#options;
    return this.#ask({ method, path, query, body, unit, config: config() });
  }

  /** Ends its process after the running requests. */
  end(): void {
    this.#cancelIdle();
    void this.#child?.end();
    this.#child = undefined;
  }

  async #ask(call: RouteCall): Promise<Json> {
    this.#cancelIdle();
    this.#runningRequests += 1;
    try {
      return await (this.#child ?? this.#begin()).callWithin(this.#options.limits.routeMs, 'route', call);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      const isUnfit = error instanceof RemoteError && error.name === 'RequestUnfit';
      const { name: plugin } = this.#options.plugin.identity;
      throw new ApiError(isUnfit ? 'plugin_request_invalid' : 'plugin_failed', { plugin, cause });
    } finally {
      this.#runningRequests -= 1;
      if (this.#runningRequests === 0)
        this.#cancelIdle = this.#options.wire.after(this.#options.limits.idleMs, () => this.end());
    }
  }

  #begin(): PluginChild {
    const child = this.#options.child();
    this.#child = child;
    void child.ended.then(() => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }
}
