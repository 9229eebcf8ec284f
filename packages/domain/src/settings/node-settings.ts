import { anyKey, inSection, type SettingDeclaration } from './setting-declaration.ts';
import { boolean, booleanOr, choice, host, integer, number, text } from './setting-type.ts';

const port = integer({ min: 1, max: 65_535 });
const level = choice(['DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'CRITICAL']);
const atLeast0 = number({ min: 0 });

const topology = inSection('cluster.topology', 'node');
/** The leader of the cluster. A new leader writes its own name and address. */
export const topologySettings = {
  leaderHostname: topology.optional('leader_hostname', text, 'Unit name of the leader. It cannot be changed here.', {
    inFile: true,
  }),
  leaderAddress: topology.optional(
    'leader_address',
    host,
    'Host name or IP address of the leader, without scheme and port.',
    { inFile: true },
  ),
};

const addresses = inSection('cluster.addresses', 'no');
const addressSettings = {
  ofUnit: addresses.optional(
    anyKey,
    host,
    'Address of the unit of that name, as host or host:port, such as rx01=192.168.4.21. It takes precedence over the address that the unit reports.',
    { inFile: {} },
  ),
};

const mqtt = inSection('mqtt', 'node');
export const mqttSettings = {
  brokerAddress: mqtt.optional(
    'broker_address',
    host,
    'Host of the message broker; several are separated by semicolons.',
    { inFile: true },
  ),
  brokerPort: mqtt.key('broker_port', port, '1883', 'Port of the broker for plain MQTT.', { inFile: true }),
  brokerWsPort: mqtt.key('broker_ws_port', port, '4999', 'Port of the broker for browsers (WebSocket).', {
    inFile: true,
    isUnused: true,
  }),
  wsProtocol: mqtt.key(
    'ws_protocol',
    choice(['ws', 'wss']),
    'ws',
    'Protocol of browsers to the broker: ws, or wss with encryption.',
    { inFile: true, isUnused: true },
  ),
  useTls: mqtt.key('use_tls', boolean, '0', 'Whether programs connect to the broker with TLS.', { inFile: true }),
  isLeader: mqtt.key(
    'broker_is_leader',
    boolean,
    '0',
    'With TLS: whether the leader itself is the broker. Units then find it at the address of their leader and accept its key only. The leader corrects it at its start.',
  ),
  username: mqtt.optional('username', text, 'Account for browsers at the broker, if there is one.', {
    default: '',
    needsRestart: 'no',
    isUnused: true,
  }),
  password: mqtt.optional('password', text, 'Password of the account; blank in merged configurations.', {
    default: '',
    needsRestart: 'no',
    isSecret: true,
    isUnused: true,
  }),
};

const ui = inSection('ui', 'no');
export const uiSettings = {
  port: ui.key('port', port, '4999', 'Port of the web UI. The leader corrects it at its start.', { inFile: true }),
  proto: ui.key('proto', choice(['http', 'https']), 'http', 'Scheme of the web UI.', { inFile: true, isUnused: true }),
  domainAlias: ui.optional('domain_alias', text, 'A further host name of the web UI.', { default: '', isUnused: true }),
};

const overview = inSection('ui.overview.settings', 'no');
export const overviewSettings = {
  filteredOdLookback: overview.key(
    'filtered_od_lookback_hours',
    atLeast0,
    '50000',
    'Time span that the charts of filtered OD load at first.',
    { unit: 'h', inFile: true },
  ),
  rawOdLookback: overview.key(
    'raw_od_lookback_hours',
    atLeast0,
    '50000',
    'Time span that the charts of raw OD load at first.',
    { unit: 'h', inFile: true },
  ),
  timeDisplayMode: overview.key(
    'time_display_mode',
    choice(['clock_time', 'hours']),
    'clock_time',
    'Time axis of charts: clock time, or hours since the creation of the experiment.',
    { inFile: true },
  ),
};

const charts = inSection('ui.overview.charts', 'no');
const chartSettings = {
  ofChart: charts.optional(anyKey, boolean, 'Whether the chart of that key is shown by default.', {
    inFile: {
      implied_growth_rate: '1',
      implied_daily_growth_rate: '0',
      fraction_of_volume_that_is_alternative_media: '0',
      normalized_optical_density: '1',
      optical_density: '1',
      temperature: '1',
      current_volume_ml: '0',
      raw_optical_density: '0',
      fused_optical_density: '0',
    },
  }),
};

const cards = inSection('ui.overview.cards', 'no');
const cardSettings = {
  ofCard: cards.key(
    anyKey,
    boolean,
    '1',
    'Whether the card of that name (dosings, event_logs, profiles) is shown on the overview.',
    { inFile: { dosings: '1', event_logs: '1', profiles: '1' }, isUnused: true },
  ),
};

const logging = inSection('logging', 'no');
const loggingSettings = {
  uiLogLevel: logging.key('ui_log_level', level, 'INFO', 'Lowest level of the log entries that the web UI shows.', {
    inFile: true,
    isUnused: true,
  }),
  consoleLogLevel: logging.key(
    'console_log_level',
    level,
    'INFO',
    'Lowest level of the log entries that a node writes to its console.',
    { needsRestart: 'node', isUnused: true },
  ),
};

const monitor = inSection('monitor.config', 'node');
export const monitorSettings = {
  enableButton: monitor.key(
    'enable_button',
    booleanOr(['auto']),
    'auto',
    'Whether the unit reads the button of its board; auto: not on computers with a single core.',
    { inFile: true },
  ),
  selfCheckInterval: monitor.key(
    'self_check_interval_hours',
    atLeast0,
    '12',
    'Interval at which a lasting warning is logged again; 0: once only.',
    { unit: 'h', inFile: true },
  ),
};

const resume = inSection('resume', 'no');
export const resumeSettings = {
  wait: resume.key(
    'wait_s',
    number({ min: 10, max: 3600, limits: 'both' }),
    '60',
    'How long a started unit waits for its leader before its actuating jobs resume without it.',
    { unit: 's' },
  ),
  ofJob: resume.optional(
    anyKey,
    choice(['resume', 'hold', 'off']),
    'What the job of that name does after its node was cut off: resume, hold (wait for a person), or off.',
  ),
};

const outbox = inSection('outbox', 'no');
export const outboxSettings = {
  /** The minimum is for tests: a unit that measures fast fills it within half a minute. */
  maxSize: outbox.key(
    'max_mb',
    number({ min: 0.03, max: 4096, limits: 'both' }),
    '256',
    'Maximum size of the records that a unit keeps while its leader is away.',
    { unit: 'MiB' },
  ),
  keepTime: outbox.key(
    'keep_days',
    number({ min: 1, max: 90, limits: 'both' }),
    '7',
    'How long a unit keeps records that its leader has stored.',
    { unit: 'd' },
  ),
};

const exports = inSection('export', 'no');
export const exportSettings = {
  keepTime: exports.key('keep_days', atLeast0, '7', 'How long the leader keeps finished exports.', { unit: 'd' }),
  keepSize: exports.key('keep_mb', atLeast0, '2048', 'Maximum size of all finished exports.', { unit: 'MiB' }),
  minFreeDisk: exports.key('min_free_disk_mb', atLeast0, '64', 'An export ends when less disk space is free.', {
    unit: 'MiB',
  }),
  minFreeMemory: exports.key('min_free_memory_mb', atLeast0, '120', 'An export ends when less memory is free.', {
    unit: 'MiB',
  }),
  maxWalSize: exports.key(
    'max_wal_mb',
    atLeast0,
    '512',
    'An export ends when the write-ahead log of the store is larger.',
    { unit: 'MiB' },
  ),
  maxQueryRows: exports.key(
    'max_query_rows',
    integer({ min: 0 }),
    '10000000',
    'Maximum number of rows of a dataset that is a query.',
  ),
  maxQueryTime: exports.key('max_query_minutes', atLeast0, '30', 'Maximum duration of a dataset that is a query.', {
    unit: 'min',
  }),
};

const backup = inSection('backup', 'no');
const copies = integer({ min: 0, max: 1_000, limits: 'max' });
export const backupSettings = {
  interval: backup.key(
    'interval_hours',
    atLeast0,
    '24',
    'Interval of scheduled backups of the leader; 0: only on request.',
    { unit: 'h' },
  ),
  keepDaily: backup.key(
    'keep_daily',
    copies,
    '7',
    "Number of days whose newest backup is kept. On the leader's own disk: at most 2.",
  ),
  keepWeekly: backup.key(
    'keep_weekly',
    copies,
    '4',
    "Number of weeks whose newest backup is kept. On the leader's own disk: none.",
  ),
};

const plugins = inSection('plugins', 'no');
export const pluginSettings = {
  allowInstall: plugins.key('allow_install', boolean, '0', 'Whether the API may install and remove plugins.'),
};

const mcp = inSection('mcp', 'no');
export const mcpSettings = {
  allowActingTools: mcp.key('allow_acting_tools', boolean, '0', 'Whether MCP clients may act, and not only read.'),
  allowQueries: mcp.key(
    'allow_queries',
    boolean,
    '0',
    'Whether MCP clients may read the stored data with their own queries (SELECT only).',
  ),
};

const accessPoint = inSection('local_access_point', 'node');
const accessPointSettings = {
  ssid: accessPoint.optional('ssid', text, "Name of the leader's Wi-Fi network.", { default: '', isUnused: true }),
  passphrase: accessPoint.optional('passphrase', text, 'Passphrase of the network; blank in merged configurations.', {
    default: '',
    isSecret: true,
    isUnused: true,
  }),
  proto: accessPoint.key('proto', text, 'rsn', 'Security protocol of the network.', { isUnused: true }),
};

/** The settings of nodes and of the web UI, in the order of the default file. */
export const nodeSettings = [
  topologySettings,
  addressSettings,
  mqttSettings,
  uiSettings,
  overviewSettings,
  chartSettings,
  cardSettings,
  loggingSettings,
  monitorSettings,
  resumeSettings,
  outboxSettings,
  exportSettings,
  backupSettings,
  pluginSettings,
  mcpSettings,
  accessPointSettings,
].flatMap((section): readonly SettingDeclaration[] => Object.values(section));
