import { statfs } from 'node:fs/promises';
import { type Clock, MqttConnection } from '@lcs/platform';
import { snapshotJob } from '../camera/snapshots.ts';
import type { UnitConfig } from '../config/unit-config.ts';
import { UnitMirror } from '../mirror/unit-mirror.ts';
import { configuredLimits } from '../outbox/configured-limits.ts';
import type { NewNote } from '../outbox/new-record.ts';
import { Outbox } from '../outbox/outbox.ts';
import { OutboxOutlet } from '../outlet/outbox-outlet.ts';
import { UnitTime } from '../time/unit-time.ts';
import { brokerUrl } from './broker-url.ts';
import { unitClock } from './unit-clock.ts';
import type { UnitRoleOptions } from './unit-role-options.ts';

/** What the unit keeps for its leader, and shows on MQTT once it is on disk. */
export interface UnitRecords {
  readonly time: UnitTime;
  /** The unit's time. */
  readonly clock: Clock;
  readonly outbox: Outbox;
  readonly note: (record: NewNote) => void;
  readonly mqtt: MqttConnection;
  readonly mirror: UnitMirror;
  /** For what jobs say. */
  readonly outlet: OutboxOutlet;
}

interface Others {
  readonly config: UnitConfig['view'];
  /** Records have begun to be numbered anew. */
  readonly onEpoch: () => void;
}

export function createUnitRecords(options: UnitRoleOptions, others: Others): UnitRecords {
  const { unit, identity, dataFolder, board, wire, log, newId } = options;
  const probe = options.probe === undefined ? {} : { probe: options.probe };
  const time = new UnitTime({ clock: options.clock, boot: identity.boot, hostSynced: options.hostSynced });
  const clock = unitClock(options.clock, time);
  const outbox = new Outbox({
    database: options.outboxDatabase,
    time,
    clock,
    wire,
    log,
    newId,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(dataFolder);
      return bavail * bsize;
    },
    configured: () => configuredLimits(others.config()),
    ...probe,
    onEpoch: others.onEpoch,
    ...(board.isSimulated && { flags: ['simulated'] }),
  });
  const note = (record: NewNote): void => {
    outbox.append(record);
  };
  const mqtt = new MqttConnection({
    url: options.mqttUrl ?? (() => brokerUrl(others.config())),
    clientId: `reactor-${unit}`,
    will: { topic: `reactor/${unit}/$experiment/monitor/$state`, payload: 'lost' },
    wire,
    log,
  });
  const mirror = new UnitMirror({
    unit,
    mqtt,
    clock: wire,
    log,
    onRefused: (job, message) => outlet.log(job, 'ERROR', message),
  });
  const outlet: OutboxOutlet = new OutboxOutlet({
    ...{ outbox, time, mirror, log, momentaryJobs: new Set([snapshotJob]) },
  });
  return { time, clock, outbox, note, mqtt, mirror, outlet };
}
