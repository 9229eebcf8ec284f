import { ApiError, type Enrolled, type Enrolment, unitProtocol } from '@lcs/contract';
import { withTimeout } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { Lane } from '../fleet/lane.ts';
import type { UnitAnswer, UnitCall } from '../fleet/unit-http.ts';
import type {
  AdmissionNames,
  Admitted,
  EnrolmentRequest,
  MachineAdmission,
  ProvedMachine,
} from '../machines/machine-admission.ts';
import type { MachineRegistry } from '../machines/machine-registry.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import {
  enrolmentOf,
  enrolmentOfMachine,
  keepEnrolment,
  replacementOf,
  type StoredEnrolment,
} from '../queries/enrolments.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { toWorker, workerNamed } from '../queries/workers.ts';
import { acceptedBaseUrl } from './base-url.ts';
import { checkEnrolment, type EnrolmentKind, validateEnrolment } from './validate-enrolment.ts';

export interface EnrolmentServiceOptions {
  readonly context: Pick<LeaderContext, 'leader' | 'clock' | 'wire' | 'database' | 'change'>;
  readonly leaderId: string;
  readonly models: Pick<ModelCatalog, 'find'>;
  readonly admission: MachineAdmission;
  readonly machines: Pick<MachineRegistry, 'write'>;
  /** `host[:port]` of the unit in the shared configuration. */
  readonly configuredAddress: (unit: string) => string | undefined;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly send: (call: UnitCall) => Promise<UnitAnswer>;
  /** The version of the unit's next document; 0: it is not a worker. */
  readonly desiredVersion: (unit: string) => number;
  /** After the enrolment is on disk. */
  readonly onEnrolled: (enrolment: StoredEnrolment, hasNewModel: boolean) => void;
}

/** An enrolment, and its source. */
export interface EnrolmentCall extends EnrolmentRequest {
  readonly signal: AbortSignal;
}

/** Where a node is expected, and the key that it must have there. */
interface NodeAddress {
  readonly base: string;
  readonly peerKey: string | undefined;
}

/** Open: a newer unit may have further fields. */
const AnyHealth = Type.Object({ reactor_unit: Type.String(), instance: Type.Optional(Type.String()) });

const reachableMs = 3_000;
/** Units whose addresses are checked at once. */
const concurrentChecks = 16;

/** Enrols units: records their machines and addresses. */
export class EnrolmentService {
  readonly #options: EnrolmentServiceOptions;
  readonly #checks = new Lane(concurrentChecks);
  /** Each message is logged once, however often the unit retries. */
  readonly #logged = new Set<string>();

  constructor(options: EnrolmentServiceOptions) {
    this.#options = options;
  }

  /** @throws ApiError those of the route */
  async enrol(call: EnrolmentCall): Promise<Enrolled> {
    const { admission } = this.#options;
    await this.#checkShape(call.enrolment);
    const proved = admission.prove(call);
    const enrolment = await this.#acceptedNames(call, proved);
    const names = await this.#names(enrolment);
    const admitted = await admission.admit({ ...call, enrolment }, proved, names);
    try {
      const enrolled = await this.#admitted({ ...call, enrolment }, admitted, names.isTaken);
      admitted.end(true);
      return enrolled;
    } catch (error) {
      admitted.end(false);
      throw error;
    }
  }

  /**
   * A machine whose name another one has is refused, and waits among the requests to join: a person may let it take over the name.
   * @throws ApiError those of `validateEnrolment`, enrol_refused
   */
  async #acceptedNames(call: EnrolmentCall, proved: ProvedMachine | undefined): Promise<Enrolment> {
    const { enrolment } = call;
    const { context, admission } = this.#options;
    try {
      await this.#validate(context.database.read, enrolment);
      return enrolment;
    } catch (error) {
      const isTaken = error instanceof ApiError && error.code === 'unit_name_taken';
      const canReplace = isTaken && proved !== undefined && enrolment.reactor_unit !== context.leader;
      if (!canReplace || !admission.isReplacementApproved(call, proved)) throw error;
      return { ...enrolment, replace: true };
    }
  }

  /**
   * Enrols a machine that may.
   * @param mayReplace the name was taken when the machine was admitted
   */
  async #admitted(
    { enrolment, ...call }: EnrolmentCall,
    { key, machine, proof }: Admitted,
    mayReplace: boolean,
  ): Promise<Enrolled> {
    const { context, leaderId, desiredVersion, models, onEnrolled, admission, machines } = this.#options;
    const baseUrl = await this.#baseUrl(enrolment, call);
    const at = { base: baseUrl, peerKey: key };
    await this.#refuseSecond(enrolment, at, call.signal);
    const isReachable = await this.#checks.run(() => this.#answersAs(enrolment.reactor_unit, at, call.signal));
    const model = enrolment.model && (await models.find(enrolment.model.model_name, enrolment.model.model_version));
    const now = Math.floor(context.clock.now());

    const { stored, isWorker, hasNewModel, credentials } = await context.change(async (transaction, effects) => {
      const kind = await this.#validate(transaction, enrolment);
      // Nobody has admitted it in place of a machine that has enrolled meanwhile.
      if (kind === 'replaces' && !mayReplace) throw new ApiError('unit_name_taken', { unit: enrolment.reactor_unit });
      const known = await enrolmentOf(transaction, enrolment.reactor_unit).executeTakeFirst();
      const stored = toStored(enrolment, baseUrl, now, kind === 'again' ? known?.enrolled_at : undefined);
      await keepEnrolment(transaction, stored);
      const admitted = machine();
      const credentials = admitted && (await machines.write(transaction, effects, admitted));
      await announce(effects, kind, stored);
      const worker = await workerNamed(transaction, stored.reactor_unit).executeTakeFirst();
      const hasNewModel = Boolean(worker && !worker.model_name && model);
      if (worker && model && hasNewModel) await takeOverModel(transaction, effects, worker, model);
      return { stored, isWorker: worker !== undefined, hasNewModel, credentials };
    });
    onEnrolled(stored, hasNewModel);
    return {
      leader: context.leader,
      leader_id: leaderId,
      leader_time: Math.floor(context.clock.now()),
      protocol: unitProtocol,
      worker: isWorker,
      desired_version: isWorker ? desiredVersion(stored.reactor_unit) : 0,
      reachable: isReachable,
      credentials: credentials ?? null,
      ...(proof && { proof }),
      ...(admission.hasPeople && { has_people: true }),
    };
  }

  /** @throws ApiError unit_name_invalid, protocol_unsupported */
  async #checkShape(enrolment: Enrolment): Promise<void> {
    try {
      checkEnrolment(enrolment);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'protocol_unsupported') await this.#logProtocol(enrolment);
      throw error;
    }
  }

  /** The event log of the leader has it too, not only the log of the unit. */
  async #logProtocol({ reactor_unit: unit, protocol }: Enrolment): Promise<void> {
    const message = `${unit} tried to enrol with version ${protocol} of the protocol between units and leader; this leader uses version ${unitProtocol}. Update the unit or the leader: it can enrol when both versions are the same.`;
    await this.#logOnce(`${unit} ${protocol}`, message);
  }

  async #logOnce(what: string, message: string): Promise<void> {
    if (this.#logged.has(what)) return;
    this.#logged.add(what);
    const { context } = this.#options;
    await context.change((_, effects) => effects.logEvent({ level: 'ERROR', message, task: 'enrolment' }));
  }

  async #validate(database: LeaderReader, enrolment: Enrolment): Promise<EnrolmentKind> {
    const known = await enrolmentOfMachine(database, enrolment.machine_id).executeTakeFirst();
    return validateEnrolment(enrolment, {
      leader: this.#options.context.leader,
      leaderId: this.#options.leaderId,
      holder: await enrolmentOf(database, enrolment.reactor_unit).executeTakeFirst(),
      known,
      isKnownWorker:
        known !== undefined && (await workerNamed(database, known.reactor_unit).executeTakeFirst()) !== undefined,
      replaced: await replacementOf(database, enrolment.machine_id).executeTakeFirst(),
    });
  }

  /**
   * A copied disk results in two machines with one identity. They would alternate and mix their records; the first one stays.
   * @throws ApiError machine_twice
   */
  async #refuseSecond(enrolment: Enrolment, at: NodeAddress, signal: AbortSignal): Promise<void> {
    const { reactor_unit: unit, machine_id, instance } = enrolment;
    const { context } = this.#options;
    const known = await enrolmentOf(context.database.read, unit).executeTakeFirst();
    if (instance === undefined || known?.machine_id !== machine_id || known.base_url === at.base) return;
    const there = await this.#checks.run(() => this.#healthAt({ ...at, base: known.base_url }, signal));
    if (there?.reactor_unit !== unit || there.instance === undefined || there.instance === instance) return;
    const message = `Two machines use the identity of ${unit}, at ${known.base_url} and at ${at.base}: one data folder is a copy of the other. The leader refuses the second one.`;
    await this.#logOnce(`${unit} at ${at.base}`, message);
    throw new ApiError('machine_twice', { unit, url: known.base_url });
  }

  #baseUrl(enrolment: Enrolment, { remoteAddress = '', origin }: Omit<EnrolmentCall, 'enrolment'>): Promise<string> {
    const { configuredAddress, resolve } = this.#options;
    const configured = configuredAddress(enrolment.reactor_unit);
    return acceptedBaseUrl(enrolment, {
      remote: remoteAddress,
      scheme: origin?.isSecure ? 'https' : 'http',
      resolve,
      configured,
    });
  }

  async #names({ reactor_unit: unit, machine_id }: Enrolment): Promise<AdmissionNames> {
    const { read } = this.#options.context.database;
    const holder = await enrolmentOf(read, unit).executeTakeFirst();
    return {
      hasEnrolled: holder?.machine_id === machine_id,
      isTaken: holder !== undefined && holder.machine_id !== machine_id,
      isReplaced: (await replacementOf(read, machine_id).executeTakeFirst()) !== undefined,
    };
  }

  /** Whether the unit answers at this address, under its name. */
  async #answersAs(unit: string, at: NodeAddress, signal: AbortSignal): Promise<boolean> {
    return (await this.#healthAt(at, signal))?.reactor_unit === unit;
  }

  /** The health of the node at this address; undefined: no node answers there. */
  async #healthAt({ base, peerKey }: NodeAddress, signal: AbortSignal): Promise<Static<typeof AnyHealth> | undefined> {
    const { context, send } = this.#options;
    try {
      const { status, text } = await withTimeout(context.wire, reachableMs, signal, (limited) =>
        send({
          method: 'GET',
          url: new URL('/unit_api/health', base),
          ...(peerKey !== undefined && { peerKey }),
          signal: limited,
        }),
      );
      const body: unknown = status === 200 ? JSON.parse(text) : undefined;
      return Value.Check(AnyHealth, body) ? body : undefined;
    } catch {
      // The response to the enrolment reports it, and the unit logs it.
      return undefined;
    }
  }
}

function toStored(enrolment: Enrolment, baseUrl: string, now: number, firstAt: number | undefined): StoredEnrolment {
  return {
    reactor_unit: enrolment.reactor_unit,
    machine_id: enrolment.machine_id,
    base_url: baseUrl,
    epoch: enrolment.epoch,
    boot: enrolment.boot,
    protocol: enrolment.protocol,
    app_version: enrolment.app_version,
    model_name: enrolment.model?.model_name ?? null,
    model_version: enrolment.model?.model_version ?? null,
    enrolled_at: firstAt ?? now,
    renewed_at: now,
  };
}

async function announce(effects: Effects, kind: EnrolmentKind, { reactor_unit, base_url }: StoredEnrolment) {
  if (kind === 'again') return;
  const message =
    kind === 'replaces'
      ? `Another machine is ${reactor_unit} from now on, at ${base_url}.`
      : `${reactor_unit} has enrolled, at ${base_url}.`;
  await effects.logEvent({ level: kind === 'replaces' ? 'NOTICE' : 'INFO', message, task: 'enrolment' });
}

/** The model of the machine's set-up applies until a person chooses one. */
async function takeOverModel(
  transaction: LeaderTransaction,
  effects: Effects,
  worker: Parameters<typeof toWorker>[0],
  { model_name, model_version }: { readonly model_name: string; readonly model_version: string },
): Promise<void> {
  const { reactor_unit: unit } = worker;
  const model = { model_name, model_version };
  await transaction.updateTable('workers').set(model).where('reactor_unit', '=', unit).execute();
  effects.live('worker', unit, toWorker({ ...worker, ...model }));
}
