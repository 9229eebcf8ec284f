import {
  type ActuationReason,
  type DosingCommand,
  dosingSettings,
  exchangeParts,
  extraWasteSetting,
  type MovedVolumes,
  type Pump,
  type SettingDeclaration,
} from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import type { DoseResult, Pumps } from '../pumps/pumping.ts';
import { staleAfterMs } from './fresh-readings.ts';
import type { Pauses } from './pauses.ts';

/** From the section `[dosing_automation.config]`. */
export interface ExchangeConfig {
  /** After each part, for mixing. */
  readonly pauseS: number;
  /** So many times the volume is removed again, so that the end of the waste tube sets the level. */
  readonly wasteMultiplier: number;
  readonly maxSubdoseMl: number;
}

/** Reads them; `read` decides about invalid values. */
export const exchangeConfig = (
  config: JobContext['config'],
  read: (config: JobContext['config'], setting: SettingDeclaration<number>) => number,
): ExchangeConfig => ({
  pauseS: read(config, dosingSettings.pauseBetweenSubdoses),
  wasteMultiplier: read(config, dosingSettings.wasteMultiplier),
  maxSubdoseMl: read(config, dosingSettings.maxSubdose),
});

/** The result of an order. */
export interface ExchangeOutcome {
  readonly moved: MovedVolumes;
  /** Why it ended early; a sentence. `mustPause`: no dose until a person has checked the unit. */
  readonly failure?: { readonly why: string; readonly mustPause: boolean };
  readonly warning?: string;
}

/** Between two runs of the waste pump. As a similar system has it. */
const wasteRestMs = 50;

/** Sums of parts of a volume are equal up to this, mL. As a similar system has it. */
const tolerance = 1e-9;

/** Less missing waste than this is the resolution of a pump, mL. */
const resolutionMl = 1e-3;

interface Parts {
  readonly pumps: Pumps;
  readonly pauses: Pauses;
  readonly config: ExchangeConfig;
}

const failed = (why: string, mustPause: boolean) => ({ why, mustPause });
type Failure = ReturnType<typeof failed>;

const inMl = (ml: number): string => `${ml.toFixed(3)} mL`;

const names: Readonly<Record<Pump, string>> = {
  media: 'medium',
  alt_media: 'alternative medium',
  waste: 'waste',
};

/** Carries out one order: in parts, each with its mixing time, its waste, and the waste that sets the level. */
export class Exchange {
  readonly #context: JobContext;
  readonly #parts: Parts;
  readonly #because: ActuationReason;
  readonly #moved = { media: 0, alt_media: 0, waste: 0 };
  /** The dose under way, which a pause waits for. */
  #dosing: Promise<unknown> = Promise.resolve();

  constructor(context: JobContext, parts: Parts, because: ActuationReason) {
    this.#context = context;
    this.#parts = parts;
    this.#because = because;
  }

  /** The volumes pumped so far. */
  get moved(): MovedVolumes {
    const { media, alt_media, waste } = this.#moved;
    return { mediaMl: media, altMediaMl: alt_media, wasteMl: waste };
  }

  /** Resolves when no pump runs on its behalf, if none is started. */
  async pumpsOff(): Promise<void> {
    await this.#dosing;
  }

  /** @throws RangeError for a volume that is invalid, or an order that removes less than it adds; the reason of the job's end */
  async carryOut(order: DosingCommand): Promise<ExchangeOutcome> {
    const { mediaMl, altMediaMl, wasteMl } = order;
    const addedMl = mediaMl + altMediaMl;
    if (![mediaMl, altMediaMl, wasteMl].every((ml) => Number.isFinite(ml) && ml >= 0))
      throw new RangeError(`Volumes of an exchange must be numbers of at least 0: ${JSON.stringify(order)}.`);
    if (wasteMl > 0 && wasteMl < addedMl - tolerance)
      throw new RangeError(`An exchange must remove the ${addedMl} mL that it adds, not ${wasteMl} mL.`);
    const count = exchangeParts(addedMl, this.#parts.config.maxSubdoseMl);
    const part = { alt_media: altMediaMl / count, media: mediaMl / count, waste: wasteMl / count };
    for (let index = 0; index < count; index += 1) {
      const failure = await this.#part(part);
      if (failure !== undefined) return this.#outcome(order, failure);
    }
    return this.#outcome(order);
  }

  async #part(part: Readonly<Record<Pump, number>>): Promise<Failure | undefined> {
    const { clock } = this.#context;
    const { pauseS, wasteMultiplier } = this.#parts.config;
    let failure: Failure | undefined;
    for (const pump of ['alt_media', 'media'] as const) {
      if (part[pump] <= 0 || failure !== undefined) continue;
      const full = await this.#whyNoMore(part[pump]);
      if (full?.mustPause) return full;
      failure = full ?? (await this.#dose(pump, part[pump]));
      await clock.sleep(1000 * pauseS);
    }
    if (part.waste <= 0) return failure;
    // The added volume is removed even when no more could be added.
    const wasteFailure = await this.#dose('waste', part.waste);
    await clock.sleep(wasteRestMs);
    const extraFailure = wasteFailure ?? (await this.#removeExtra(wasteMultiplier * part.waste));
    await clock.sleep(wasteRestMs);
    return failure ?? extraFailure;
  }

  /** Why no more may be added; after a long pause an exchange does not continue. */
  async #whyNoMore(doseMl: number): Promise<Failure | undefined> {
    const { pumps, pauses } = this.#parts;
    const pausedMs = await pauses.untilEnd(this.#context.signal);
    if (pausedMs > staleAfterMs)
      return failed('The pause was so long that the rest of the exchange was left out.', false);
    const [volumeMl, limitMl] = [pumps.volumeMl(), pumps.stopLimitMl()];
    if (volumeMl + doseMl < limitMl) return undefined;
    const would = `${inMl(volumeMl)} are in the vial, and ${inMl(doseMl)} more would reach its limit of ${limitMl} mL`;
    return failed(`${would}: nothing is added. Check the waste pump and its tube.`, true);
  }

  /** Not counted as removed by order: the vial is at the end of the tube by then. */
  async #removeExtra(volumeMl: number): Promise<Failure | undefined> {
    if (volumeMl <= 0) return undefined;
    const { waste } = this.#moved;
    const { wasteMultiplier } = this.#parts.config;
    const because = { ...this.#because, settings: { ...this.#because.settings, [extraWasteSetting]: wasteMultiplier } };
    const failure = await this.#dose('waste', volumeMl, because);
    this.#moved.waste = waste;
    return failure;
  }

  async #dose(pump: Pump, volumeMl: number, because = this.#because): Promise<Failure | undefined> {
    const { pumps, pauses } = this.#parts;
    const { signal } = this.#context;
    await pauses.untilEnd(signal);
    const dose = { pump, amount: { volumeMl }, because, sourceOfEvent: because.origin };
    const running = pumps.dose(this.#context, dose, pauses.signal);
    // Only the end counts for those who wait here; the outcome is handled below.
    this.#dosing = running.catch(() => {});
    const moved = await running;
    signal.throwIfAborted();
    this.#moved[pump] += moved.volumeMl;
    return this.#failureOf(pump, volumeMl, moved);
  }

  #failureOf(pump: Pump, volumeMl: number, { stopped, volumeMl: movedMl }: DoseResult): Failure | undefined {
    const part = `${inMl(movedMl)} of ${inMl(volumeMl)} ${names[pump]} were pumped`;
    switch (stopped) {
      case undefined:
      // Paused: the exchange continues, or not, after the pause.
      case 'stopped':
        return undefined;
      case 'overflow':
        return failed(`${part}: the vial takes no more. Check the waste pump and its tube.`, true);
      case 'bottle_empty':
        return failed(`${part}: by the ledger the bottle is empty. Change it, and resume the automation.`, true);
      case 'guard':
        return failed(`${part}: the guard of the outputs stopped the pump.`, false);
    }
  }

  #outcome({ wasteMl }: DosingCommand, failure?: Failure): ExchangeOutcome {
    const { waste } = this.#moved;
    const isShort = failure === undefined && waste < wasteMl - resolutionMl;
    return {
      moved: this.moved,
      ...(failure && { failure }),
      ...(isShort && { warning: `${inMl(waste)} of waste were removed instead of ${inMl(wasteMl)}.` }),
    };
  }
}
