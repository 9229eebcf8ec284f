/** A time in milliseconds since 1970 UTC. */
type Moment = number;

/** Machines with credentials. Those are derived from this row and the leader's identity key, and never stored. */
interface MachinesTable {
  machine_id: string;
  /** Its name. */
  reactor_unit: string;
  /** Base64 of the SubjectPublicKeyInfo of its Ed25519 key. */
  public_key: string;
  /** Of its credentials: a rotation raises it. */
  generation: number;
  /** The generation that the next enrolment issues. */
  wanted_generation: number;
  enrolled_at: Moment;
  revoked_at: Moment | null;
}

export interface MachineTables {
  machines: MachinesTable;
}

/** Keys of machines. */
export const machinesMigration = {
  set: 'machines',
  id: 1,
  name: 'keys of machines',
  up: `
    create table machines (
      machine_id text primary key,
      reactor_unit text not null,
      public_key text not null,
      generation integer not null check (generation >= 1),
      wanted_generation integer not null check (wanted_generation >= generation),
      enrolled_at integer not null,
      revoked_at integer
    ) strict, without rowid;
  `,
} as const;
