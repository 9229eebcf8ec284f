import { ApiError, type Caller, type Handlers, metricsRoutes, publicPermissions } from '@lcs/contract';
import { leaderSettings } from '@lcs/domain';
import { loadLeaderSetting } from '@lcs/leader';
import type { IdentityKey } from '@lcs/node';
import {
  CertificateFiles,
  type Clock,
  HttpServer,
  isLoopback,
  LifecycleTree,
  type Log,
  machineCertificate,
  type Service,
  serve,
} from '@lcs/platform';
import { type CertificatePaths, hostNames } from '../tls-stage.ts';

export interface StandbyServerOptions {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly identityKey: IdentityKey;
  readonly certificatePaths: CertificatePaths | undefined;
  readonly wire: Clock;
  readonly log: Log;
}

/** Nobody has an account at a standby: it knows none. */
const everybody: Caller = {
  kind: 'anonymous',
  id: '',
  personId: '',
  name: 'anonymous',
  permissions: publicPermissions,
};

const standbyApi = { getReadiness: metricsRoutes.getReadiness, getLiveness: metricsRoutes.getLiveness } as const;

const standby = (): never => {
  throw new ApiError('control_standby', {});
};

const handlers: Handlers<typeof standbyApi> = {
  getReadiness: standby,
  getLiveness: () => ({ status: 200, body: { status: 'alive' } }),
};

/** The server of a standby, with what it needs. */
export interface StandbyServer extends Service {
  /** Known once started. */
  readonly url: string;
  readonly port: number;
}

/** A standby answers that it lives, and refuses everything else. Nothing in the data folder is written. */
export async function createStandbyServer(options: StandbyServerOptions): Promise<StandbyServer> {
  const { host, port, dataFolder, identityKey, certificatePaths, wire: clock, log } = options;
  const names = (await loadLeaderSetting(dataFolder, leaderSettings.network.names))
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const certificate = certificatePaths && new CertificateFiles({ ...certificatePaths, clock, log });
  const tls = isLoopback(host)
    ? undefined
    : { machine: await machineCertificate(identityKey.privateKey), ...(certificate && { server: certificate }) };
  const http = new HttpServer({
    host,
    port,
    log,
    clock,
    apis: [serve(standbyApi, handlers)],
    allowedHosts: () => (tls === undefined ? names : hostNames(names)),
    notFound: standby,
    identify: () => everybody,
    ...(tls && { tls }),
  });
  const tree = new LifecycleTree('standby', [...(certificate ? [certificate] : []), http], { log, wire: clock });
  return {
    name: 'standby',
    get url() {
      return http.url;
    },
    get port() {
      return http.port;
    },
    start: (signal) => tree.start(signal),
    stop: () => tree.stop(),
  };
}
