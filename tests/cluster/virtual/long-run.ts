import { join } from 'node:path';
import { createUnitNode, type UnitNode } from '@lcs/cluster';
import { type CountingBuses, countingBuses } from '@lcs/hardware';
import { memoryLog, realClock, VirtualClock, WriterHost } from '@lcs/platform';
import { startLeader, temporaryFolder } from '@lcs/testkit';

export const longExperiment = 'ten days';

/** A leader with units in one process, all on one virtual clock; everything between chip and table is as in production. */
export async function startLongRun(unitCount: number) {
  await using cleanUp = new AsyncDisposableStack();
  const folder = cleanUp.use(await temporaryFolder('long-run'));
  const clock = new VirtualClock({ stallLimitMs: 60_000, batchesTimers: true, turns: 1 });
  const wire = realClock();
  let batches = 0;
  const probe = (point: string) => {
    if (point === 'feed.batch_committed') batches += 1;
  };
  const leader = cleanUp.use(await startLeader({ clock, configure: { checkResponses: false, probe } }));
  const writer = new WriterHost();
  await writer.start();
  cleanUp.defer(() => writer.stop());
  await leader.client.createExperiment({ body: { experiment: longExperiment } });
  const units: { readonly name: string; readonly node: UnitNode; readonly board: CountingBuses }[] = [];
  for (let number = 1; number <= unitCount; number += 1) {
    const name = `unit${number}`;
    const boards: CountingBuses[] = [];
    const node = createUnitNode({
      name,
      dataFolder: join(folder.path, name),
      host: '127.0.0.1',
      port: 0,
      leaderUrl: () => leader.url,
      board: {
        kind: 'here',
        seed: number,
        // The one short cut: a reading's conversions are drawn together, inside the chip.
        oversampling: 'closed_form',
        between: (board) => {
          const counting = countingBuses(board);
          boards.push(counting);
          return counting;
        },
      },
      log: memoryLog(),
      clock,
      wire,
      writer,
      mqttUrl: () => undefined,
      hostSynced: () => true,
    });
    await node.start(new AbortController().signal);
    cleanUp.defer(() => node.stop());
    const [board] = boards;
    if (board === undefined) throw new Error(`${name} has no board.`);
    units.push({ name, node, board });
    await leader.client.registerWorker({
      body: { reactor_unit: name, model_name: 'reactor_40ml', model_version: '1.5' },
    });
    await leader.client.assignWorker({ params: { experiment: longExperiment }, body: { reactor_unit: name } });
  }
  const status = () => leader.client.listUnits();
  const areMembers = async () =>
    (await status()).filter(({ applied_version }) => applied_version > 0).length === unitCount;
  while (!(await areMembers())) await wire.sleep(20);
  const held = cleanUp.move();
  return {
    clock,
    wire,
    leader,
    units,
    /** Transactions of the leader that stored records of a feed. */
    batches: () => batches,
    /** Starts a job on every unit. */
    run: async (job: string, options: Readonly<Record<string, number>>) => {
      for (const { name } of units) {
        const params = { reactor_unit: name, job, experiment: longExperiment };
        const accepted = await leader.client.runWorkerJob({ params, body: { options } });
        let task: Awaited<ReturnType<typeof leader.finished>> | undefined;
        void leader.finished(accepted).then((ended) => {
          task = ended;
        });
        while (task === undefined) await clock.advance(50);
        if (!JSON.stringify(task).includes('"ok":true'))
          throw new Error(`${job} did not start: ${JSON.stringify(task)}`);
      }
    },
    /**
     * Waits until the leader has everything that was read every `intervalS` seconds. A backlog of none does not say so alone:
     * the last records wait for their commit, of which the leader has not heard yet.
     */
    caughtUp: async (intervalS: number) => {
      const hasNewest = async () => {
        const { series } = await leader.client.getOdReadings({
          params: { experiment: longExperiment },
          query: { lookback: (1.1 * intervalS) / 3600, target_points: 1 },
        });
        return series.length === unitCount;
      };
      while (!(await hasNewest()) || (await status()).some(({ backlog }) => backlog > 0)) await wire.sleep(20);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
