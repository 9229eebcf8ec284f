import { createUnitNode, type UnitNode, type UnitNodeOptions } from '@lcs/cluster';
import { AcceptedTask, createClient, type FinishedTask, unitApi, waitForTask } from '@lcs/contract';
import { memoryLog, realClock, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { Value } from 'typebox/value';
import { Caller, type Observe, reportAnswers } from './caller.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { shortPause } from './turns.ts';

export interface UnitUnderTestOptions {
  readonly name?: string;
  /** Base URL of a leader; without one the unit cannot enrol, and continues. */
  readonly leaderUrl?: string;
  readonly observe?: Observe;
  /** A folder that outlives this unit (for restarts); otherwise a temporary one that goes with it. */
  readonly dataFolder?: string;
  readonly clock?: VirtualClock;
  /** It connects to the broker of its configuration. */
  readonly usesBroker?: true;
  readonly configure?: Partial<UnitNodeOptions>;
}

export interface UnitUnderTest extends AsyncDisposable {
  readonly node: UnitNode;
  readonly url: string;
  readonly dataFolder: string;
  readonly clock: VirtualClock;
  readonly log: ReturnType<typeof memoryLog>;
  /** Calls by operation ID; the test asserts the answers. */
  readonly api: Caller<typeof unitApi>;
  /** Typed calls that throw on errors, to prepare a test. */
  readonly client: ReturnType<typeof createClient<typeof unitApi>>;
  /** Waits for the task that an answer has accepted. */
  finished(accepted: unknown): Promise<FinishedTask>;
}

/** No server listens there. */
const noLeader = 'http://127.0.0.1:9';

/** A unit in this process, its simulated board too, on virtual time; every answer is held to its declaration. */
export async function startUnit(options: UnitUnderTestOptions = {}): Promise<UnitUnderTest> {
  const folder = options.dataFolder === undefined ? await temporaryFolder('unit') : undefined;
  const dataFolder = options.dataFolder ?? folder?.path ?? '';
  const clock = options.clock ?? new VirtualClock();
  const log = memoryLog();
  const node = createUnitNode({
    name: options.name ?? 'unit1',
    dataFolder,
    host: '127.0.0.1',
    port: 0,
    leaderUrl: () => options.leaderUrl ?? noLeader,
    board: { kind: 'here', seed: 1 },
    log,
    clock,
    wire: realClock(),
    ...(options.usesBroker ? {} : { mqttUrl: () => undefined }),
    hostSynced: () => true,
    checkResponses: true,
    writer: testWriter(),
    ...reportAnswers(options.observe),
    ...options.configure,
  });
  await node.start(new AbortController().signal);
  return {
    node,
    url: node.url,
    dataFolder,
    clock,
    log,
    api: new Caller(unitApi, node.url, options.observe),
    client: createClient(unitApi, { baseUrl: node.url }),
    finished: (accepted) => {
      if (!Value.Check(AcceptedTask, accepted)) throw new Error(`no accepted task: ${JSON.stringify(accepted)}`);
      return waitForTask(node.url, accepted, { sleep: shortPause });
    },
    [Symbol.asyncDispose]: async () => {
      await node.stop();
      await folder?.[Symbol.asyncDispose]();
    },
  };
}
