import { join } from 'node:path';
import type { IdentityKey } from '@lcs/node';
import {
  CertificateFiles,
  isLoopback,
  machineCertificate,
  OwnCertificate,
  ownNames,
  type ServerTls,
  type Service,
  type Stage,
} from '@lcs/platform';
import type { NodeInputs } from './node-inputs.ts';

/** The certificate that an institution has issued for a leader. */
export interface CertificatePaths {
  readonly certificate: string;
  readonly key: string;
}

/** What people compare before they trust a certificate that no known authority has signed. */
export interface CertificateFacts {
  /** SHA-256 of the certificate of the leader's own authority; undefined: the certificate comes from files. */
  readonly authorityFingerprint: string | undefined;
}

export interface TlsOutputs {
  /** Undefined on loopback addresses. */
  readonly tls: ServerTls | undefined;
  readonly certificateFacts: () => CertificateFacts | undefined;
}

interface LeaderTlsInputs extends Pick<NodeInputs, 'name' | 'folder' | 'identityKey' | 'clock' | 'wire' | 'log'> {
  readonly host: string;
  /** Further names under which it is reached. */
  readonly networkNames: readonly string[];
  readonly certificatePaths: CertificatePaths | undefined;
}

/** The certificates of a leader: one for machines, made of its key, and one for browsers. */
export async function leaderTls(inputs: LeaderTlsInputs): Promise<Stage<TlsOutputs>> {
  const { host, identityKey, certificatePaths } = inputs;
  if (isLoopback(host)) return { outputs: { tls: undefined, certificateFacts: () => undefined }, services: [] };
  const machine = await machineCertificate(identityKey.privateKey);
  if (certificatePaths !== undefined) {
    const server = new CertificateFiles({ ...certificatePaths, clock: inputs.wire, log: inputs.log });
    const certificateFacts = () => ({ authorityFingerprint: undefined });
    return { outputs: { tls: { machine, server }, certificateFacts }, services: [server] };
  }
  const server = ownCertificate(inputs);
  const certificateFacts = () => ({ authorityFingerprint: server.authorityFingerprint });
  return { outputs: { tls: { machine, server }, certificateFacts }, services: [server] };
}

function ownCertificate(inputs: LeaderTlsInputs): OwnCertificate & Service {
  const { name, folder, host, networkNames, clock, log } = inputs;
  return new OwnCertificate({
    folder: join(folder.path, 'storage'),
    owner: name,
    names: () => ownNames([...networkNames, ...(wildcards.includes(host) ? [] : [host])]),
    clock,
    log,
  });
}

const wildcards = ['0.0.0.0', '::'];

/** The certificate of a unit is that of its key: only its leader calls it. */
export async function unitTls(host: string, { privateKey }: IdentityKey): Promise<ServerTls | undefined> {
  return isLoopback(host) ? undefined : { machine: await machineCertificate(privateKey) };
}

/** The names in the Host header under which a node on a network is reached. */
export const hostNames = (more: readonly string[]): readonly string[] =>
  ownNames(more).map((name) => (name.includes(':') ? `[${name}]` : name));
