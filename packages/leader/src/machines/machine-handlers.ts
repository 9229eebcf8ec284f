import { ApiError, type EnrolmentCode, type Handlers, type JoinRequest, type machineRoutes } from '@lcs/contract';
import { validateUnitName } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { EventLogEntry, LeaderContext } from '../core/leader-context.ts';
import type { StoredJoin } from './join-requests.ts';
import type { MachineAdmission } from './machine-admission.ts';
import type { MachineRegistry } from './machine-registry.ts';
import type { MachineRecord } from './machine-store.ts';
import type { OpenCode } from './one-time-codes.ts';

const success = { status: 200, body: { status: 'success' } } as const;

const toCode = ({ id, unit, createdAt, expiresAt }: OpenCode): EnrolmentCode => ({
  code_id: id,
  reactor_unit: unit,
  created_at: toTimestamp(createdAt),
  expires_at: toTimestamp(expiresAt),
});

/** A request to join as people see it. */
export const toJoinRequest = (join: StoredJoin): JoinRequest => ({
  join_id: join.id,
  reactor_unit: join.unit,
  address: join.address,
  fingerprint: join.fingerprint,
  replaces: join.replaces,
  is_approved: join.isApproved,
  first_seen_at: toTimestamp(join.firstSeenAt),
  last_seen_at: toTimestamp(join.lastSeenAt),
});

interface MachineFeature {
  readonly context: Pick<LeaderContext, 'change' | 'clock' | 'log'>;
  readonly machines: MachineRegistry;
  readonly admission: MachineAdmission;
  /** Requests that a unit enrols now; never rejects. */
  readonly requestEnrolment: (unit: string) => void;
}

/** @throws ApiError unit_name_invalid */
function checkedName(text: string | null | undefined): string | null {
  if (text === undefined || text === null) return null;
  const validation = validateUnitName(text);
  if (!validation.ok) throw new ApiError('unit_name_invalid', { cause: validation.cause });
  return validation.name;
}

/** Credentials of machines: one-time codes, requests to join, revocation, rotation. */
export function machineHandlers(feature: MachineFeature): Handlers<typeof machineRoutes> {
  const { context, machines, admission, requestEnrolment } = feature;
  const { codes, joins } = admission;
  const log = (message: string, level: EventLogEntry['level'] = 'NOTICE') =>
    context.change(async (_, { logEvent }) => logEvent({ level, message, task: 'enrolment' }));
  /** @throws ApiError unit_without_credentials */
  const validMachine = (unit: string): MachineRecord => {
    const machine = machines.ofUnit(unit);
    if (machine === undefined || machine.revokedAt !== null) throw new ApiError('unit_without_credentials', { unit });
    return machine;
  };
  return {
    listEnrolmentCodes: () => ({ status: 200, body: codes.list().map(toCode) }),
    createEnrolmentCode: ({ body }) => {
      const made = codes.create(checkedName(body.reactor_unit));
      return { status: 201, body: { ...toCode(made), code: made.code } };
    },
    voidEnrolmentCode: ({ params: { code_id: id } }) => {
      codes.void(id);
      return success;
    },
    listJoinRequests: () => ({ status: 200, body: joins.list().map(toJoinRequest) }),
    approveJoinRequest: async ({ params: { join_id: id }, caller }) => {
      const { unit, address } = joins.approve(id);
      await log(`${caller.name} lets the machine at ${address} join as ${unit}.`);
      return success;
    },
    refuseJoinRequest: async ({ params: { join_id: id }, caller }) => {
      const { unit, address } = joins.refuse(id);
      await log(`${caller.name} has refused the machine at ${address}, which wanted to join as ${unit}.`);
      return success;
    },
    revokeCredentials: async ({ params: { reactor_unit: unit }, caller }) => {
      const machine = validMachine(unit);
      const revoked = { ...machine, revokedAt: Math.floor(context.clock.now()) };
      // First in memory: a stolen credential must not work for a moment longer, whatever the disk does.
      machines.forget(machine.machineId, revoked.revokedAt);
      await context.change(async (transaction, effects) => {
        await machines.write(transaction, effects, revoked);
        const message = `${caller.name} has revoked the credentials of ${unit}: the leader refuses this machine.`;
        await effects.logEvent({ level: 'WARNING', message, task: 'enrolment' });
      });
      return success;
    },
    rotateCredentials: async ({ params: { reactor_unit: unit }, caller }) => {
      const { machineId } = validMachine(unit);
      await context.change(async (transaction, effects) => {
        // An enrolment may have changed it since.
        const machine = machines.machine(machineId);
        if (machine === undefined || machine.revokedAt !== null)
          throw new ApiError('unit_without_credentials', { unit });
        await machines.write(transaction, effects, { ...machine, wantedGeneration: machine.generation + 1 });
        const message = `${caller.name} has ordered new credentials for ${unit}.`;
        await effects.logEvent({ level: 'NOTICE', message, task: 'enrolment' });
      });
      requestEnrolment(unit);
      return success;
    },
  };
}
