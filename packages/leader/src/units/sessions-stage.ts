import type { IdentityKey } from '@lcs/node';
import { machineCertificate, type Service, type Stage } from '@lcs/platform';
import type { AccessControl } from '../access/access-control.ts';
import type { SharedConfig } from '../config/shared-config.ts';
import type { NodeAgent, NodeHeaders } from '../core/leader-context.ts';
import { NodeConnections } from '../fleet/node-connections.ts';
import { UnitHttp } from '../fleet/unit-http.ts';
import type { MachineRegistry } from '../machines/machine-registry.ts';
import { SessionDirectory, type SessionDirectoryOptions } from './session-directory.ts';
import { UnitSessions } from './unit-sessions.ts';

export interface SessionsInputs
  extends Omit<SessionDirectoryOptions, 'sessions' | 'configuredAddresses' | 'ownUrl' | 'shownUrl' | 'isRevoked'> {
  readonly sharedConfig: Pick<SharedConfig, 'view'>;
  readonly machines: Pick<MachineRegistry, 'credentialsOf' | 'ofUnit' | 'onCredentialsEnd'>;
  readonly access: Pick<AccessControl, 'ownSecret'>;
  readonly identityKey: IdentityKey;
  /** Of this node. */
  readonly address: { readonly isListening: boolean; readonly networkUrl: string; readonly ownUrl: string };
}

export interface SessionsOutputs {
  readonly sessions: UnitSessions;
  readonly directory: SessionDirectory;
  readonly nodeHeaders: NodeHeaders;
  readonly nodeAgent: NodeAgent;
  readonly unitHttp: UnitHttp;
  readonly configuredAddresses: () => Readonly<Record<string, string>>;
  readonly sessionService: Service;
}

/** The leader's state of its units, and the HTTP requests to them. */
export function sessionsStage(inputs: SessionsInputs): Stage<SessionsOutputs> {
  const { sharedConfig, address, machines, access, identityKey } = inputs;
  const configuredAddresses = () => sharedConfig.view()['cluster.addresses'] ?? {};
  const ownUrl = () => (address.isListening ? address.ownUrl : undefined);
  const shownUrl = () => (address.isListening ? address.networkUrl : null);
  const sessions = new UnitSessions();
  const isRevoked = (unit: string) => (machines.ofUnit(unit)?.revokedAt ?? null) !== null;
  const directory = new SessionDirectory({ ...inputs, sessions, configuredAddresses, ownUrl, shownUrl, isRevoked });
  const connections = new NodeConnections({
    own: { address, secret: access.ownSecret, publicKey: identityKey.publicKey },
    certificate: () => machineCertificate(identityKey.privateKey),
    addressOf: directory.addressOf,
    units: () => sessions.units(),
    credentialsOf: (unit) => machines.credentialsOf(unit),
    keyOf: (unit) => {
      const machine = machines.ofUnit(unit);
      return machine?.revokedAt === null ? machine.publicKey : undefined;
    },
  });
  machines.onCredentialsEnd((unit) => {
    connections.closeRevoked();
    if (isRevoked(unit)) sessions.dispatch(unit, { is: 'revoked' });
  });
  const { headers: nodeHeaders, agent: nodeAgent } = connections;
  const unitHttp = new UnitHttp(nodeHeaders, nodeAgent);
  const sessionService: Service = {
    name: 'unit sessions',
    start: () => directory.load(),
    stop: async () => {
      unitHttp.close();
      connections.close();
    },
  };
  return {
    outputs: { sessions, directory, nodeHeaders, nodeAgent, unitHttp, configuredAddresses, sessionService },
    services: [],
  };
}
