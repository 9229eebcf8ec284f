import type { Json } from '@lcs/contract';
import type { PluginConfig } from './plugin-job.ts';

/** JSON Schema (draft 2020-12), as data. */
export type JsonSchema = Readonly<Record<string, Json>>;

/** A route in the contract's style; the node validates request and response by these declarations. */
export interface PluginRoute {
  readonly method: 'GET' | 'POST';
  /** The last part of the path: small letters, digits, `_`, `-`. */
  readonly path: string;
  /** One line for people. */
  readonly summary: string;
  /** Schema of the query, as an object of texts. Default: anything. */
  readonly query?: JsonSchema;
  /** Schema of the JSON body of a POST. Default: anything. */
  readonly body?: JsonSchema;
  /** Schema of the response with status 200. */
  readonly response: JsonSchema;
  /** Responds within 10 s. An exception becomes a 500 with its message. */
  handle(request: PluginRouteRequest, context: PluginRouteContext): PluginRouteAnswer | Promise<PluginRouteAnswer>;
}

/** The response body; its status is 200. */
export type PluginRouteAnswer = Json;

export interface PluginRouteRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json;
}

export interface PluginRouteContext {
  readonly unit: string;
  readonly config: PluginConfig;
  /** The published settings of a running job, with `$state`; undefined when it does not run. */
  jobSettings(job: string): Promise<Readonly<Record<string, number | string>> | undefined>;
}
