import type { Actuation, LiveJob } from '@lcs/contract';
import { isExtraWaste, type LedChannel, ledChannels, type Pump } from '@lcs/domain';
import { isRunning, jobPhase } from '../jobs/job-phase.ts';
import { digitsText, fixedText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { unitWords } from '../words/unit.ts';

/** What the drawing of a vial shows; `null` and absent: not known. */
export interface VialState {
  readonly volumeMl: number | null;
  /** Up to this volume the model may be filled. */
  readonly fullMl: number | null;
  readonly wasteTubeMl: number | null;
  readonly od: number | null;
  readonly temperatureC: number | null;
  /** Why a value is not that of now, or doubtful; '': it is neither. */
  readonly notes: { readonly od: string; readonly temperature: string };
  /** Measured; 0: the stirrer does not turn. */
  readonly stirringRpm: number | null;
  readonly heaterPercent: number | null;
  readonly leds: ReadonlyMap<LedChannel, number>;
  readonly pumps: ReadonlySet<Pump>;
}

/** The pumps that run while a job of this name runs. `pumps` runs one after the other, so which one is not known. */
const pumpsOfJob: Readonly<Record<string, readonly Pump[]>> = {
  add_media: ['media'],
  add_alt_media: ['alt_media'],
  remove_waste: ['waste'],
  circulate_media: ['media', 'waste'],
  circulate_alt_media: ['alt_media', 'waste'],
};

const pumpOfOutput: Readonly<Record<string, Pump>> = {
  media_pump: 'media',
  alt_media_pump: 'alt_media',
  waste_pump: 'waste',
};

/** A dose of an automation is shown for so long: its actuation has its start and not its end. */
const doseShownMs = 20_000;

/** Whether a pump was switched off before its dose was whole: the unit records that as an end, not as a volume. */
const isEnd = ({ to }: Pick<Actuation, 'to'>): boolean => to === 0;

/** The pumps that run now, by the jobs of the unit and its newest actuations. */
export function runningPumps(
  jobs: readonly Pick<LiveJob, 'job_name' | 'state'>[],
  actuations: readonly Pick<Actuation, 'output' | 'timestamp' | 'refused' | 'to'>[],
  nowMs: number,
): ReadonlySet<Pump> {
  const byJob = jobs.filter(({ state }) => state === 'ready').flatMap(({ job_name }) => pumpsOfJob[job_name] ?? []);
  const carriedOut = actuations.filter(({ refused }) => refused === null);
  const newest = [...Map.groupBy(carriedOut, ({ output }) => output).values()].flatMap(([first]) => first ?? []);
  const byDose = newest
    .filter((each) => !isEnd(each) && nowMs - Date.parse(each.timestamp) < doseShownMs)
    .flatMap(({ output }) => pumpOfOutput[output] ?? []);
  return new Set([...byJob, ...byDose]);
}

/**
 * The newest actuation of a pump that was carried out on the vial; the run that sets the level after a dose is none: it may move air only.
 */
export const lastDose = (actuations: readonly Actuation[]): Actuation | undefined =>
  actuations.find(
    (each) =>
      each.refused === null &&
      each.outside_vial !== true &&
      !isEnd(each) &&
      pumpOfOutput[each.output] !== undefined &&
      !isExtraWaste(each),
  );

/** The levels of LEDs, by the newest change of each. */
export function ledLevels(newest: readonly (Actuation | undefined)[]): ReadonlyMap<LedChannel, number> {
  const levels = newest.flatMap((actuation) => {
    const channel = ledChannels.find((each) => actuation?.output === `led_${each}`);
    return channel === undefined || actuation === undefined || actuation.to === null
      ? []
      : [[channel, actuation.to] as const];
  });
  return new Map(levels.filter(([, percent]) => percent > 0));
}

/**
 * The volume of a vial. What the unit keeps comes first, as on the tab of control: it has corrections and the volume of a new experiment, while
 * a reading is recorded when a pump has run.
 */
export const shownVolumeMl = (keptMl: number | undefined, recordedMl: number | undefined): number | null =>
  keptMl ?? recordedMl ?? null;

/** How dense the culture looks, from 0 (clear) to 1: the eye sees steps of a logarithmic scale, from OD 0.01 to 3. */
export function turbidity(od: number | null): number {
  if (od === null || !(od > 0)) return 0;
  const [clear, dense] = [Math.log10(0.01), Math.log10(3)];
  return Math.min(1, Math.max(0, (Math.log10(od) - clear) / (dense - clear)));
}

const pumpNames: Readonly<Record<Pump, string>> = unitWords.pumpNames;

const short = (value: number): string => digitsText(value, 3);

/** The drawing as text, for people who do not see it. */
export function vialText(name: string, state: VialState): string {
  const { volumeMl, fullMl, od, temperatureC, notes, stirringRpm, heaterPercent, leds, pumps } = state;
  const noted = (text: string, note: string): string => (note === '' ? text : `${text} (${note})`);
  const parts = [
    volumeMl === null
      ? unitWords.volumeNotKnown
      : `${short(volumeMl)} mL${fullMl === null ? '' : unitWords.ofFullVolume(short(fullMl))}`,
    od === null ? null : noted(`OD ${short(od)}`, notes.od),
    temperatureC === null ? null : noted(`${fixedText(temperatureC, 1)} °C`, notes.temperature),
    stirringRpm === null || stirringRpm === 0
      ? unitWords.stirrerOff
      : unitWords.stirringAtRpm(fixedText(stirringRpm, 0)),
    heaterPercent === null || heaterPercent === 0
      ? unitWords.heaterOff
      : unitWords.heaterAtPercent(short(heaterPercent)),
    leds.size === 0
      ? null
      : [...leds].map(([channel, percent]) => unitWords.ledAtPercent(channel, short(percent))).join(', '),
    pumps.size === 0
      ? unitWords.noPumpRuns
      : commonWords.countRunning([...pumps].map((pump) => pumpNames[pump]).join(' and ')),
  ];
  return unitWords.vialOf(name, parts.filter((part) => part !== null).join(', '));
}

/** The LED that the optical density is read with, while it is read: light by hand is refused there. `leds`: the channels in the configuration. */
export function readingLed(leds: Readonly<Record<string, string>>, jobs: readonly LiveJob[]): LedChannel | undefined {
  const isRead = jobs.some((job) => job.job_name === 'od_reading' && isRunning(jobPhase(job)));
  return isRead ? ledChannels.find((channel) => leds[channel]?.trim() === 'IR') : undefined;
}
