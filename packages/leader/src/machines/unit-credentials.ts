import { hkdfSync, type KeyObject } from 'node:crypto';
import type { UnitCredentials } from '@lcs/contract';

const secretBytes = 32;

/** What credentials are derived for. Another generation results in other credentials. */
export interface CredentialSubject {
  readonly machineId: string;
  readonly generation: number;
}

/** The account of a unit at the broker. */
export const mqttUsernameOf = (unit: string): string => `unit:${unit}`;

/**
 * The credentials of a machine, derived from the leader's identity key (RFC 5869), so that the leader stores none: a copy of its
 * database impersonates no machine.
 */
export function deriveCredentials(
  leaderKey: KeyObject,
  unit: string,
  { machineId, generation }: CredentialSubject,
): UnitCredentials {
  const key = leaderKey.export({ type: 'pkcs8', format: 'der' });
  const derive = (purpose: string): string =>
    Buffer.from(hkdfSync('sha256', key, '', `lcs ${purpose} ${machineId} ${generation}`, secretBytes)).toString(
      'base64url',
    );
  return {
    unit_token: derive('unit-token'),
    leader_token: derive('leader-token'),
    mqtt: { username: mqttUsernameOf(unit), password: derive('mqtt') },
  };
}
