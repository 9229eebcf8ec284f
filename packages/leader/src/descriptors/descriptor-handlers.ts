import {
  ApiError,
  AutomationDescriptor,
  type ChartDescriptor,
  type DescriptorProblem,
  type descriptorRoutes,
  type Handlers,
  JobDescriptor,
  SettingsDescriptor,
} from '@lcs/contract';
import { automationTypeIn, type NodeDescriptors } from '@lcs/node';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { LeaderContext } from '../core/leader-context.ts';
import { expectOneWorker } from '../queries/addressed-units.ts';

export interface DescriptorSources {
  readonly descriptors: NodeDescriptors;
  readonly charts: () => Promise<ChartDescriptor[]>;
  /** Of files that describe something else. */
  readonly furtherProblems?: () => Promise<DescriptorProblem[]>;
}

/** A card of a page waits no longer for one of its lists. */
const workerLimitMs = 10_000;

/** Descriptors of the leader, and of single workers, whose plugins may be others. */
export function leaderDescriptorHandlers(
  context: Pick<LeaderContext, 'database' | 'fleet'>,
  { descriptors, charts, furtherProblems = async () => [] }: DescriptorSources,
): Handlers<typeof descriptorRoutes> {
  const jobs = async () => ({ status: 200, body: await descriptors.jobs() }) as const;
  const automations = async (type: string) =>
    ({ status: 200, body: await descriptors.automations(automationTypeIn(type)) }) as const;

  async function ofWorker<Item extends TSchema>(unit: string, path: string, item: Item): Promise<Static<Item>[]> {
    await expectOneWorker(context, unit);
    const request = { method: 'GET', path, limitMs: workerLimitMs } as const;
    const { body } = await context.fleet.passOn(unit, request);
    const list = Type.Array(item);
    if (Value.Check(list, body)) return body;
    throw new ApiError('unit_gave_no_answer', { unit, cause: 'What it sent is no list of descriptors.' });
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
      body: await ofWorker(params.reactor_unit, '/unit_api/jobs/descriptors', JobDescriptor),
    }),
    listSettingsDescriptorsOfWorker: async ({ params }) => ({
      status: 200,
      body: await ofWorker(params.reactor_unit, '/unit_api/settings/descriptors', SettingsDescriptor),
    }),
    listAutomationDescriptorsOfWorker: async ({ params }) => {
      const type = automationTypeIn(params.automation_type);
      const path = `/unit_api/automations/descriptors/${type}`;
      return { status: 200, body: await ofWorker(params.reactor_unit, path, AutomationDescriptor) };
    },
  };
}
