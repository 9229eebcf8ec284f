import type { Model } from '@lcs/contract';
import { defaultPumpFlow, defaultVialParameters } from '@lcs/domain';
import type { Actuators } from '@lcs/hardware';
import type { JobEvent, JobMqtt, JobOrigin, JobRecordSink, JobRuntime } from '@lcs/node';
import { type Database, type IniView, memoryLog, type VirtualClock } from '@lcs/platform';
import { BioreactorState } from '../bioreactor/bioreactor-state.ts';
import type { BioreactorTables } from '../bioreactor/bioreactor-tables.ts';
import { DosingStore } from '../bioreactor/dosing-store.ts';
import { recallRuns } from '../bioreactor/recall-runs.ts';
import type { PumpCalibrationOf } from '../jobs/pumps/pump-settings.ts';
import type { NewRecord } from '../outbox/new-record.ts';

/** Every pump of the usual simulated vial, as a perfect calibration would have it. */
export const defaultPumpCalibrations: PumpCalibrationOf = (device) => {
  const { pumpFlow } = defaultVialParameters();
  const name = device.replace('_pump', '');
  const perSecond = name === 'waste' ? pumpFlow.waste : defaultPumpFlow.volumeIn(1);
  return {
    name: `${name}-1`,
    duty: 100,
    flow: { volumeIn: (seconds) => perSecond * seconds, secondsFor: (volumeMl) => volumeMl / perSecond },
  };
};

export interface TestLedgerOptions {
  readonly database: Pick<Database<BioreactorTables>, 'read' | 'bulk'>;
  readonly clock: VirtualClock;
  readonly recorded: { readonly sink: JobRecordSink };
  readonly current: () => { readonly name: string; readonly uid: string };
  readonly actuators: Pick<Actuators, 'recall'>;
  readonly config: () => IniView;
  readonly runtime: Pick<JobRuntime, 'topics'>;
  readonly model: () => Model | undefined;
}

/** A message as it was given to the broker. */
interface Published {
  readonly topic: string;
  readonly payload: string;
  readonly options: Parameters<JobMqtt['publish']>[2];
}

/** The ledger of a unit under test, and its published values. */
export function testLedger(options: TestLedgerOptions) {
  const { database, clock, recorded, current, actuators, config, runtime, model } = options;
  const published: Published[] = [];
  const records: NewRecord[] = [];
  const log = memoryLog();
  const event = (job: JobOrigin, recordedEvent: JobEvent): void => {
    recorded.sink.event(job, recordedEvent);
    runtime.topics.events.publish(recordedEvent.name, recordedEvent);
  };
  const ledger = new BioreactorState({
    unit: 'unit1',
    records: new DosingStore(database),
    config,
    model,
    current,
    event,
    log,
    mqtt: { publish: (topic, payload, how) => published.push({ topic, payload, options: how }) },
    append: (record) => records.push(record),
    reading: (reading) => runtime.topics.readings.publish(reading.source, reading),
    onLastHour: (stretches) => recallRuns(actuators, stretches, { nowMs: clock.now(), log }),
    now: () => clock.now(),
  });
  return { ledger, event, published, records };
}

export type TestLedger = ReturnType<typeof testLedger>;
