import { leaderSettings, type SettingDeclaration } from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import { readLeaderSetting } from '../core/leader-file.ts';

/** Limits of one client and of all together in the embedded broker. Section `[broker]` of `leader.ini`. */
export interface BrokerLimits {
  readonly payloadBytes: number;
  /** Retained topics and their bytes; those of one client. */
  readonly retainedTopics: number;
  readonly retainedBytes: number;
  readonly clientRetainedTopics: number;
  readonly clientRetainedBytes: number;
  readonly connections: number;
  /** Of one other machine; of one account. */
  readonly addressConnections: number;
  readonly accountConnections: number;
  /** Messages that one account publishes. */
  readonly messagesPerSecond: number;
  readonly subscriptions: number;
  readonly clientSubscriptions: number;
  /** Queue of one client: in its connection, or in its session while it is away. */
  readonly clientBufferBytes: number;
  /** Queues of all sessions together. */
  readonly queuedBytes: number;
  /** Sessions of disconnected clients, and the time for which each is kept. */
  readonly absentSessions: number;
  readonly absentSessionHours: number;
}

const kB = 1024;
const MB = 1024 * kB;

/** @throws StartupError with the fault of the file */
export function readBrokerLimits(file: IniView): BrokerLimits {
  const { brokerLimits: keys } = leaderSettings;
  const read = (setting: SettingDeclaration<number>): number => readLeaderSetting(file, setting);
  return {
    payloadBytes: read(keys.payload) * kB,
    retainedTopics: read(keys.retainedTopics),
    retainedBytes: read(keys.retained) * MB,
    clientRetainedTopics: read(keys.clientRetainedTopics),
    clientRetainedBytes: read(keys.clientRetained) * MB,
    connections: read(keys.connections),
    addressConnections: read(keys.addressConnections),
    accountConnections: read(keys.accountConnections),
    messagesPerSecond: read(keys.messagesPerSecond),
    subscriptions: read(keys.subscriptions),
    clientSubscriptions: read(keys.clientSubscriptions),
    clientBufferBytes: read(keys.clientBuffer) * kB,
    queuedBytes: read(keys.queued) * MB,
    absentSessions: read(keys.absentSessions),
    absentSessionHours: read(keys.absentSessionHours),
  };
}

export const defaultBrokerLimits: BrokerLimits = readBrokerLimits({});
