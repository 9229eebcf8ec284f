import type { Json } from '@lcs/contract';
import type { OpticalPhase } from '@lcs/plugin-api';
import type { PluginDescription } from './plugin-description.ts';

/** The arguments of a job in a plugin's process. */
export interface PluginJobStart {
  /** Of an automation: its job. */
  readonly job: string;
  readonly automation: string | null;
  readonly jobId: number;
  readonly unit: string;
  readonly experiment: string;
  readonly model: { readonly name: string; readonly version: string } | null;
  readonly options: Readonly<Record<string, Json>>;
  readonly config: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The present values of its settings. */
  readonly settings: Readonly<Record<string, Json>>;
}

export interface RouteCall {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly unit: string;
  readonly config: PluginJobStart['config'];
}

/** A received value of another job. */
export type ReceivedValue = Json | OpticalPhase;

interface Call<Given, Answer> {
  readonly given: Given;
  readonly answer: Answer;
}

/** The calls of a node to a process of a plugin. Each has the node's time, in milliseconds since 1970. */
export type ChildCalls = {
  describe: Call<null, PluginDescription>;
  start: Call<PluginJobStart & { readonly nowMs: number }, { readonly endsByItself: boolean }>;
  tick: Call<{ readonly id: number; readonly nowMs: number }, null>;
  received: Call<{ readonly id: number; readonly nowMs: number; readonly value: ReceivedValue }, null>;
  apply: Call<Readonly<Record<string, Json>>, null>;
  sleep: Call<null, null>;
  wake: Call<null, null>;
  stop: Call<null, null>;
  route: Call<RouteCall, Json>;
};

export type ListenedTopic = 'reading' | 'setting' | 'state' | 'optical';

/** The calls of a process of a plugin to its node. */
export type NodeCalls = {
  publish: Call<{ readonly name: string; readonly value: Json }, null>;
  reading: Call<Readonly<Record<string, Json>>, null>;
  event: Call<
    { readonly name: string; readonly data: Readonly<Record<string, Json>>; readonly message: string | null },
    null
  >;
  log: Call<{ readonly level: string; readonly message: string }, null>;
  repeat: Call<{ readonly id: number; readonly intervalMs: number }, null>;
  unrepeat: Call<number, null>;
  listen: Call<{ readonly id: number; readonly topic: ListenedTopic; readonly key: string }, null>;
  sleepFor: Call<number, number>;
  lease: Call<readonly string[], number>;
  /** `forMs`: for that long; null: until it is set again. */
  setOutput: Call<
    { readonly lease: number; readonly output: string; readonly percent: number; readonly forMs: number | null },
    null
  >;
  releaseLease: Call<number, null>;
  jobSettings: Call<string, Readonly<Record<string, number | string>> | null>;
  /** It has ended by itself. */
  done: Call<null, null>;
  /** Reports an unhandled error. */
  failed: Call<string, null>;
};
