import type {
  AcceptedTask,
  Caller,
  Handler,
  Handlers,
  leaderJobRoutes,
  RunJob,
  StopEverywhere,
  UpdateRunningJob,
} from '@lcs/contract';
import { ledChannels, ledIntensityJob, pumpingJobs } from '@lcs/domain';
import type { ScopeCheck } from '../access/experiment-scopes.ts';
import { type JobsOfExperiment, jobsOfGroup, type LeaderContext } from '../core/leader-context.ts';
import { addressedUnits, broadcast, type Surface, withLeader } from '../queries/addressed-units.ts';
import { biomassChange, biomassStart } from './biomass-scales.ts';
import type { FleetTasks } from './fleet-tasks.ts';
import {
  checkChangeCommand,
  checkStartCommand,
  settingsRead,
  startCommand,
  stopEverywhereCommand,
  stopExperimentCommand,
  stopJobCommand,
  stopProfilesCommand,
  updateCommand,
} from './job-commands.ts';
import {
  expectOngoing,
  memberTargets,
  oneStopTarget,
  startTargets,
  stopTargets,
  updateTargets,
} from './job-targets.ts';
import type { RecentStops, StopScope } from './recent-stops.ts';
import { needsAllConfirmed } from './unconfirmed-requests.ts';

type Routes = typeof leaderJobRoutes;

const runningPath = '/unit_api/jobs/running';

/** A change of state, or a stop, does not wait for the document of a unit. */
const isUrgent = (settings: UpdateRunningJob['settings']): boolean =>
  settings.$state !== undefined || Object.values(settings).every((value) => value === 0);

/** Whether this start switches LEDs off, and none on. */
function isSwitchOff(job: string, { options = {} }: RunJob): boolean {
  const levels = ledChannels.flatMap((channel) => options[channel] ?? []);
  return job === ledIntensityJob.name && levels.length > 0 && levels.every((level) => Number(level) === 0);
}

function startAndUpdateHandlers(context: LeaderContext, tasks: FleetTasks, scopes: ScopeCheck) {
  const run =
    (surface: Surface): Handler<Routes['runWorkerJob']> =>
    async ({ params: { reactor_unit: unit, job, experiment }, query, body, headers, caller }) => {
      const targets = await startTargets(context, { surface, unit, chosen: query.units, job, experiment });
      const commands = targets.map((target) => startCommand(target, { job, experiment, body }));
      if (isSwitchOff(job, body)) return tasks.update(commands, { headers, caller }, { isUrgent: true });
      await expectOngoing(context, { surface, unit, job, experiment });
      const meaning = {
        starts: { jobName: job, experiment },
        biomass: biomassStart(job, body),
        ...(needsAllConfirmed(job, body) && {
          checks: { job, kind: 'start' as const, commands: commands.map(checkStartCommand) },
        }),
      };
      // The action may only reduce light: the unit decides whether its disk must record it first.
      return job === ledIntensityJob.name
        ? tasks.update(commands, { headers, caller }, meaning)
        : tasks.command(commands, { headers, caller }, meaning);
    };

  const update =
    (surface: Surface): Handler<Routes['updateWorkerJob']> =>
    async ({ params: { reactor_unit: unit, job, experiment }, query, body, headers, caller }) => {
      const isStop = body.settings.$state === 'disconnected';
      scopes.expect(caller, { experiment, unit, isActing: !(isStop && caller.permissions.has('jobs.stop')) });
      const units = await updateTargets(context, { surface, unit, chosen: query.units, experiment });
      const commands = units.map((each) => updateCommand(each, { job, experiment, body }));
      return tasks.update(
        Object.keys(body.settings).length === 0 ? [] : commands,
        { headers, caller },
        {
          ...(isStop && { stops: [{ jobName: job, experiment }] }),
          ...(isUrgent(body.settings)
            ? { isUrgent: true }
            : needsAllConfirmed(job, body) && {
                checks: { job, kind: 'change' as const, commands: commands.map(checkChangeCommand) },
              }),
          biomass: biomassChange(job, body, settingsRead(job, experiment)),
        },
      );
    };

  return {
    runWorkerJob: run('workers'),
    runWorkerJobPatch: run('workers'),
    runUnitJob: run('units'),
    runUnitJobPatch: run('units'),
    updateWorkerJob: update('workers'),
    updateUnitJob: update('units'),
  };
}

/** Records what ran before a stop of all jobs or pumps is sent. */
async function recorded<Accepted extends { readonly body: AcceptedTask }>(
  recentStops: Pick<RecentStops, 'before' | 'add'>,
  scope: StopScope,
  caller: Caller,
  order: () => Promise<Accepted>,
): Promise<Accepted> {
  const before = recentStops.before(scope);
  const accepted = await order();
  recentStops.add(before, accepted.body.task_id, caller);
  return accepted;
}

function stopHandlers(context: LeaderContext, tasks: FleetTasks, { recentStops }: JobHandlerNeeds) {
  const { leader } = context;

  const stop =
    (surface: Surface): Handler<Routes['stopWorkerJob']> =>
    async ({ params: { reactor_unit: unit, job_name: job, experiment }, query, headers, caller }) => {
      const units = await stopTargets(context, { surface, unit, chosen: query.units, experiment });
      return tasks.stop(
        units.map((each) => stopJobCommand(each, job, experiment)),
        { headers, caller },
        { stops: [{ jobName: job, experiment }] },
      );
    };

  const stopOnUnits: Handler<Routes['stopUnitJobsOfExperiment']> = async ({ params, query, headers, caller }) => {
    const { reactor_unit: unit, experiment } = params;
    const units =
      query.units === undefined
        ? await addressedUnits(context, 'units', unit)
        : await stopTargets(context, { surface: 'units', unit, chosen: query.units, experiment });
    const scope: StopScope = { what: 'everything', experiment, reactor_units: [...units] };
    return recorded(recentStops, scope, caller, () =>
      tasks.stop(
        units.map((each) => stopExperimentCommand(each, experiment)),
        { headers, caller },
        { stops: [{ jobName: null, experiment }] },
      ),
    );
  };

  const stopOnWorkers: Handler<Routes['stopWorkerJobsOfExperiment']> = async ({ params, query, headers, caller }) => {
    const { reactor_unit: unit, experiment } = params;
    const isChosen = query.units !== undefined;
    const workers = isChosen
      ? await stopTargets(context, { surface: 'workers', unit, chosen: query.units, experiment })
      : await (unit === broadcast ? addressedUnits(context, 'workers', unit) : oneStopTarget(context, unit));
    const stops = [{ jobName: null, experiment }];
    if (isChosen || unit !== broadcast)
      return recorded(recentStops, { what: 'everything', experiment, reactor_units: [...workers] }, caller, () =>
        tasks.stop(
          workers.map((each) => stopExperimentCommand(each, experiment)),
          { headers, caller },
          { stops },
        ),
      );
    const commands = withLeader(leader, workers).map((each) =>
      workers.includes(each) ? stopExperimentCommand(each, experiment) : stopProfilesCommand(each, experiment),
    );
    return recorded(recentStops, { what: 'everything', experiment, reactor_units: null }, caller, () =>
      tasks.stop(commands, { headers, caller }, { stops, profiles: { leader, isWorker: workers.includes(leader) } }),
    );
  };

  return {
    stopWorkerJob: stop('workers'),
    stopWorkerJobPatch: stop('workers'),
    stopUnitJob: stop('units'),
    stopUnitJobPatch: stop('units'),
    stopWorkerJobsOfExperiment: stopOnWorkers,
    stopWorkerJobsOfExperimentPatch: stopOnWorkers,
    stopUnitJobsOfExperiment: stopOnUnits,
    stopUnitJobsOfExperimentPatch: stopOnUnits,
  };
}

/** The jobs that a unit stops on its return when it could not be reached. */
const missedStops = (what: StopEverywhere['what'], ofPlugins: readonly string[]): readonly JobsOfExperiment[] =>
  what === 'everything'
    ? [{ jobName: null, experiment: null }]
    : [
        // A unit of an older version knows names only.
        ...[...pumpingJobs, ...ofPlugins].map((jobName) => ({ jobName, experiment: null })),
        { jobName: jobsOfGroup, experiment: null, stopGroup: 'pumps' },
      ];

const stopEverywhere =
  (
    context: LeaderContext,
    tasks: FleetTasks,
    { stopProfiles, pumpingPluginJobs, recentStops }: JobHandlerNeeds,
  ): Handler<Routes['stopEverywhere']> =>
  async ({ body: { what }, headers, caller }) => {
    const units = await addressedUnits(context, 'workers', broadcast);
    const commands = units.map((unit) => stopEverywhereCommand(unit, what));
    // At the same time: a profile would start jobs again. Both are awaited, so that no failure is left without a handler.
    const [accepted] = await Promise.all([
      recorded(recentStops, { what, experiment: null, reactor_units: null }, caller, () =>
        tasks.stop(commands, { headers, caller }, { stops: missedStops(what, pumpingPluginJobs()) }),
      ),
      what === 'everything' && stopProfiles(),
    ]);
    return accepted;
  };

export interface JobHandlerNeeds {
  readonly scopes: ScopeCheck;
  /** Stops all runs of profiles. */
  readonly stopProfiles: () => Promise<unknown>;
  /** Jobs of the leader's plugins that run pumps by their declaration, or may run them; for units of an older version, which have the same plugins. */
  readonly pumpingPluginJobs: () => readonly string[];
  readonly recentStops: Pick<RecentStops, 'before' | 'add'>;
}

/** Starts, stops, changes and reads jobs of units. Each result is a task with one outcome per unit. */
export function jobHandlers(context: LeaderContext, tasks: FleetTasks, needs: JobHandlerNeeds): Handlers<Routes> {
  const { scopes } = needs;
  const running =
    (surface: Surface): Handler<Routes['listWorkerRunningJobs']> =>
    async ({ params }) =>
      tasks.read(await addressedUnits(context, surface, params.reactor_unit), runningPath);

  return {
    ...startAndUpdateHandlers(context, tasks, scopes),
    ...stopHandlers(context, tasks, needs),
    stopEverywhere: stopEverywhere(context, tasks, needs),
    listWorkerRunningJobs: running('workers'),
    listUnitRunningJobs: running('units'),
    getWorkerJobSettings: async ({ params: { reactor_unit: unit, job_name: job, experiment } }) => {
      const path = settingsRead(job, experiment);
      return tasks.read(await memberTargets(context, { unit, experiment }), path);
    },
    getWorkerJobSetting: async ({ params: { reactor_unit: unit, job_name: job, setting, experiment } }) => {
      const path = settingsRead(job, experiment, setting);
      return tasks.read(await memberTargets(context, { unit, experiment }), path);
    },
  };
}
