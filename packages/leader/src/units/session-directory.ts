import { type UnitStatus, unitProtocol } from '@lcs/contract';
import { type Clock, toTimestamp } from '@lcs/platform';
import { type Kysely, sql } from 'kysely';
import type { LeaderDatabase, UnitConditions, UnitDirectory } from '../core/leader-context.ts';
import { addressIn, unitAddress } from '../fleet/unit-address.ts';
import { enrolments } from '../queries/enrolments.ts';
import { sampleFlags } from '../series/sample-flags.ts';
import { conditionsOf, enrolmentOf, hasEnrolledRecently, unitStatus } from './unit-session.ts';
import type { UnitSessions } from './unit-sessions.ts';

export interface SessionDirectoryOptions {
  readonly leader: string;
  /** Of the program. */
  readonly version: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly database: LeaderDatabase;
  readonly sessions: UnitSessions;
  /** Base URL of this node; undefined until it is reachable. */
  readonly ownUrl: () => string | undefined;
  /** Where other machines reach the leader; null: it does not listen yet. */
  readonly shownUrl: () => string | null;
  /** `[cluster.addresses]` of the shared configuration. */
  readonly configuredAddresses: () => Readonly<Record<string, string>>;
  /** The credentials of its machine are revoked. */
  readonly isRevoked: (unit: string) => boolean;
  /** For a configured host without a port. */
  readonly defaultPort: () => number;
}

/** The addresses of the units and their statuses, from their sessions. */
export class SessionDirectory implements UnitDirectory {
  readonly #options: SessionDirectoryOptions;
  readonly addressOf: (unit: string) => string | undefined;

  constructor(options: SessionDirectoryOptions) {
    this.#options = options;
    const { leader, configuredAddresses, defaultPort, ownUrl, sessions } = options;
    this.addressOf = unitAddress({
      // The leader itself is at its listening address, whatever the file contains: another leader may have that address now.
      configured: (unit) => (unit === leader ? undefined : addressIn(configuredAddresses(), unit)),
      enrolled: (unit) => (unit === leader ? ownUrl() : enrolmentOf(sessions.of(unit))?.base_url),
      defaultPort,
    });
  }

  /** Reads the addresses of the units of the leader's last run. */
  async load(): Promise<void> {
    const { clock, database, sessions, wire, isRevoked } = this.#options;
    for (const enrolment of await enrolments(database.read).execute()) {
      // After the clock was set back, no machine counts as newer than one that enrols now.
      const unit = enrolment.reactor_unit;
      const ageMs = Math.max(0, clock.now() - enrolment.renewed_at);
      sessions.dispatch(unit, {
        is: 'enrolment loaded',
        enrolment,
        enrolledMs: wire.monotonic() - ageMs,
        // The program that enrolled it may have had another version. A valid answer clears the fault.
        fault: isRevoked(unit) ? 'revoked' : enrolment.protocol === unitProtocol ? null : 'protocol_unsupported',
      });
    }
    for (const unit of await simulatedUnits(database.read)) {
      sessions.dispatch(unit, { is: 'board found', isSimulated: true });
    }
  }

  /** Names of machines that have enrolled recently and that `workers` does not contain. */
  newlyEnrolled(workers: ReadonlySet<string>): readonly string[] {
    const { sessions, wire } = this.#options;
    const nowMs = wire.monotonic();
    return sessions
      .units()
      .filter((unit) => !workers.has(unit) && hasEnrolledRecently(sessions.of(unit), nowMs))
      .sort();
  }

  statusOf(unit: string): UnitStatus | undefined {
    return unit === this.#options.leader || this.#isMember(unit) ? this.describe(unit) : undefined;
  }

  all(): readonly UnitStatus[] {
    const { leader, sessions } = this.#options;
    return [...new Set([leader, ...sessions.members()])].sort().map((unit) => this.describe(unit));
  }

  /** The status of a unit that the caller knows to exist. */
  describe(unit: string): UnitStatus {
    const { leader, sessions } = this.#options;
    // A leader that is a worker is followed like any other.
    if (unit === leader && !this.#isMember(unit)) return this.#leader();
    return unitStatus(unit, sessions.of(unit), this.addressOf(unit));
  }

  #isMember(unit: string): boolean {
    return this.#options.sessions.of(unit).membership === 'member';
  }

  conditionsOf(unit: string): UnitConditions {
    return conditionsOf(this.#options.sessions.of(unit));
  }

  /** The leader's own node is reachable: this code runs in it. */
  #leader(): UnitStatus {
    const { leader, clock, version, shownUrl } = this.#options;
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
      url: shownUrl(),
      is_simulated: false,
    };
  }
}

/** Units whose newest stored reading comes from a simulated board. */
async function simulatedUnits<Tables>(read: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ unit: string; flags: number | null }>`
    select unit, (select flags from sample_flags f where f.series_id = newest.id and f.at = newest.at) as flags
    from (
      select unit, id, at, row_number() over (partition by unit order by at desc, id) as place
      from (select s.unit, s.id, (select max(x.at) from samples x where x.series_id = s.id) as at from series s) as ends
      where at is not null
    ) as newest where place = 1`.execute(read);
  return rows.filter(({ flags }) => ((flags ?? 0) & sampleFlags.simulated) !== 0).map(({ unit }) => unit);
}
