import type { Json } from '@lcs/contract';
import type { PluginConfig } from './plugin-job.ts';

/** JSON Schema (draft 2020-12), as data. */
export type JsonSchema = Readonly<Record<string, Json>>;

/** A route in the contract's style: what is declared here is checked before and after `handle`. */
export interface PluginRoute {
  readonly method: 'GET' | 'POST';
  /** The last part of the path: one word of small letters, digits, `_`, `-`. */
  readonly path: string;
  /** One line for people. */
  readonly summary: string;
  /** Of the query, as an object of texts. Default: anything. */
  readonly query?: JsonSchema;
  /** Of the JSON body of a POST. Default: anything. */
  readonly body?: JsonSchema;
  /** Of the answer with status 200. */
  readonly response: JsonSchema;
  /** What it throws becomes a 500 with that message, and ends nothing else. It has 10 s. */
  handle(request: PluginRouteRequest, context: PluginRouteContext): PluginRouteAnswer | Promise<PluginRouteAnswer>;
}

/** The answer; its status is 200. */
export type PluginRouteAnswer = Json;

export interface PluginRouteRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json;
}

export interface PluginRouteContext {
  readonly unit: string;
  readonly config: PluginConfig;
  /** What a running job publishes, `$state` included; undefined when it does not run. */
  jobSettings(job: string): Promise<Readonly<Record<string, number | string>> | undefined>;
}
