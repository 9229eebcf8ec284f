/** Limits of one client and of all together in the embedded broker. Section `[broker]` of `leader.ini`. */
export interface BrokerLimits {
  readonly payloadBytes: number;
  /** Retained topics and their bytes; those of one client. */
  readonly retainedTopics: number;
  readonly retainedBytes: number;
  readonly clientRetainedTopics: number;
  readonly clientRetainedBytes: number;
  readonly connections: number;
  readonly subscriptions: number;
  readonly clientSubscriptions: number;
  /** Queue of one client: in its connection, or in its session while it is away. */
  readonly clientBufferBytes: number;
  /** Queues of all sessions together. */
  readonly queuedBytes: number;
  /** Sessions of clients that are away, and for how long each is kept. */
  readonly absentSessions: number;
  readonly absentSessionHours: number;
}

const kB = 1024;
const MB = 1024 * kB;

/**
 * For 200 units with 300 retained topics each, and as many web UIs. A web UI that shows 200 units subscribes to about 20 topics
 * of each.
 */
export const defaultBrokerLimits: BrokerLimits = {
  payloadBytes: 256 * kB,
  retainedTopics: 100_000,
  retainedBytes: 64 * MB,
  clientRetainedTopics: 10_000,
  clientRetainedBytes: 16 * MB,
  connections: 500,
  subscriptions: 50_000,
  clientSubscriptions: 5_000,
  clientBufferBytes: MB,
  queuedBytes: 64 * MB,
  absentSessions: 200,
  absentSessionHours: 24,
};

interface LimitKey {
  readonly limit: keyof BrokerLimits;
  readonly unit: number;
  readonly range: readonly [least: number, most: number];
}

/** The keys of `[broker]` that change a limit. */
const limitKeys = {
  payload_kb: { limit: 'payloadBytes', unit: kB, range: [1, 8192] },
  retained_topics: { limit: 'retainedTopics', unit: 1, range: [100, 10_000_000] },
  retained_mb: { limit: 'retainedBytes', unit: MB, range: [1, 4096] },
  client_retained_topics: { limit: 'clientRetainedTopics', unit: 1, range: [100, 10_000_000] },
  client_retained_mb: { limit: 'clientRetainedBytes', unit: MB, range: [1, 4096] },
  connections: { limit: 'connections', unit: 1, range: [2, 10_000] },
  subscriptions: { limit: 'subscriptions', unit: 1, range: [100, 1_000_000] },
  client_subscriptions: { limit: 'clientSubscriptions', unit: 1, range: [10, 1_000_000] },
  client_buffer_kb: { limit: 'clientBufferBytes', unit: kB, range: [64, 65_536] },
  queued_mb: { limit: 'queuedBytes', unit: MB, range: [1, 4096] },
  absent_sessions: { limit: 'absentSessions', unit: 1, range: [0, 10_000] },
  absent_session_hours: { limit: 'absentSessionHours', unit: 1, range: [1, 8760] },
} as const satisfies Record<string, LimitKey>;

/** @param refuse is called with the fault of the file */
export function readBrokerLimits(
  keys: Readonly<Record<string, string>>,
  refuse: (cause: string) => never,
): BrokerLimits {
  const limits: { -readonly [Limit in keyof BrokerLimits]: number } = { ...defaultBrokerLimits };
  for (const [key, { limit, unit, range }] of Object.entries<LimitKey>(limitKeys)) {
    const text = keys[key] ?? '';
    if (text === '') continue;
    const [least, most] = range;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      refuse(`[broker] ${key} must be a whole number from ${least} to ${most}, not '${text}'.`);
    }
    limits[limit] = value * unit;
  }
  return limits;
}
