import { ApiError } from '@lcs/contract';
import { type ProtocolAction, readSetting, stirringSettings } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { type OdConfig, odConfig } from '../jobs/od-reading/od-config.ts';
import { OdMeter } from '../jobs/od-reading/od-meter.ts';
import { odChannels } from '../jobs/od-reading/od-reading.ts';
import { Reference } from '../jobs/od-reading/reference.ts';
import type { HeldOutput } from '../jobs/shared/held-output.ts';
import { pwmOutput } from '../jobs/shared/job-config.ts';
import { passingMemory } from '../jobs/shared/job-memory.ts';
import type { UnitDevices } from '../jobs/unit-devices.ts';
import type { ActionProgress, TakeOutput } from './action-progress.ts';
import { speedNow, spinUp } from './sweep-stirrer.ts';

/** RPM: near enough for light. */
const nearEnough = 120;
const maxChecks = 20;
const checkIntervalMs = 2_000;
/** % of duty for an RPM of difference: half of the requirement of a typical stirrer, to prevent oscillation. */
const dutyPerRpm = 0.025;
const settledMs = 1_000;
const discardedSpacingMs = 1_000;

/** Brings the stirrer near a speed; returns the duty. @throws ApiError `session_action_failed` when it does not reach the speed */
export async function stirAt(
  context: JobContext,
  devices: UnitDevices,
  stirrer: HeldOutput,
  rpm: number,
): Promise<number> {
  if (rpm === 0) return 0;
  const initial = readSetting(context.config, stirringSettings.initialDuty);
  let duty = devices.calibrationOf('stirring')?.dutyFor(rpm) ?? initial;
  await spinUp(context, stirrer, duty);
  for (let check = 0; check < maxChecks; check += 1) {
    const seen = await speedNow(context, devices, checkIntervalMs);
    if (Math.abs(seen - rpm) <= nearEnough && seen > 0) return duty;
    duty = Math.min(100, Math.max(0, duty + dutyPerRpm * (rpm - seen)));
    await stirrer.set(duty);
    await context.clock.sleep(checkIntervalMs);
  }
  throw new ApiError('session_action_failed', {
    action: 'Stirring',
    cause: `The stirrer did not reach ${rpm} RPM. Check the bar, the vial and the speed sensor.`,
  });
}

/** Readings of the light one by one, the reference divided out: as od_reading does before any calibration. */
export class LightReader {
  readonly #context: Pick<JobContext, 'clock'>;
  readonly #config: OdConfig;
  readonly #light: HeldOutput;
  readonly #meter: OdMeter;
  readonly #reference: Reference;
  /** Of the infrared LED, %. */
  readonly intensity: number;

  private constructor(
    context: Pick<JobContext, 'clock'>,
    config: OdConfig,
    light: HeldOutput,
    meter: OdMeter,
    reference: Reference,
    intensity: number,
  ) {
    this.#context = context;
    this.#config = config;
    this.#light = light;
    this.#meter = meter;
    this.#reference = reference;
    this.intensity = intensity;
  }

  /** Reads the dark signal and selects gains first. @throws as `read` */
  static async ready(
    context: JobContext,
    devices: UnitDevices,
    config: OdConfig,
    light: HeldOutput,
    reference: Reference,
  ): Promise<LightReader> {
    const lamp = { on: (percent: number) => light.set(percent), off: () => light.set(0) };
    const meter = new OdMeter(context, config, odChannels(context.jobName, config, devices), lamp);
    const intensity = await meter.prepare(config.intensity);
    return new LightReader(context, config, light, meter, reference, intensity);
  }

  /** One reading by channel; the LED is off again. @throws BusError, GuardRefused, ReferenceDarkError, the signal's reason */
  async read(): Promise<Record<string, number>> {
    await this.#light.set(this.intensity);
    await this.#context.clock.sleep(this.#config.settleMs);
    const measured = await this.#meter.measure();
    await this.#light.set(0);
    const seen = measured.find(({ channel }) => channel.angle === 'REF');
    const { normalization, referencePastWeight: pastWeight } = this.#config;
    const parameters = { normalization, pastWeight, intervalS: 5 };
    const divisor = seen && this.#reference.follow(parameters, seen.volts, this.intensity).divisor;
    const signals = measured.filter((one) => one !== seen);
    return Object.fromEntries(signals.map(({ channel, volts }) => [channel.channel, volts / (divisor ?? 1)]));
  }
}

/**
 * Stirs, and reads what the photodiodes see, the reference divided out: as od_reading does before any calibration. Each
 * reading is by channel. @throws BusError, GuardRefused, ReferenceDarkError, ConfigValueError, the signal's reason
 */
export async function measureLight(
  context: JobContext,
  devices: UnitDevices,
  take: TakeOutput,
  { rpm, readings }: Extract<ProtocolAction, { kind: 'od' }>,
  onProgress: ActionProgress,
): Promise<readonly Readonly<Record<string, number>>[]> {
  const config = { ...odConfig({ ...context, options: {} }), intervalS: null };
  const stirrer = await take(pwmOutput(context.config, 'stirring'));
  const light = await take(config.irOutput);
  const duty = await stirAt(context, devices, stirrer, rpm);
  await context.clock.sleep(settledMs);
  const reader = await LightReader.ready(
    context,
    devices,
    config,
    light,
    new Reference(passingMemory(), context.experiment),
  );
  const total = readings.discarded + readings.speeds.length;
  for (let done = 0; done < readings.discarded; done += 1) {
    await reader.read();
    onProgress((done + 1) / total);
    await context.clock.sleep(discardedSpacingMs);
  }
  const kept: Record<string, number>[] = [];
  for (const share of readings.speeds) {
    await stirrer.set(Math.min(100, duty * share));
    await context.clock.sleep(1000 * readings.spacingS);
    kept.push(await reader.read());
    onProgress((readings.discarded + kept.length) / total);
  }
  return kept;
}
