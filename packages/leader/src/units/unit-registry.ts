import { type FeedAnswer, type UnitStatus, type UnitTrouble, unitProtocol } from '@lcs/contract';
import { type Clock, toTimestamp } from '@lcs/platform';
import { type Kysely, sql } from 'kysely';
import type { LeaderDatabase, UnitDirectory } from '../core/leader-context.ts';
import { addressIn, unitAddress } from '../fleet/unit-address.ts';
import type { Liveness } from '../follower/feed-followers.ts';
import type { FeedMark } from '../follower/ingest-port.ts';
import { enrolments, type StoredEnrolment } from '../queries/enrolments.ts';
import { sampleFlags } from '../series/sample-flags.ts';

export interface UnitRegistryOptions {
  readonly leader: string;
  /** Of the program. */
  readonly version: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly database: LeaderDatabase;
  /** Base URL of this node; undefined until it is reachable. */
  readonly ownUrl: () => string | undefined;
  /** `[cluster.addresses]` of the shared configuration. */
  readonly configuredAddresses: () => Readonly<Record<string, string>>;
  /** For a configured host without a port. */
  readonly defaultPort: () => number;
  /** All units that are workers, by name. */
  readonly members: () => readonly string[];
  readonly isMember: (unit: string) => boolean;
  readonly versionOf: (unit: string) => number;
  readonly appliedOf: (unit: string) => number;
  readonly livenessOf: (unit: string) => Liveness | undefined;
  readonly markOf: (unit: string) => FeedMark | undefined;
}

interface Heard {
  readonly atMs: number;
  readonly epoch: string;
  readonly headSeq: number;
  readonly isFull: boolean;
  readonly offsetMs: number;
}

/** A machine that has not renewed its enrolment for so long is not there: units without a leader do it every 10 minutes. */
const freshMs = 30 * 60_000;

/** What is known of each unit, in memory; where they are is on disk too. */
export class UnitRegistry implements UnitDirectory {
  readonly #options: UnitRegistryOptions;
  readonly #enrolments = new Map<string, StoredEnrolment & { readonly seenMs: number }>();
  readonly #heard = new Map<string, Heard>();
  readonly #troubles = new Map<string, UnitTrouble>();
  readonly #simulated = new Set<string>();
  readonly addressOf: (unit: string) => string | undefined;

  constructor(options: UnitRegistryOptions) {
    this.#options = options;
    const { leader, configuredAddresses, defaultPort, ownUrl } = options;
    this.addressOf = unitAddress({
      // The leader itself is where it listens, whatever the file says: another leader may have that address now.
      configured: (unit) => (unit === leader ? undefined : addressIn(configuredAddresses(), unit)),
      enrolled: (unit) => (unit === leader ? ownUrl() : this.#enrolments.get(unit)?.base_url),
      defaultPort,
    });
  }

  /** Reads where the units were when the leader last ran. */
  async load(): Promise<void> {
    const { clock, database } = this.#options;
    for (const row of await enrolments(database.read).execute()) {
      // A clock that was set back makes no machine younger than one that enrols now.
      this.#keep(row, Math.max(0, clock.now() - row.renewed_at));
      // This program may be of another version than the one that took it in. An answer that can be read says that all is well.
      if (row.protocol !== unitProtocol) this.#troubles.set(row.reactor_unit, 'protocol_unsupported');
    }
    for (const unit of await simulatedUnits(database.read)) this.#simulated.add(unit);
  }

  enrolled(enrolment: StoredEnrolment): void {
    for (const [unit, { machine_id }] of this.#enrolments) {
      if (machine_id === enrolment.machine_id) this.#enrolments.delete(unit);
    }
    this.#keep(enrolment, 0);
    this.#troubles.delete(enrolment.reactor_unit);
  }

  /** The unit has answered. */
  heard(unit: string, answer: FeedAnswer): void {
    const atMs = this.#options.clock.now();
    this.#troubles.delete(unit);
    this.#heard.set(unit, {
      atMs,
      epoch: answer.epoch,
      headSeq: answer.head_seq,
      isFull: answer.outbox.full,
      offsetMs: Math.round(answer.time - atMs),
    });
  }

  /** The unit cannot be followed. */
  troubled(unit: string, trouble: UnitTrouble): void {
    this.#troubles.set(unit, trouble);
  }

  /** Whether the newest readings of the unit come from a simulated board. */
  measured(unit: string, isSimulated: boolean): void {
    if (isSimulated) this.#simulated.add(unit);
    else this.#simulated.delete(unit);
  }

  enrolmentOf(unit: string): StoredEnrolment | undefined {
    return this.#enrolments.get(unit);
  }

  /** Names of machines that have enrolled lately and that `workers` does not name. */
  strangers(workers: ReadonlySet<string>): readonly string[] {
    const { wire } = this.#options;
    const isThere = ({ seenMs }: { readonly seenMs: number }) => wire.monotonic() - seenMs < freshMs;
    return [...this.#enrolments]
      .filter(([unit, enrolment]) => !workers.has(unit) && isThere(enrolment))
      .map(([unit]) => unit)
      .sort();
  }

  statusOf(unit: string): UnitStatus | undefined {
    const { leader, isMember } = this.#options;
    return unit === leader || isMember(unit) ? this.describe(unit) : undefined;
  }

  all(): readonly UnitStatus[] {
    const { leader, members } = this.#options;
    return [...new Set([leader, ...members()])].sort().map((unit) => this.describe(unit));
  }

  /** The status of a unit that the caller knows to exist. */
  describe(unit: string): UnitStatus {
    const { leader, isMember } = this.#options;
    // A leader that is a worker is followed as any other.
    return unit === leader && !isMember(unit) ? this.#leader() : this.#unit(unit);
  }

  #unit(unit: string): UnitStatus {
    const { appliedOf, livenessOf, versionOf } = this.#options;
    const heard = this.#heard.get(unit);
    return {
      reactor_unit: unit,
      liveness: livenessOf(unit) ?? 'offline',
      last_heard_at: heard === undefined ? null : toTimestamp(heard.atMs),
      trouble: this.#troubles.get(unit) ?? null,
      desired_version: versionOf(unit),
      applied_version: appliedOf(unit),
      backlog: this.#backlog(unit, heard),
      clock_offset_ms: heard?.offsetMs ?? null,
      outbox_full: heard?.isFull ?? false,
      app_version: this.#enrolments.get(unit)?.app_version ?? null,
      url: this.addressOf(unit) ?? null,
      is_simulated: this.#simulated.has(unit),
    };
  }

  /** The leader's own node is here, or nobody would ask. */
  #leader(): UnitStatus {
    const { leader, clock, version, ownUrl } = this.#options;
    return {
      reactor_unit: leader,
      liveness: 'online',
      last_heard_at: toTimestamp(clock.now()),
      trouble: null,
      desired_version: 0,
      applied_version: 0,
      backlog: 0,
      clock_offset_ms: 0,
      outbox_full: false,
      app_version: version,
      url: ownUrl() ?? null,
      is_simulated: false,
    };
  }

  #backlog(unit: string, heard: Heard | undefined): number {
    if (heard === undefined) return 0;
    const mark = this.#options.markOf(unit);
    const stored = mark?.epoch === heard.epoch ? mark.seq : 0;
    return Math.max(0, heard.headSeq - stored);
  }

  /** `ageMs`: how long ago the machine renewed it. */
  #keep(enrolment: StoredEnrolment, ageMs: number): void {
    this.#enrolments.set(enrolment.reactor_unit, { ...enrolment, seenMs: this.#options.wire.monotonic() - ageMs });
  }
}

/** Units whose newest stored reading comes from a simulated board. */
async function simulatedUnits<Tables>(read: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ unit: string; flags: number | null }>`
    select unit, (select flags from sample_flags f where f.series_id = newest.id and f.at = newest.at) as flags
    from (
      select unit, id, max(at) as at
      from (select s.unit, s.id, (select max(x.at) from samples x where x.series_id = s.id) as at from series s)
      where at is not null group by unit
    ) newest`.execute(read);
  return rows.filter(({ flags }) => ((flags ?? 0) & sampleFlags.simulated) !== 0).map(({ unit }) => unit);
}
