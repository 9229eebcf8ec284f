import type { Role } from '@lcs/contract';
import { leaderSettings } from '@lcs/domain';
import { isLoopback } from '@lcs/platform';
import { readLeaderFile, readLeaderSetting, refuseLeaderFile } from '../core/leader-file.ts';

/** An OpenID provider, and who of its people may use the leader. */
export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly name: string;
  readonly scope: string;
  readonly admission: OidcAdmission;
}

export interface OidcAdmission {
  readonly groupsClaim: string;
  /** Groups by the role that they give. */
  readonly groups: Readonly<Record<Role, readonly string[]>>;
  readonly allowedDomains: readonly string[];
  readonly domainRole: Role;
}

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Whether requests to the provider cannot be read by others. */
const isSafeIssuer = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && (hostname === 'localhost' || isLoopback(hostname)));

/** Read for each sign-in, so that a change needs no restart. Undefined: none is configured. @throws StartupError */
export async function readOidcSettings(dataFolder: string): Promise<OidcSettings | undefined> {
  const file = await readLeaderFile(dataFolder);
  const { oidc } = leaderSettings;
  const issuer = readLeaderSetting(file, oidc.issuer);
  const clientId = readLeaderSetting(file, oidc.clientId);
  if (!issuer || !clientId) return undefined;
  if (!URL.canParse(issuer) || !isSafeIssuer(new URL(issuer)))
    refuseLeaderFile(`[oidc] issuer must be an address with https://, not ${issuer}.`);
  return {
    issuer: new URL(issuer),
    clientId,
    clientSecret: readLeaderSetting(file, oidc.clientSecret),
    name: readLeaderSetting(file, oidc.name),
    scope: readLeaderSetting(file, oidc.scope),
    admission: {
      groupsClaim: readLeaderSetting(file, oidc.groupsClaim),
      groups: {
        administrator: listOf(readLeaderSetting(file, oidc.administratorGroups)),
        operator: listOf(readLeaderSetting(file, oidc.operatorGroups)),
        viewer: listOf(readLeaderSetting(file, oidc.viewerGroups)),
      },
      allowedDomains: listOf(readLeaderSetting(file, oidc.allowedDomains)).map((domain) => domain.toLowerCase()),
      domainRole: readLeaderSetting(file, oidc.domainRole),
    },
  };
}
