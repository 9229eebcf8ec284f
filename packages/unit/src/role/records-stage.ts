import { clusterExperiment } from '@lcs/contract';
import type { Stage } from '@lcs/platform';
import type { CalibrationFileChange } from '../calibrations/calibration-files.ts';
import { type CalibrationStore, createCalibrationStore } from '../calibrations/calibration-store.ts';
import { changeEvent, changeNote } from '../calibrations/change-note.ts';
import { snapshotJob } from '../camera/snapshots.ts';
import { OutboxRecordSink } from '../record-sink/outbox-record-sink.ts';
import type { BrokerOutputs } from './broker-stage.ts';
import { DurableJobMemory } from './durable-job-memory.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface RecordsOutputs {
  readonly memory: DurableJobMemory;
  readonly calibrationStore: CalibrationStore;
  /** Takes everything that jobs publish: into the outbox, and from there to MQTT. */
  readonly sink: OutboxRecordSink;
}

type Inputs = UnitRoleInputs & TimeOutputs & StorageOutputs & BrokerOutputs;

/** What jobs keep and record. */
export function recordsStage({ options, time, clock, outbox, note, mirror }: Inputs): Stage<RecordsOutputs> {
  const { unit, dataFolder, database, log, probe } = options;
  const memory = new DurableJobMemory({ database, clock, log });
  const calibrationStore = createCalibrationStore({ unit, dataFolder, database, log, ...(probe && { probe }) });
  const { calibrations, estimators } = calibrationStore;
  const publishChange = (change: CalibrationFileChange): void => {
    note(changeNote(change));
    // MQTT clients receive it at once: it is on disk.
    mirror.event({ experiment: clusterExperiment }, changeEvent(change), time.now());
  };
  calibrations.onChange(publishChange);
  estimators.onChange(publishChange);
  const sink = new OutboxRecordSink({ outbox, time, mirror, log, momentaryJobs: new Set([snapshotJob]) });
  return {
    outputs: { memory, calibrationStore, sink },
    services: [memory, calibrations, estimators, sink],
  };
}
