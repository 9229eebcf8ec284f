import { createClient, leaderApi, waitForTask } from '@lcs/contract';
import { pause } from './members.ts';

export interface JobToStart {
  readonly job: string;
  readonly options?: Readonly<Record<string, string | number>>;
}

/** The jobs of a unit that go on, at the rates of the configuration; `monitor` runs on every unit by itself. */
export const lastingJobs: readonly JobToStart[] = [
  { job: 'stirring' },
  { job: 'od_reading' },
  { job: 'growth_rate_calculating' },
  { job: 'temperature_automation', options: { automation_name: 'thermostat', target_temperature: 30 } },
  { job: 'dosing_automation', options: { automation_name: 'chemostat', exchange_volume_ml: 1, duration: 5 } },
  { job: 'led_automation', options: { automation_name: 'light_dark_cycle' } },
];
export const namesOfLastingJobs: readonly string[] = [...lastingJobs.map(({ job }) => job), 'monitor'];

const pumps = ['media_pump', 'alt_media_pump', 'waste_pump'];
const cal_name = 'bench';
const calibration_data = `calibration_type: simple_peristaltic_pump
calibration_name: ${cal_name}
calibrated_on_pioreactor_unit: bench
created_at: 2026-11-20T10:00:00Z
curve_data_: {type: poly, coefficients: [0.5, 0.0]}
recorded_data: {x: [1.0, 2.0], y: [0.5, 1.0]}
hz: 250
dc: 100.0
voltage: 12.0
`;

type Accepted = Parameters<typeof waitForTask>[1];

/** Waits for what was asked of units. @throws Error unless all have done it */
async function done(leaderUrl: string, what: string, accepted: Accepted): Promise<void> {
  const task = await waitForTask(leaderUrl, accepted, { sleep: pause });
  const outcomes = JSON.stringify(task);
  if (task.status !== 'succeeded' || !outcomes.includes('"ok":true') || outcomes.includes('"ok":false'))
    throw new Error(`${what}: ${outcomes}`);
}

/** Doses need calibrated pumps. @param reactor_unit one of them, or `$broadcast` */
export async function calibratePumps(leaderUrl: string, reactor_unit: string): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: leaderUrl });
  for (const device of pumps) {
    const params = { reactor_unit, device };
    const stored = await client.createCalibration({ params, body: { calibration_data } });
    await done(leaderUrl, `calibration of ${device}`, stored);
    const active = await client.setActiveCalibration({ params: { ...params, cal_name } });
    await done(leaderUrl, `active calibration of ${device}`, active);
  }
}

/** Calibrates the pumps of a unit and starts all of {@link lastingJobs}. @throws Error unless all have started */
export async function startLastingJobs(leaderUrl: string, reactor_unit: string, experiment: string): Promise<void> {
  await calibratePumps(leaderUrl, reactor_unit);
  const client = createClient(leaderApi, { baseUrl: leaderUrl });
  for (const { job, options = {} } of lastingJobs) {
    const accepted = await client.runWorkerJob({ params: { reactor_unit, job, experiment }, body: { options } });
    await done(leaderUrl, `start of ${job}`, accepted);
  }
}
