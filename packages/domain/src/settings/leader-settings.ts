import { inSection, type SettingDeclaration } from './setting-declaration.ts';
import { choice, integer, text } from './setting-type.ts';

const port = (min: number) => integer({ min, max: 65_535 });

const http = inSection('http', 'node');
const network = inSection('network', 'node');
const broker = inSection('broker', 'node');
const backup = inSection('backup', 'node');
const webhooks = inSection('webhooks', 'no');
const plugins = inSection('plugins', 'no');
const smtp = inSection('smtp', 'no');
const oidc = inSection('oidc', 'no');
const tracing = inSection('tracing', 'node');

const kB = { unit: 'kB' } as const;
const MB = { unit: 'MB' } as const;

/** The keys of `leader.ini`, the file of the leader's process. */
export const leaderSettings = {
  liveConnections: http.key(
    'live_connections',
    integer({ min: 1, max: 10_000 }),
    '200',
    'Connections at `GET /api/live`.',
  ),
  network: {
    names: network.key(
      'names',
      text,
      '',
      'Further host names and addresses under which the leader is reached, separated by commas: for its certificate and the check of the Host header.',
    ),
    trustedProxies: network.key(
      'trusted_proxies',
      text,
      '',
      'Addresses and subnets of reverse proxies, separated by commas. Only their `X-Forwarded-For` and `X-Forwarded-Proto` count.',
    ),
  },
  broker: {
    mode: broker.key('mode', choice(['embedded', 'external', 'off']), 'embedded', 'The MQTT broker.'),
    host: broker.optional(
      'host',
      text,
      'Loopback address where the embedded broker listens without TLS. Absent: that of HTTP, else 127.0.0.1. With TLS it listens on the address of HTTP.',
    ),
    port: broker.key('port', port(0), '1883', 'Port of the embedded broker on this machine; 0: any free port.'),
    tlsPort: broker.key(
      'tls_port',
      port(0),
      '8883',
      'Port of the embedded broker with TLS, if the leader is on a network; 0: any free port.',
    ),
    url: broker.optional(
      'url',
      text,
      'External broker, `mqtt://` or `mqtts://host[:port]`. Certificates of a private authority: `NODE_EXTRA_CA_CERTS` in the environment of leader and units.',
    ),
    username: broker.optional('username', text, 'Account at the external broker.'),
    password: broker.optional('password', text, 'Password of the account.', { isSecret: true }),
  },
  /** Of the embedded broker. The defaults allow 200 units with 300 retained topics each, and as many web UIs with 20 topics of each unit. */
  brokerLimits: {
    payload: broker.key('payload_kb', integer({ min: 1, max: 8192 }), '256', 'Longest payload.', kB),
    retainedTopics: broker.key(
      'retained_topics',
      integer({ min: 100, max: 10_000_000 }),
      '100000',
      'Retained messages of all clients.',
    ),
    retained: broker.key('retained_mb', integer({ min: 1, max: 4096 }), '64', 'Their topics and payloads.', MB),
    clientRetainedTopics: broker.key(
      'client_retained_topics',
      integer({ min: 100, max: 10_000_000 }),
      '10000',
      'Retained messages of one client.',
    ),
    clientRetained: broker.key(
      'client_retained_mb',
      integer({ min: 1, max: 4096 }),
      '16',
      'Their topics and payloads.',
      MB,
    ),
    connections: broker.key('connections', integer({ min: 2, max: 10_000 }), '500', 'TCP and WebSocket together.'),
    addressConnections: broker.key(
      'address_connections',
      integer({ min: 2, max: 10_000 }),
      '100',
      'Connections of one other machine; those of this machine have no such limit.',
    ),
    accountConnections: broker.key(
      'account_connections',
      integer({ min: 2, max: 10_000 }),
      '50',
      'Connections of one unit, person or token.',
    ),
    messagesPerSecond: broker.key(
      'messages_per_s',
      integer({ min: 10, max: 1_000_000 }),
      '1000',
      'Messages that one unit, person or token publishes. A burst of ten seconds is allowed; then its connections wait.',
      { unit: '1/s' },
    ),
    subscriptions: broker.key(
      'subscriptions',
      integer({ min: 100, max: 1_000_000 }),
      '50000',
      'Subscriptions of all clients.',
    ),
    clientSubscriptions: broker.key(
      'client_subscriptions',
      integer({ min: 10, max: 1_000_000 }),
      '5000',
      'Subscriptions of one client.',
    ),
    clientBuffer: broker.key(
      'client_buffer_kb',
      integer({ min: 64, max: 65_536 }),
      '1024',
      'What waits for one client in its connection, and in its session.',
      kB,
    ),
    queued: broker.key('queued_mb', integer({ min: 1, max: 4096 }), '64', 'What waits in all sessions.', MB),
    absentSessions: broker.key(
      'absent_sessions',
      integer({ min: 0, max: 10_000 }),
      '200',
      'Sessions of absent clients.',
    ),
    absentSessionHours: broker.key(
      'absent_session_hours',
      integer({ min: 1, max: 8760 }),
      '24',
      'How long the session of an absent client is kept.',
      { unit: 'h' },
    ),
  },
  backupFolder: backup.optional(
    'folder',
    text,
    'Second place of backups, an absolute path outside the data folder. Absent: `backups` of the data folder.',
  ),
  backupPassphrase: backup.optional(
    'passphrase',
    text,
    'Encrypts the keys of the leader in its backups. Absent: backups contain no keys.',
    { isSecret: true },
  ),
  allowedAddresses: webhooks.key(
    'allowed_addresses',
    text,
    '',
    'Addresses of this machine and the cluster that webhooks and pings may reach, separated by commas, each with `:port` or `/prefix`.',
  ),
  pluginIndex: plugins.key(
    'index_url',
    text,
    'https://registry.npmjs.org/-/v1/search?text=keywords:lcs-plugin&size=100',
    'Index of installable plugins: a search of an npm registry, or a file with the same structure. `off`: no index is read.',
  ),
  tracingEndpoint: tracing.optional(
    'endpoint',
    text,
    'Base address of an OpenTelemetry collector that receives spans by OTLP over HTTP, such as `http://127.0.0.1:4318`. Absent: `OTEL_EXPORTER_OTLP_ENDPOINT` of the environment, else no spans.',
  ),
  smtp: {
    host: smtp.optional('host', text, 'Mail server. Absent: no e-mail is sent.'),
    port: smtp.optional(
      'port',
      port(1),
      'Port of the mail server. Absent: 465 for `tls`, 587 for `starttls`, 25 for `none`.',
    ),
    security: smtp.key(
      'security',
      choice(['tls', 'starttls', 'none']),
      'starttls',
      'Encryption. `starttls` begins without encryption and must become encrypted.',
    ),
    username: smtp.optional('username', text, 'Account at the mail server.'),
    password: smtp.optional('password', text, 'Password of the account.', { isSecret: true }),
    from: smtp.optional('from', text, 'Sender of the e-mails. Absent: no e-mail is sent.'),
  },
  /** The sign-in with the accounts of an institution. */
  oidc: {
    issuer: oidc.optional(
      'issuer',
      text,
      'Address of the OpenID provider, as in its `/.well-known/openid-configuration`; HTTPS, except on this machine. Absent: no sign-in with it.',
    ),
    clientId: oidc.optional('client_id', text, 'Name of this leader at the provider.'),
    clientSecret: oidc.optional('client_secret', text, 'Secret of this leader at the provider.', { isSecret: true }),
    name: oidc.key('name', text, 'your institution', 'Who the provider is, for the button of the sign-in page.'),
    scope: oidc.key('scope', text, 'openid profile email', 'What the leader asks the provider for.'),
    groupsClaim: oidc.key('groups_claim', text, 'groups', 'Claim of the ID token that lists the groups of a person.'),
    administratorGroups: oidc.key(
      'administrator_groups',
      text,
      '',
      'Groups, separated by commas, whose people are administrators.',
    ),
    operatorGroups: oidc.key('operator_groups', text, '', 'Groups whose people are operators.'),
    viewerGroups: oidc.key('viewer_groups', text, '', 'Groups whose people are viewers.'),
    allowedDomains: oidc.key(
      'allowed_domains',
      text,
      '',
      'Domains of verified e-mail addresses, separated by commas, whose people may sign in without a group.',
    ),
    domainRole: oidc.key('domain_role', choice(['viewer', 'operator']), 'viewer', 'The role of these people.'),
  },
};

const { liveConnections, backupFolder, backupPassphrase, allowedAddresses, pluginIndex, tracingEndpoint } =
  leaderSettings;

/** Every key of `leader.ini`. */
export const leaderFileSettings: readonly SettingDeclaration[] = [
  liveConnections,
  ...Object.values(leaderSettings.network),
  ...Object.values(leaderSettings.broker),
  ...Object.values(leaderSettings.brokerLimits),
  backupFolder,
  backupPassphrase,
  allowedAddresses,
  pluginIndex,
  tracingEndpoint,
  ...Object.values(leaderSettings.smtp),
  ...Object.values(leaderSettings.oidc),
];
