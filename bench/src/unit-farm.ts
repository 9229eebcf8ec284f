import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Units for one process. */
export interface FarmOrder {
  readonly leaderUrl: string;
  /** Undefined: what the configuration names. */
  readonly mqttUrl?: string;
  /** Of the data folders, each called like its unit. */
  readonly folder: string;
  /** Port 0: any free one. */
  readonly units: readonly { readonly name: string; readonly port: number }[];
}

export interface UnitFarm extends AsyncDisposable {
  /** Of the units, in their order. */
  readonly ports: readonly number[];
  readonly pid: number;
}

/** Simulated units, complete nodes each with its own server, folder and board, together in one other process. */
export async function startUnitFarm(order: FarmOrder): Promise<UnitFarm> {
  const child = fork(fileURLToPath(new URL('./unit-farm-process.ts', import.meta.url)));
  child.send(order);
  const [ports]: (readonly number[])[] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the process of the units has ended');
    }),
  ]);
  return {
    ports: ports ?? [],
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** The names, shared out to so many processes. */
export const inProcesses = <Item>(items: readonly Item[], processes: number): Item[][] =>
  Array.from({ length: processes }, (_, index) => items.filter((__, place) => place % processes === index)).filter(
    (group) => group.length > 0,
  );
