import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LeaderUnderTest, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { vi } from 'vitest';
import { type RecordedMessage, recordingBroker } from '../../../packages/leader/src/testing/recording-broker.ts';
import { odYaml, placeVial, pumpYaml, whileTimePasses } from '../../routes/calibration-fixtures.ts';

const [reactor_unit, experiment] = ['unit1', 'ramp'];
const limitMs = 20_000;
const profile = `version: "1.0"
experiment_profile_name: one step
common:
  jobs:
    stirring:
      actions:
        - {type: update, t: 0, options: {target_rpm: 480}}
`;

interface JobContext {
  readonly leader: LeaderUnderTest;
  readonly unit: UnitUnderTest;
  readonly messages: readonly RecordedMessage[];
  /** Starts a job of the unit, with its virtual time passing meanwhile. */
  run(
    job: string,
    body?: { readonly options?: Record<string, string | number | boolean>; args?: string[] },
  ): Promise<void>;
  /** Advances time until a message was received whose topic ends with this text. */
  received(topicEnd: string, payload?: string): Promise<void>;
  pass(seconds: number): Promise<void>;
}

function contextOf(leader: LeaderUnderTest, unit: UnitUnderTest, messages: readonly RecordedMessage[]): JobContext {
  const isReceived = (end: string, text?: string) =>
    messages.some(({ topic, payload }) => topic.endsWith(end) && (text === undefined || payload === text));
  const pass = async (seconds: number) => {
    for (let left = seconds; left > 0; left -= 1) await unit.clock.advance(1_000);
  };
  return {
    leader,
    unit,
    messages,
    pass,
    run: async (job, body = {}) => {
      // One start of a name is taken each second, by the real clock.
      const accepted = await vi.waitFor(() => unit.client.runJob({ params: { job }, body }), {
        timeout: limitMs,
        interval: 250,
      });
      const task = await whileTimePasses(unit, unit.finished(accepted));
      if (task.status !== 'succeeded') throw new Error(`${job} did not start: ${JSON.stringify(task)}`);
    },
    received: async (topicEnd, payload) => {
      for (let second = 0; second < 200 && !isReceived(topicEnd, payload); second += 1) await pass(1);
      await vi.waitFor(() => {
        if (!isReceived(topicEnd, payload)) throw new Error(`No message on …${topicEnd} ${payload ?? ''}`);
      }, limitMs);
    },
  };
}

/** A worker in an experiment, connected to the broker. */
async function joinExperiment({ leader, unit, received }: JobContext): Promise<void> {
  const { client } = leader;
  const shared = await client.getSharedConfig();
  await client.saveSharedConfig({ body: { code: `${shared}\n[camera]\nenabled=1\n` } });
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  await vi.waitFor(async () => {
    const { parts } = await unit.client.getDesired();
    if (parts.experiment?.state !== 'applied') throw new Error('The document is not applied.');
  }, limitMs);
  await received('/monitor/$state', 'ready');
}

async function calibrate(unit: UnitUnderTest, device: string, calibration_data: string, cal_name: string) {
  await unit.client.createUnitCalibration({ params: { device }, body: { calibration_data } });
  await unit.client.setUnitActiveCalibration({ params: { device, cal_name } });
}

/** Jobs that want the hardware for themselves come first, then those that work together. */
async function runEveryJob(context: JobContext): Promise<void> {
  const { leader, unit, run, received, pass } = context;
  await run('self_test');
  await received('/self_test/$state', 'disconnected');
  await run('stirring_calibration');
  await received('/stirring_calibration/$state', 'disconnected');
  await run('temperature_automation', { options: { automation_name: 'only_record_temperature' } });
  await pass(60);
  await run('temperature_calibration');
  await unit.client.updateJobSettings({
    params: { job_name: 'temperature_calibration' },
    body: { settings: { answer: 'next' } },
  });
  await received('/temperature_calibration/answer', 'next');
  for (const job of ['temperature_calibration', 'temperature_automation']) {
    await unit.client.stopJobs({ body: { job_name: job } });
    await received(`/${job}/$state`, 'disconnected');
  }
  await run('od_blank', { options: { n_samples: 5 } });
  await received('/od_blank/$state', 'disconnected');
  const still = await whileTimePasses(unit, unit.client.takeUnitStill({ params: { experiment } }).then(unit.finished));
  if (still.status !== 'succeeded') throw new Error(`There is no still: ${JSON.stringify(still)}`);
  // An optical density is blanked or calibrated, not both.
  await run('od_blank', { args: ['delete'] });
  await calibrate(unit, 'od90', odYaml.replace('[[0.01,', '[[0.0,'), 'od-cal-2026');
  placeVial(unit, 0.4);
  for (const pump of ['media', 'alt_media', 'waste'])
    await calibrate(unit, `${pump}_pump`, pumpYaml(`${pump}-1`).replace('media_pump', `${pump}_pump`), `${pump}-1`);
  await run('stirring', {
    options: {
      target_rpm: 500,
      target_rpm_during_od_reading: 300,
      target_rpm_outside_od_reading: 500,
      enable_dodging_od: true,
    },
  });
  await run('od_reading');
  await run('growth_rate_calculating');
  await run('temperature_automation', { options: { automation_name: 'thermostat', target_temperature: 30 } });
  await run('led_automation', { options: { automation_name: 'light_dark_cycle' } });
  await run('led_intensity', { options: { D: 10, source_of_event: 'UI' } });
  for (const job of ['add_media', 'add_alt_media', 'remove_waste']) {
    await run(job, { options: { ml: 0.2, source_of_event: 'UI' } });
    await received(`/${job}/$state`, 'disconnected');
  }
  for (const job of ['circulate_media', 'circulate_alt_media']) {
    await run(job, { options: { duration: 1 } });
    await received(`/${job}/$state`, 'disconnected');
  }
  await run('prime_pump', { options: { pump: 'media', duration: 1 } });
  await received('/prime_pump/$state', 'disconnected');
  await run('pumps', { args: ['waste', '0.1'] });
  await received('/pumps/$state', 'disconnected');
  await run('dosing_automation', { options: { automation_name: 'chemostat', exchange_volume_ml: 0.5, duration: 1 } });
  await pass(100);
  await received('/growth_rate_calculating/growth_rate');
  await received('/dosing_automation/latest_event');
  await unit.client.stopJobs({ body: { job_name: 'dosing_automation' } });
  await received('/dosing_automation/$state', 'disconnected');
  const target = { target_normalized_od: 1, target_growth_rate: 0.1 };
  await run('dosing_automation', { options: { automation_name: 'pid_morbidostat', duration: 1, ...target } });
  await received('/pid_log/growth_rate');
  for (const options of [
    { automation_name: 'fed_batch', duration: 1, dosing_volume_ml: 0.1 },
    { automation_name: 'turbidostat', target_biomass: 50, biomass_signal: 'od', exchange_volume_ml: 0.5 },
  ]) {
    await unit.client.stopJobs({ body: { job_name: 'dosing_automation' } });
    await run('dosing_automation', { options });
  }
  await writeFile(join(leader.dataFolder, 'experiment_profiles', 'p.yaml'), profile);
  await leader.client.runJob({
    params: { job: 'experiment_profile' },
    body: { args: ['execute', 'p.yaml', experiment] },
  });
  await whileTimePasses(unit, leader.client.createBackup().then(leader.finished));
  const backup = await leader.finished(await leader.client.runJob({ params: { job: 'backup_database' }, body: {} }));
  if (backup.status !== 'succeeded') throw new Error(backup.cause);
  await received(`/backup_database/${Reflect.get(Object(backup.result), 'job_id')}/$state`, 'disconnected');
  await received('/action_count', '1');
  await unit.client.stopAllJobs();
  for (const job of [
    'stirring',
    'od_reading',
    'growth_rate_calculating',
    'temperature_automation',
    'led_automation',
    'dosing_automation',
  ])
    await received(`/${job}/$state`, 'disconnected');
}

/** What a leader and a unit publish while each job does its work and ends. */
export async function messagesOfEveryJob(): Promise<readonly RecordedMessage[]> {
  const broker = await recordingBroker();
  try {
    {
      await using leader = await startLeader({ configure: { brokerUrl: broker.url } });
      const { clock } = leader;
      const configure = { mqttUrl: () => broker.url };
      await using unit = await startUnit({ leaderUrl: leader.url, clock, configure });
      const context = contextOf(leader, unit, broker.messages);
      await joinExperiment(context);
      await runEveryJob(context);
    }
    // The nodes have ended: what their jobs take back has arrived.
    return [...broker.messages];
  } finally {
    await broker.close();
  }
}
