import { blankMean, odBlankJob } from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/platform';
import { LightReader, stirAt } from '../../calibrations/measure-light.ts';
import { writeBlank } from '../od-reading/blank.ts';
import { type OdConfig, odConfig } from '../od-reading/od-config.ts';
import { Reference } from '../od-reading/reference.ts';
import { pwmOutput } from '../shared/job-config.ts';
import { HeldOutput } from '../shared/job-hands.ts';
import type { UnitDevices } from '../unit-devices.ts';

const deleteWord = 'delete';
const usualSamples = 30;
const spacingMs = 1_500;
const stirringRpm = 500;
const settledMs = 1_000;

const uidOf = ({ experiment, experimentUid }: JobContext): string => experimentUid ?? experiment;

const isUp = ({ topics }: JobContext, job: string): boolean =>
  ['init', 'ready', 'sleeping'].includes(topics.states.latest(job)?.state ?? 'disconnected');

/** @throws Error when something else is in the way */
function checkStart(context: JobContext, { channels }: OdConfig, { calibrationOf, fusionOf }: UnitDevices): void {
  if (isUp(context, 'od_reading')) throw new Error('The optical density is being read. Stop od_reading first.');
  const names = [...channels.map(({ angle }) => calibrationOf(`od${angle}`)?.name), fusionOf()?.name];
  const active = names.find((name) => name !== undefined);
  if (active !== undefined)
    throw new Error(`${active} is active: an OD can be blanked or calibrated, not both. Deactivate it first.`);
}

/** What a run holds; given back when it ends, however it ends. */
class Holdings {
  readonly #held: HeldOutput[] = [];

  async take(context: JobContext, output: string): Promise<HeldOutput> {
    const taken = await HeldOutput.take(context, output);
    this.#held.push(taken);
    return taken;
  }

  async release(): Promise<void> {
    await Promise.all(this.#held.splice(0).map((held) => held.release()));
  }
}

/** Stirs when nobody does; without it bubbles and warm layers would be measured. @throws what the guard refuses with, Error */
async function stir(context: JobContext, devices: UnitDevices, holdings: Holdings): Promise<void> {
  if (isUp(context, 'stirring')) return;
  const stirrer = await holdings.take(context, pwmOutput(context.config, 'stirring'));
  await stirAt(context, devices, stirrer, stirringRpm);
  await context.clock.sleep(settledMs);
}

async function measured(context: JobContext, devices: UnitDevices, config: OdConfig, holdings: Holdings) {
  const { n_samples: wanted } = context.options;
  const samples = typeof wanted === 'number' ? wanted : usualSamples;
  await stir(context, devices, holdings);
  const light = await holdings.take(context, config.irOutput);
  // As od_reading does: 1 is what the reference showed at the experiment's first reading, whoever took it.
  const reference = new Reference(devices.memory, uidOf(context));
  const reader = await LightReader.ready(context, devices, config, light, reference);
  const values = new Map<string, number[]>();
  for (let sample = 0; sample < samples; sample += 1) {
    for (const [channel, value] of Object.entries(await reader.read()))
      values.set(channel, [...(values.get(channel) ?? []), value]);
    await context.clock.sleep(spacingMs);
  }
  keep(context, devices, config, reader.intensity, values);
}

function keep(
  context: JobContext,
  devices: UnitDevices,
  { channels }: OdConfig,
  intensity: number,
  values: ReadonlyMap<string, readonly number[]>,
): void {
  const means = Object.fromEntries([...values].map(([channel, seen]) => [channel, blankMean(seen)]));
  for (const [channel, value] of Object.entries(means)) {
    const angle = Number(channels.find((one) => one.channel === channel)?.angle);
    const facts = { channel, angle, context: { ir_led_intensity: intensity } };
    context.reading({ source: 'od_blank', value, ...facts });
    if (value === 0)
      context.log('WARNING', `Photodiode ${channel} shows nothing at all: is it connected, and meant to be there?`);
  }
  writeBlank(devices.memory, uidOf(context), means);
  context.publish('means', means);
  context.log('INFO', `The blank of this experiment: ${JSON.stringify(means)}.`);
}

function start(context: JobContext, devices: UnitDevices): Job {
  if (context.args[0] === deleteWord) {
    writeBlank(devices.memory, uidOf(context), null);
    context.publish('means', null);
    context.log('INFO', 'The blank of this experiment is deleted.');
    return { done: Promise.resolve() };
  }
  const config = { ...odConfig({ config: context.config, options: {} }), intervalS: null };
  checkStart(context, config, devices);
  const holdings = new Holdings();
  const done = measured(context, devices, config, holdings).finally(() => holdings.release());
  // The runtime looks at it once the job is ready; it may have failed by then.
  done.catch(() => {});
  return { done, stop: () => holdings.release() };
}

/** The action `od_blank`. */
export const odBlank = (devices: UnitDevices): JobDefinition => ({
  name: odBlankJob.name,
  help: odBlankJob.help,
  settings: odBlankJob.settings,
  options: odBlankJob.options,
  // It may turn the stirrer.
  isActuating: true,
  stopGroup: 'leds',
  refuseArgs: ([first, ...others]) =>
    first === deleteWord && others.length === 0 ? undefined : `It takes nothing, or ${deleteWord}.`,
  start: (context) => start(context, devices),
});
