/** Leaders announce themselves by DNS-SD (RFC 6763) under this type; avahi-daemon does it from a static file. */
export const leaderServiceType = '_lcs._tcp';

/** Where avahi-daemon finds static services (avahi.service(5)). */
export const announcementFile = '/etc/avahi/services/lcs.service';

/** A leader in the network. */
export interface FoundLeader {
  /** `leader.local` */
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  /** Of its program. */
  readonly version?: string;
  /** SHA-256 of its certificate authority. */
  readonly fingerprint?: string;
}

export interface Announcement {
  readonly port: number;
  readonly version: string;
  readonly fingerprint: string | undefined;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The static service file of a leader. */
export const announcementText = ({ port, version, fingerprint }: Announcement): string =>
  `<?xml version="1.0" standalone='no'?>
<!DOCTYPE service-group SYSTEM "avahi-service.dtd">
<!-- Written by lcs setup, which keeps it up to date. -->
<service-group>
  <name replace-wildcards="yes">Leader Control Service on %h</name>
  <service>
    <type>${leaderServiceType}</type>
    <port>${port}</port>
    <txt-record>version=${escaped(version)}</txt-record>${
      fingerprint === undefined ? '' : `\n    <txt-record>fingerprint=${escaped(fingerprint)}</txt-record>`
    }
  </service>
</service-group>
`;

/** avahi-browse writes a byte that could be mistaken as `\` and three decimal digits, a dot and a backslash after a backslash. */
function unescaped(text: string): string {
  const bytes: number[] = [];
  const encoded = new TextEncoder();
  for (const [, decimal, literal, plain] of text.matchAll(/\\(\d{3})|\\(.)|([^\\]+)/gs)) {
    if (decimal !== undefined) bytes.push(Number(decimal) & 0xff);
    else bytes.push(...encoded.encode(literal ?? plain ?? ''));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** `"version=26.12.0" "fingerprint=ab cd"`: strings in quotes, in which quotes and backslashes are escaped. */
function recordsIn(text: string): Readonly<Record<string, string>> {
  const strings = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inner = '']) => unescaped(inner));
  return Object.fromEntries(
    strings.flatMap((string) => {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(string) ?? [];
      return key === undefined || value === undefined ? [] : [[key.toLowerCase(), value]];
    }),
  );
}

/** RFC 1123: letters, digits, hyphens and dots. The text comes from the network and goes into a file that root writes. */
export const isHostName = (text: string): boolean => /^[a-z0-9.-]+$/i.test(text);

/** `=;eth0;IPv4;name;type;domain;host;address;port;records`; semicolons in a name are escaped, those in records are not. */
const resolvedFields = 9;

function leaderIn(line: string): FoundLeader | undefined {
  if (!line.startsWith('=;')) return undefined;
  const fields = line.split(';');
  const [escapedHost = '', address = '', port = ''] = fields.slice(6, resolvedFields);
  const host = unescaped(escapedHost);
  const portNumber = Number(port);
  if (fields[4] !== leaderServiceType || !isHostName(host)) return undefined;
  if (!Number.isInteger(portNumber) || portNumber < 1 || portNumber > 65_535) return undefined;
  const { version, fingerprint } = recordsIn(fields.slice(resolvedFields).join(';'));
  return {
    host,
    port: portNumber,
    addresses: [address],
    ...(version !== undefined && { version }),
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

/** The leaders in the output of `avahi-browse -rpt _lcs._tcp`: one line for each interface and protocol. */
export function leadersIn(output: string): readonly FoundLeader[] {
  const leaders = new Map<string, FoundLeader>();
  for (const line of output.split('\n')) {
    const found = leaderIn(line.trim());
    if (found === undefined) continue;
    const key = `${found.host.toLowerCase()}:${found.port}`;
    const known = leaders.get(key);
    const addresses = [...new Set([...(known?.addresses ?? []), ...found.addresses])];
    leaders.set(key, { ...known, ...found, addresses });
  }
  return [...leaders.values()].sort((a, b) => a.host.localeCompare(b.host) || a.port - b.port);
}

/** The address that a unit keeps: the name, because addresses of a laboratory's network change. */
export const leaderUrl = ({ host, port }: Pick<FoundLeader, 'host' | 'port'>): string => `https://${host}:${port}`;
