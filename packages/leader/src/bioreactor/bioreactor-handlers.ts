import { ApiError, type Handlers, type leaderBioreactorRoutes } from '@lcs/contract';
import { bioreactorKeys, bottleKeys, isSettableKey } from '@lcs/domain';
import type { LeaderContext, UnitCommand } from '../core/leader-context.ts';
import { biomassSignalsPath } from '../jobs/biomass-scales.ts';
import type { FleetTasks } from '../jobs/fleet-tasks.ts';
import { memberTargets } from '../jobs/job-targets.ts';
import { addressedUnits, broadcast, expectWorker } from '../queries/addressed-units.ts';
import { experimentKey } from '../queries/experiments.ts';
import { workerNames } from '../queries/workers.ts';

type Needs = Pick<LeaderContext, 'leader' | 'database' | 'fleet' | 'log'>;

const bioreactorPath = (experiment: string): string =>
  `/unit_api/bioreactor/experiments/${encodeURIComponent(experiment)}`;

/** Commands to workers that concern the vial and the bench instead of jobs. */
export function bioreactorHandlers(context: Needs, tasks: FleetTasks): Handlers<typeof leaderBioreactorRoutes> {
  const { database, fleet, log } = context;

  return {
    getWorkerBiomassSignals: async ({ params }) =>
      tasks.read(await addressedUnits(context, 'workers', params.reactor_unit), biomassSignalsPath),

    getWorkerBioreactor: async ({ params: { reactor_unit: unit, experiment } }) => {
      if (unit !== broadcast) await expectWorker(context, unit);
      const units = unit === broadcast ? await memberTargets(context, { unit, experiment }) : [unit];
      return tasks.read(units, bioreactorPath(experiment));
    },

    updateBioreactor: async ({ params: { reactor_unit: unit, experiment }, body, headers, caller }) => {
      if (unit !== broadcast) await expectWorker(context, unit);
      const unknown = Object.keys(body.values).find((key) => !isSettableKey(key));
      if (unknown !== undefined) {
        const cause = `There is no value '${unknown}'. The values are ${[...bioreactorKeys, ...bottleKeys].join(', ')}.`;
        throw new ApiError('bioreactor_values_invalid', { cause });
      }
      if (!(await experimentKey(database.read, experiment).executeTakeFirst()))
        throw new ApiError('experiment_not_found', { experiment });
      const units = unit === broadcast ? await memberTargets(context, { unit, experiment }) : [unit];
      const path = bioreactorPath(experiment);
      const commands = units.map((each): UnitCommand => ({ unit: each, method: 'PATCH', path, body }));
      return tasks.command(commands, { headers, caller });
    },

    blinkWorker: async ({ params: { reactor_unit: unit } }) => {
      if (unit !== broadcast) await expectWorker(context, unit);
      const units = unit === broadcast ? await workerNames(database.read) : [unit];
      const blink = (each: string): UnitCommand => ({
        unit: each,
        method: 'POST',
        path: '/unit_api/monitor/blink',
        body: {},
      });
      // The effect is visible on the bench, not in the response.
      fleet
        .command(units.map(blink), { lane: 'command' })
        .catch((error: unknown) => log.error('A unit did not receive the request to blink', { error }));
      return { status: 202, body: { status: 'accepted' } };
    },
  };
}
