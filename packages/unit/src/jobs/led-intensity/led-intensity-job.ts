import { type ActuationReason, type LedChannel, ledChannels, ledIntensityJob } from '@lcs/domain';
import type { Job, JobContext, JobDefinition, JobRequest } from '@lcs/node';
import { endsWithin } from '@lcs/platform';
import { endRule } from '../shared/end-rule.ts';
import { HeldLeds, LedLocked } from '../shared/held-leds.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { KeptLevels } from './kept-levels.ts';

type Levels = ReadonlyMap<LedChannel, number>;

/** How long a change that only reduces light waits for the disk. */
const recordLimitMs = 1_000;

/** LEDs keep their manual level until they are set again or the action is stopped; after a power cut they are lit again. */
class HandSetLeds {
  #before: { readonly leds: HeldLeds; readonly end: () => void } | undefined;

  /** Whether these levels are not higher than the present manual levels. */
  isSafer(levels: LevelList): boolean {
    const present = this.#before?.leds.levels;
    return levels.length > 0 && levels.every(([channel, percent]) => percent <= (present?.get(channel) ?? 0));
  }

  /** The newest run of the action holds all manually set LEDs. */
  async start(context: JobContext, devices: UnitDevices): Promise<Job> {
    const { no_log: isSilent, source_of_event: source = 'CLI' } = context.options;
    const because: ActuationReason = { origin: String(source) };
    const finished = Promise.withResolvers<void>();
    const kept = new KeptLevels(context, devices.memory);
    const leds: HeldLeds = new HeldLeds(context, devices, {
      isSilent: isSilent === true,
      lost: () => {
        void saveAfter(context, kept, leds.levels);
        if (isDone(leds.levels)) finished.resolve();
      },
    });
    const levels = context.jobSource === 'resume' ? kept.read() : requestedLevels(context);
    const isSafer = this.isSafer(levels);
    const free = levels.filter(([channel]) => !leds.isLocked(channel));
    for (const [channel] of levels) if (leds.isLocked(channel)) context.log('ERROR', new LedLocked(channel).message);
    const [first] = levels;
    // The request cannot be executed at all: the earlier levels are kept.
    if (first !== undefined && free.length === 0) throw new LedLocked(first[0]);
    const before = this.#before;
    const present = before?.leds.levels ?? new Map<LedChannel, number>();
    const own = { leds, end: () => finished.resolve() };
    this.#before = own;
    try {
      leds.begin();
      // An LED that was switched off in the meantime remains off.
      for (const [channel, percent] of present)
        if (before?.leds.levels.get(channel) === percent) await leds.addHeld(channel, percent);
      for (const [channel, percent] of free) await leds.set(channel, percent, because);
      // On disk before the response. A change that only reduces light is executed even if the disk rejects it.
      if (isSafer) await endsWithin(saveAfter(context, kept, leds.levels), context.clock, recordLimitMs);
      else await kept.save(leds.levels);
    } catch (error) {
      // Its LEDs are off; the next request must not treat them as lit.
      if (this.#before === own) this.#before = before;
      // The guard switches them off at the end of the job in any case.
      await leds.release({ ...because, rule: 'The action could not start.' }).catch(() => {});
      throw error;
    }
    before?.end();
    if (isDone(leds.levels)) finished.resolve();
    return {
      done: finished.promise,
      stop: (why) => {
        // A run that has ended by itself has passed on its LEDs.
        if (why === 'stopped' || why === 'failed') kept.write(new Map());
        if (this.#before === own) this.#before = undefined;
        return leds.release({ ...because, rule: endRule(why) });
      },
    };
  }
}

/** Stores the effective levels; never rejects. */
async function saveAfter(context: JobContext, kept: KeptLevels, levels: Levels): Promise<void> {
  try {
    await kept.save(levels);
  } catch (error) {
    context.log('ERROR', `The LED levels are effective but could not be recorded: ${String(error)}`);
  }
}

type LevelList = readonly (readonly [LedChannel, number])[];

/** The requested LEDs with their levels. */
const requestedLevels = ({ options }: Pick<JobRequest, 'options'>): LevelList =>
  ledChannels.flatMap((channel) => {
    const percent = options[channel];
    return typeof percent === 'number' ? [[channel, percent] as const] : [];
  });

/** None of them is lit any more. */
const isDone = (levels: Levels): boolean => [...levels.values()].every((percent) => percent === 0);

/** The action `led_intensity`. */
export function ledIntensity(devices: UnitDevices): JobDefinition {
  const byHand = new HandSetLeds();
  return {
    name: ledIntensityJob.name,
    help: ledIntensityJob.help,
    settings: ledIntensityJob.settings,
    options: ledIntensityJob.options,
    allowsSeveral: true,
    isResumedAction: true,
    isActuating: true,
    stopGroup: 'leds',
    isSafer: (request) => byHand.isSafer(requestedLevels(request)),
    start: (context) => byHand.start(context, devices),
  };
}
