import type { Permission, Role } from '@lcs/contract';
import type { MosquittoPassword } from '../broker/mosquitto-password.ts';

/** Somebody with an account. Times in milliseconds. */
export interface PersonRecord {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly role: Role;
  readonly passwordHash: string;
  /** Of the PIN for shared tablets; null: none. */
  readonly pinHash: string | null;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly lastSeenAt: number | null;
}

/** A sign-in of a person, or a shared tablet, until it ends. */
export interface SessionRecord {
  readonly id: string;
  /** Of a tablet: the administrator who set it up. */
  readonly personId: string;
  /** Name of the shared tablet; null: the session of a person. */
  readonly tablet: string | null;
  readonly secretHash: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly address: string;
  readonly userAgent: string;
}

/** A token of a program. It may do what it lists and its maker still may. */
export interface TokenRecord {
  readonly id: string;
  readonly personId: string;
  readonly name: string;
  readonly secretHash: string;
  /** The same for an external Mosquitto; undefined: the token is of a version without it. */
  readonly mosquittoHash: MosquittoPassword | undefined;
  readonly permissions: readonly Permission[];
  /** Names; undefined: no limit. */
  readonly experiments: readonly string[] | undefined;
  readonly units: readonly string[] | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
}
