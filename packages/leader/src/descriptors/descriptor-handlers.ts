import {
  type CallOptions,
  type ChartDescriptor,
  type DescriptorProblem,
  type descriptorRoutes,
  type Handlers,
  nodeApi,
  type ResultOf,
  type RouteDeclaration,
} from '@lcs/contract';
import { automationTypeIn, type NodeDescriptors } from '@lcs/node';
import type { LeaderContext } from '../core/leader-context.ts';
import { askUnit } from '../fleet/ask-unit.ts';
import { expectOneWorker } from '../queries/addressed-units.ts';

export interface DescriptorSources {
  readonly descriptors: NodeDescriptors;
  readonly charts: () => Promise<ChartDescriptor[]>;
  /** Files of other kinds. */
  readonly furtherProblems?: () => Promise<DescriptorProblem[]>;
}

/** Time limit of one list: a card of the web UI waits for it. */
const workerLimitMs = 10_000;

/** Descriptors of the leader, and of single workers, which may have other plugins. */
export function leaderDescriptorHandlers(
  context: Pick<LeaderContext, 'leader' | 'database' | 'fleet'>,
  { descriptors, charts, furtherProblems = async () => [] }: DescriptorSources,
): Handlers<typeof descriptorRoutes> {
  const jobs = async () => ({ status: 200, body: await descriptors.jobs() }) as const;
  const automations = async (type: string) =>
    ({ status: 200, body: await descriptors.automations(automationTypeIn(type)) }) as const;

  async function ofWorker<const Route extends RouteDeclaration>(
    unit: string,
    route: Route,
    call: CallOptions<Route>,
  ): Promise<ResultOf<Route>> {
    await expectOneWorker(context, unit);
    return askUnit(context.fleet, unit, route, call, { limitMs: workerLimitMs });
  }

  return {
    listJobDescriptors: jobs,
    listContributedJobs: jobs,
    listSettingsDescriptors: async () => ({ status: 200, body: await descriptors.settings() }),
    listAutomationDescriptors: ({ params }) => automations(params.automation_type),
    listContributedAutomations: ({ params }) => automations(params.automation_type),
    listContributedCharts: async () => ({ status: 200, body: await charts() }),
    listDescriptorProblems: async () => ({
      status: 200,
      body: [...(await descriptors.problems()), ...(await furtherProblems())],
    }),
    listJobDescriptorsOfWorker: async ({ params }) => ({
      status: 200,
      body: await ofWorker(params.reactor_unit, nodeApi.listNodeJobDescriptors, {}),
    }),
    listSettingsDescriptorsOfWorker: async ({ params }) => ({
      status: 200,
      body: await ofWorker(params.reactor_unit, nodeApi.listNodeSettingsDescriptors, {}),
    }),
    listAutomationDescriptorsOfWorker: async ({ params }) => {
      const call = { params: { automation_type: automationTypeIn(params.automation_type) } };
      return { status: 200, body: await ofWorker(params.reactor_unit, nodeApi.listNodeAutomationDescriptors, call) };
    },
  };
}
