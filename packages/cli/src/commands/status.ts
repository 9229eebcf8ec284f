import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printJson, printTable } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';

/** `lcs status`: is the leader up, and what does it manage? */
export function addStatusCommand(program: Command, io: ProgramIo): void {
  withConnection(program.command('status').description('whether the leader is up, and what it manages'), io).action(
    async (options: ConnectionOptions) => {
      const leader = connect(options);
      const [health, { version }, experiments, active, workers] = await Promise.all([
        leader.getHealth(),
        leader.getAppVersion(),
        leader.listExperiments(),
        leader.listActiveExperiments(),
        leader.listWorkers(),
      ]);
      const status = {
        status: health.status,
        url: leader.baseUrl,
        leader: health.reactor_unit,
        version,
        utc_time: health.utc_time,
        experiments: experiments.length,
        active_experiments: active.length,
        workers: workers.length,
        active_workers: workers.filter((worker) => worker.is_active === 1).length,
      };
      if (options.json) return printJson(io, status);
      printTable(
        io,
        ['leader', `${status.leader} at ${status.url}`],
        [
          ['version', status.version],
          ['time', status.utc_time],
          ['experiments', `${status.experiments} (${status.active_experiments} active)`],
          ['workers', `${status.workers} (${status.active_workers} active)`],
        ],
      );
    },
  );
}
