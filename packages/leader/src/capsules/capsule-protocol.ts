import type { StorePlace } from '@lcs/platform/sql-reader';

/** The capsule that a thread writes. */
export interface CapsuleOrder {
  readonly place: StorePlace;
  /** The shared configuration file; it may be missing. */
  readonly sharedConfigPath: string;
  /** Path of the file, in an existing folder. */
  readonly path: string;
  readonly experiment: string;
  readonly nowMs: number;
  readonly version: string;
  readonly license: string | null;
  /** Default volume of a vial, mL. */
  readonly usualVolumeMl: number;
  /** The bits of flags, by name. */
  readonly flagBits: Readonly<Record<string, number>>;
}

export interface WrittenCapsule {
  readonly bytes: number;
  readonly sha256: string;
  readonly files: number;
}

export type CapsuleReply =
  | { readonly is: 'progress'; readonly fraction: number; readonly message: string }
  | { readonly is: 'written'; readonly capsule: WrittenCapsule | null }
  | { readonly is: 'failure'; readonly message: string };
