import type { enrolmentRoutes, Handlers, unitRoutes } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import type { MachineAdmission } from '../machines/machine-admission.ts';
import { workerNames } from '../queries/workers.ts';
import type { EnrolmentService } from './enrolment-service.ts';
import type { SessionDirectory } from './session-directory.ts';

type UnitApi = typeof unitRoutes & typeof enrolmentRoutes;

interface UnitFeature {
  readonly directory: SessionDirectory;
  readonly enrolments: EnrolmentService;
  readonly admission: Pick<MachineAdmission, 'challenges'>;
}

/** The list of units, their statuses, and their enrolment. */
export function unitHandlers(
  { database, leader }: Pick<LeaderContext, 'database' | 'leader'>,
  { directory, enrolments, admission }: UnitFeature,
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

    enrolUnit: async ({ body: enrolment, headers, remoteAddress, origin, signal }) => ({
      status: 200,
      body: await enrolments.enrol({ enrolment, headers, remoteAddress, origin, signal }),
    }),

    beginEnrolment: ({ body }) => ({ status: 200, body: admission.challenges.issue(body) }),
  };
}
