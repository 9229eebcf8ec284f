import type { Json } from '@lcs/contract';
import type { OpticalPhase } from '@lcs/plugin-api';
import type { PluginDescription } from './plugin-description.ts';

/** What a job in a plugin's process begins with. */
export interface JobBeginning {
  /** Of an automation: its job. */
  readonly job: string;
  readonly automation: string | null;
  readonly jobId: number;
  readonly unit: string;
  readonly experiment: string;
  readonly model: { readonly name: string; readonly version: string } | null;
  readonly options: Readonly<Record<string, Json>>;
  readonly config: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Values that its settings have already. */
  readonly settings: Readonly<Record<string, Json>>;
}

export interface RouteCall {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly unit: string;
  readonly config: JobBeginning['config'];
}

/** What is heard of other jobs. */
export type ReceivedValue = Json | OpticalPhase;

interface Call<Given, Answer> {
  readonly given: Given;
  readonly answer: Answer;
}

/** What a node asks of a process of a plugin. Each carries the node's time, in milliseconds since 1970. */
export type ChildCalls = {
  describe: Call<null, PluginDescription>;
  start: Call<JobBeginning & { readonly nowMs: number }, { readonly endsByItself: boolean }>;
  tick: Call<{ readonly id: number; readonly nowMs: number }, null>;
  heard: Call<{ readonly id: number; readonly nowMs: number; readonly value: ReceivedValue }, null>;
  apply: Call<Readonly<Record<string, Json>>, null>;
  sleep: Call<null, null>;
  wake: Call<null, null>;
  stop: Call<null, null>;
  route: Call<RouteCall, Json>;
};

export type ListenedTopic = 'reading' | 'setting' | 'state' | 'optical';

/** What a process of a plugin asks of its node. */
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
  /** Something threw where nobody waits. */
  failed: Call<string, null>;
};
