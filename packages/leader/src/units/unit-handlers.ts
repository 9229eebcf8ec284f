import type { enrolmentRoutes, Handlers, unitRoutes } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { workerNames } from '../queries/workers.ts';
import type { EnrolmentService } from './enrolment-service.ts';
import type { SessionDirectory } from './session-directory.ts';

type UnitApi = typeof unitRoutes & typeof enrolmentRoutes;

/** The list of units, their statuses, and their enrolment. */
export function unitHandlers(
  { database, leader }: Pick<LeaderContext, 'database' | 'leader'>,
  { directory, enrolments }: { readonly directory: SessionDirectory; readonly enrolments: EnrolmentService },
): Handlers<UnitApi> {
  return {
    listUnits: async () => {
      const names = new Set([leader, ...(await workerNames(database.read))]);
      return { status: 200, body: [...names].sort().map((unit) => directory.describe(unit)) };
    },

    discoverWorkers: async () => {
      const workers = new Set(await workerNames(database.read));
      return { status: 200, body: directory.newlyEnrolled(workers).map((reactor_unit) => ({ reactor_unit })) };
    },

    enrolUnit: async ({ body: enrolment, headers, remoteAddress, signal }) => ({
      status: 200,
      body: await enrolments.enrol({ enrolment, headers, remoteAddress, signal }),
    }),
  };
}
