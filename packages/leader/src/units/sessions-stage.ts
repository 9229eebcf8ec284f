import type { Service, Stage } from '@lcs/platform';
import type { SharedConfig } from '../config/shared-config.ts';
import type { NodeHeaders } from '../core/leader-context.ts';
import { UnitHttp } from '../fleet/unit-http.ts';
import { SessionDirectory, type SessionDirectoryOptions } from './session-directory.ts';
import { UnitSessions } from './unit-sessions.ts';

export interface SessionsInputs
  extends Omit<SessionDirectoryOptions, 'sessions' | 'configuredAddresses' | 'ownUrl' | 'shownUrl'> {
  readonly sharedConfig: Pick<SharedConfig, 'view'>;
  readonly nodeHeaders: NodeHeaders;
  /** Of this node. */
  readonly address: { readonly isListening: boolean; readonly url: string; readonly ownUrl: string };
}

export interface SessionsOutputs {
  readonly sessions: UnitSessions;
  readonly directory: SessionDirectory;
  readonly unitHttp: UnitHttp;
  readonly configuredAddresses: () => Readonly<Record<string, string>>;
  readonly sessionService: Service;
}

/** The leader's state of its units, and the HTTP requests to them. */
export function sessionsStage(inputs: SessionsInputs): Stage<SessionsOutputs> {
  const { sharedConfig, address, nodeHeaders } = inputs;
  const configuredAddresses = () => sharedConfig.view()['cluster.addresses'] ?? {};
  const ownUrl = () => (address.isListening ? address.ownUrl : undefined);
  const shownUrl = () => (address.isListening ? address.url : null);
  const sessions = new UnitSessions();
  const directory = new SessionDirectory({ ...inputs, sessions, configuredAddresses, ownUrl, shownUrl });
  const unitHttp = new UnitHttp(nodeHeaders);
  const sessionService: Service = {
    name: 'unit sessions',
    start: () => directory.load(),
    stop: async () => unitHttp.close(),
  };
  return { outputs: { sessions, directory, unitHttp, configuredAddresses, sessionService }, services: [] };
}
