import { createHash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Caller, UnitCredentials } from '@lcs/contract';
import { unitPermissions } from '@lcs/contract';
import type { Service } from '@lcs/platform';
import type { Effects, LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { type MachineRecord, readMachines, writeMachine } from './machine-store.ts';
import { deriveCredentials, mqttUsernameOf } from './unit-credentials.ts';

export interface MachineRegistryOptions {
  readonly context: Pick<LeaderContext, 'database' | 'clock'>;
  /** The private part of the leader's identity key. */
  readonly leaderKey: KeyObject;
}

/** What a connection shows of the machine at its other end. */
export interface ConnectionProof {
  /** Base64 of the SubjectPublicKeyInfo of the key that the peer has proved in the TLS handshake. */
  readonly peerKey?: string | undefined;
  /** Both ends are on this machine, without TLS. */
  readonly isPlainLoopback?: boolean;
}

interface KnownMachine {
  readonly record: MachineRecord;
  readonly credentials: UnitCredentials;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

/**
 * The machines that have credentials, in memory: a request is refused or admitted without the store. A change is on disk before it is
 * effective, except a revocation, which is effective at once.
 */
export class MachineRegistry implements Service {
  readonly name = 'machines';
  readonly #options: MachineRegistryOptions;
  readonly #machines = new Map<string, KnownMachine>();
  /** Machines that are not revoked, by the hash of their token. */
  readonly #byToken = new Map<string, KnownMachine>();
  readonly #byUnit = new Map<string, KnownMachine>();
  readonly #listeners = new Set<(unit: string) => void>();

  constructor(options: MachineRegistryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    for (const machine of await readMachines(this.#options.context.database.read)) this.#remember(machine);
  }

  async stop(): Promise<void> {}

  /** Calls `listener` after the credentials of a unit were revoked or replaced by others; it must not throw. */
  onCredentialsEnd(listener: (unit: string) => void): void {
    this.#listeners.add(listener);
  }

  machine(machineId: string): MachineRecord | undefined {
    return this.#machines.get(machineId)?.record;
  }

  /** The machine that has this name, also a revoked one. */
  ofUnit(unit: string): MachineRecord | undefined {
    return this.#byUnit.get(unit)?.record ?? this.#revokedAs(unit);
  }

  /** Names of the units with credentials. */
  get units(): readonly string[] {
    return [...this.#byUnit.keys()].sort();
  }

  /** Those of the machine that has this name; undefined: it has none, or they are revoked. */
  credentialsOf(unit: string): UnitCredentials | undefined {
    return this.#byUnit.get(unit)?.credentials;
  }

  /**
   * The unit that sent a request with this token. Over TLS the token is valid only together with the key of the machine: a stolen
   * token is worth nothing elsewhere.
   */
  callerOf(token: string, proof: ConnectionProof): Caller | undefined {
    const known = this.#byToken.get(digest(token).toString('base64'));
    if (known === undefined || !isOfMachine(proof, known)) return undefined;
    const { record } = known;
    return { kind: 'unit', id: record.machineId, personId: '', name: record.unit, permissions: unitPermissions };
  }

  /** The unit with this account at the broker; undefined: the account is not valid, or, as a token, not there. */
  unitOfAccount(username: string, password: string, proof: ConnectionProof): string | undefined {
    const unit = username.startsWith(mqttUsernameOf('')) ? username.slice(mqttUsernameOf('').length) : undefined;
    const known = unit === undefined ? undefined : this.#byUnit.get(unit);
    if (known === undefined || !isSame(known.credentials.mqtt.password, password)) return undefined;
    return isOfMachine(proof, known) ? unit : undefined;
  }

  /** The credentials that a machine will have once this change is on disk. Another machine that had its name is revoked. */
  async write(transaction: LeaderTransaction, effects: Effects, machine: MachineRecord): Promise<UnitCredentials> {
    const holder = this.#byUnit.get(machine.unit)?.record;
    const isOther = holder !== undefined && holder.machineId !== machine.machineId && machine.revokedAt === null;
    const replaced = isOther ? { ...holder, revokedAt: this.#options.context.clock.now() } : undefined;
    if (replaced !== undefined) await writeMachine(transaction, replaced);
    await writeMachine(transaction, machine);
    effects.afterCommit(() => {
      const before = this.#machines.get(machine.machineId)?.record;
      if (replaced !== undefined) this.#remember(replaced);
      this.#remember(machine);
      const isChanged = before !== undefined && !haveSameCredentials(before, machine);
      if (isChanged || replaced !== undefined) this.#publishEnd(machine.unit);
    });
    return this.#derive(machine);
  }

  /** Refuses a machine from now on, before the store knows it. */
  forget(machineId: string, revokedAt: number): void {
    const known = this.#machines.get(machineId);
    if (known === undefined) return;
    this.#remember({ ...known.record, revokedAt });
    this.#publishEnd(known.record.unit);
  }

  #revokedAs(unit: string): MachineRecord | undefined {
    const revoked = [...this.#machines.values()].map(({ record }) => record).filter((record) => record.unit === unit);
    return revoked.sort((one, other) => other.enrolledAt - one.enrolledAt)[0];
  }

  #derive({ unit, machineId, generation }: MachineRecord): UnitCredentials {
    return deriveCredentials(this.#options.leaderKey, unit, { machineId, generation });
  }

  #remember(record: MachineRecord): void {
    const before = this.#machines.get(record.machineId);
    if (before !== undefined) {
      this.#byToken.delete(digest(before.credentials.unit_token).toString('base64'));
      if (this.#byUnit.get(before.record.unit) === before) this.#byUnit.delete(before.record.unit);
    }
    const known = { record, credentials: this.#derive(record) };
    this.#machines.set(record.machineId, known);
    if (record.revokedAt !== null) return;
    this.#byToken.set(digest(known.credentials.unit_token).toString('base64'), known);
    this.#byUnit.set(record.unit, known);
  }

  #publishEnd(unit: string): void {
    for (const listener of this.#listeners) listener(unit);
  }
}

const isOfMachine = ({ peerKey, isPlainLoopback = false }: ConnectionProof, { record }: KnownMachine): boolean =>
  isPlainLoopback || peerKey === record.publicKey;

const haveSameCredentials = (one: MachineRecord, other: MachineRecord): boolean =>
  one.generation === other.generation && one.unit === other.unit && one.revokedAt === other.revokedAt;
