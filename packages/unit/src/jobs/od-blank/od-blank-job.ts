import { ApiError } from '@lcs/contract';
import { blankEventName, blankMean, blankValues, odBlankJob } from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/node';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ActionProgress, TakeOutput } from '../../calibrations/action-progress.ts';
import { LightReader, stirAt } from '../../calibrations/measure-light.ts';
import { Means, writeBlank } from '../od-reading/blank.ts';
import { type OdConfig, odConfig } from '../od-reading/od-config.ts';
import { Reference } from '../od-reading/reference.ts';
import { HeldOutput } from '../shared/held-output.ts';
import { pwmOutput } from '../shared/job-config.ts';
import type { UnitDevices } from '../unit-devices.ts';

const deleteCommand = 'delete';
const setCommand = 'set';
const defaultSamples = 30;
const spacingMs = 1_500;
const stirringRpm = 500;
const settledMs = 1_000;

const uidOf = ({ experiment, experimentUid }: JobContext): string => experimentUid ?? experiment;

const isUp = ({ topics }: JobContext, job: string): boolean =>
  ['init', 'ready', 'sleeping'].includes(topics.states.latest(job)?.state ?? 'disconnected');

/** The settings that a blank is read with. */
const blankConfig = ({ config }: Pick<JobContext, 'config'>): OdConfig => ({
  ...odConfig({ config, options: {} }),
  intervalS: null,
});

/** @throws ApiError `job_excluded`, `blank_and_calibration` */
function checkStart(context: JobContext, { channels }: OdConfig, { calibrationOf, fusionOf }: UnitDevices): void {
  const { jobName: job } = context;
  if (isUp(context, 'od_reading')) throw new ApiError('job_excluded', { job, running: 'od_reading' });
  const names = [...channels.map(({ angle }) => calibrationOf(`od${angle}`)?.name), fusionOf()?.name];
  const calibration = names.find((name) => name !== undefined);
  if (calibration !== undefined) throw new ApiError('blank_and_calibration', { job, calibration });
}

/** The outputs of a run, released when it ends, in every case. */
class Holdings {
  readonly #held: HeldOutput[] = [];

  async take(context: JobContext, output: string): Promise<HeldOutput> {
    const held = await HeldOutput.take(context, output);
    this.#held.push(held);
    return held;
  }

  async release(): Promise<void> {
    await Promise.all(this.#held.splice(0).map((held) => held.release()));
  }
}

/** Stirs when no job does; otherwise bubbles and warm layers would be measured. @throws the refusal of the guard, Error */
async function stir(context: JobContext, devices: UnitDevices, take: TakeOutput): Promise<void> {
  if (isUp(context, 'stirring')) return;
  const stirrer = await take(pwmOutput(context.config, 'stirring'));
  await stirAt(context, devices, stirrer, stirringRpm);
  await context.clock.sleep(settledMs);
}

/** Readings of medium without cells, each by photodiode. */
export interface BlankReadings {
  /** Of the infrared LED, %. */
  readonly intensity: number;
  readonly readings: readonly Readonly<Record<string, number>>[];
}

/**
 * Reads medium without cells, and stores nothing.
 * @throws Error when an obstacle exists, the refusal of the guard, BusError, the signal's reason
 */
export async function readBlankLight(
  context: JobContext,
  devices: UnitDevices,
  take: TakeOutput,
  samples: number,
  onProgress: ActionProgress = () => {},
): Promise<BlankReadings> {
  const config = blankConfig(context);
  checkStart(context, config, devices);
  await stir(context, devices, take);
  const light = await take(config.irOutput);
  // As in od_reading: 1 is the reference at the experiment's first reading, by any job.
  const reference = new Reference(devices.memory, uidOf(context));
  const reader = await LightReader.ready(context, devices, config, light, reference);
  const readings: Readonly<Record<string, number>>[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    readings.push(await reader.read());
    onProgress((sample + 1) / samples);
    await context.clock.sleep(spacingMs);
  }
  return { intensity: reader.intensity, readings };
}

/** The mean of each photodiode. */
function meansOf(readings: BlankReadings['readings']): Readonly<Record<string, number>> {
  const channels = [...new Set(readings.flatMap((reading) => Object.keys(reading)))];
  const valuesOf = (channel: string) => readings.flatMap((reading) => reading[channel] ?? []);
  return Object.fromEntries(channels.map((channel) => [channel, blankMean(valuesOf(channel))]));
}

async function measured(context: JobContext, devices: UnitDevices, holdings: Holdings): Promise<void> {
  const { n_samples: requested } = context.options;
  const samples = typeof requested === 'number' ? requested : defaultSamples;
  const take: TakeOutput = (output) => holdings.take(context, output);
  const { intensity, readings } = await readBlankLight(context, devices, take, samples);
  keep(context, devices, intensity, { means: meansOf(readings), problems: [] });
}

interface KeptBlank {
  readonly means: Readonly<Record<string, number>>;
  /** What a person has accepted. */
  readonly problems: readonly string[];
}

/** `intensity` of the LED, %: undefined when it was automatic and no job publishes the result. */
function keep(
  context: JobContext,
  devices: UnitDevices,
  intensity: number | undefined,
  { means, problems }: KeptBlank,
): void {
  const { channels } = blankConfig(context);
  for (const [channel, value] of Object.entries(means)) {
    const angle = Number(channels.find((one) => one.channel === channel)?.angle);
    const facts = { channel, angle, ...(intensity === undefined ? {} : { context: { ir_led_intensity: intensity } }) };
    context.reading({ source: 'od_blank', value, ...facts });
    if (value === 0)
      context.log('WARNING', `Photodiode ${channel} shows nothing at all: is it connected, and meant to be there?`);
  }
  writeBlank(devices.memory, uidOf(context), means);
  context.publish('means', means);
  report(context, { means, problems: [...problems] });
  const accepted = problems.length === 0 ? '' : ` It was kept in spite of a warning: ${problems.join(' ')}`;
  const message = `The blank of this experiment: ${blankValues(means)}.${accepted}`;
  context.log(problems.length === 0 ? 'INFO' : 'WARNING', message);
}

/** Records what the readings from now on depend on. */
const report = (context: JobContext, { means, problems }: { means: KeptBlank['means'] | null; problems: string[] }) =>
  context.event({ name: blankEventName, data: { means, problems } });

const Problems = Type.Array(Type.String());

/** The blank of `set {"2": 0.0123} ["It drifted."]`, the second without problems; undefined when it is missing or invalid. */
function blankIn([command, text, accepted = '[]', ...others]: readonly string[]): KeptBlank | undefined {
  if (command !== setCommand || text === undefined || others.length > 0) return undefined;
  const means = parsed(text, Means);
  const problems = parsed(accepted, Problems);
  if (means === undefined || problems === undefined || Object.keys(means).length === 0) return undefined;
  return { means, problems };
}

function parsed<const Schema extends TSchema>(text: string, schema: Schema): Static<Schema> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(schema, value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function start(context: JobContext, devices: UnitDevices): Job {
  if (context.args[0] === deleteCommand) {
    writeBlank(devices.memory, uidOf(context), null);
    context.publish('means', null);
    report(context, { means: null, problems: [] });
    context.log('NOTICE', 'The blank of this experiment is removed.');
    return { done: Promise.resolve() };
  }
  const config = blankConfig(context);
  checkStart(context, config, devices);
  const given = blankIn(context.args);
  if (given !== undefined) {
    const unknown = Object.keys(given.means).find((name) => !config.channels.some(({ channel }) => channel === name));
    if (unknown !== undefined) {
      const cause = `No photodiode ${unknown} is configured.`;
      throw new ApiError('job_options_invalid', { job: context.jobName, cause });
    }
    keep(context, devices, config.intensity === 'auto' ? undefined : config.intensity, given);
    return { done: Promise.resolve() };
  }
  const holdings = new Holdings();
  const done = measured(context, devices, holdings).finally(() => holdings.release());
  // The runtime handles it when the job is ready; it may have failed before.
  done.catch(() => {});
  return { done, stop: () => holdings.release() };
}

/** The action `od_blank`. */
export const odBlank = (devices: UnitDevices): JobDefinition => ({
  name: odBlankJob.name,
  excludes: ['od_reading'],
  help: odBlankJob.help,
  settings: odBlankJob.settings,
  options: odBlankJob.options,
  // It may turn the stirrer.
  isActuating: true,
  stopGroup: 'leds',
  optionDefaults: () => ({ n_samples: defaultSamples }),
  commands: [
    { word: deleteCommand, help: 'Removes the blank of the experiment.' },
    {
      word: setCommand,
      help: 'Keeps these means by photodiode as the blank of the experiment.',
      takes: [{ name: 'means', isRequired: true }],
    },
  ],
  argsFault: (args) => {
    const isDeletion = args.length === 1 && args[0] === deleteCommand;
    if (args.length === 0 || isDeletion || blankIn(args) !== undefined) return undefined;
    return `It takes nothing, ${deleteCommand}, or ${setCommand} with the means by photodiode, as in ${setCommand} '{"2": 0.012}'.`;
  },
  start: (context) => start(context, devices),
});
