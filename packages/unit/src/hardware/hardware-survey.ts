import type { Model } from '@lcs/contract';
import { normaliseModelName } from '@lcs/domain';
import {
  type BoardLayout,
  BusError,
  type Buses,
  busHangs,
  type ConverterInput,
  converterInput,
  type Photodiodes,
  pwmChannels,
  type ReactorModel,
} from '@lcs/hardware';
import type { Cancel, Clock, Log, Service } from '@lcs/platform';
import { converterProbe, heaterBoardProbe, ledDriverProbe, probe } from './chip-probes.ts';
import { type HardwarePart, partNames, photodiodePart } from './hardware-part.ts';

/** The names by which boards know a model. */
export const reactorModel = (model: Model | null | undefined): ReactorModel | undefined =>
  model === null || model === undefined
    ? undefined
    : { name: normaliseModelName(model.model_name), version: model.model_version };

export interface HardwareSurveyOptions {
  readonly buses: Buses;
  readonly layoutFor: (model: ReactorModel | undefined) => BoardLayout;
  readonly model: () => ReactorModel | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives a sentence for people when a part is missing or works again. */
  readonly logEvent: (level: 'WARNING' | 'NOTICE', message: string) => void;
}

/** Chosen: a chip that works again is shown within this time; a start probes its parts anyway. */
const surveyEveryMs = 600_000;

/** After this time the parts of a document are effective. */
const settledMs = 1000;

/** A chip that was only disturbed responds to the next probe. */
const tries = 3;

/**
 * Which parts of the board respond: probed when the unit starts, every ten minutes, and before a job that needs them. A survey
 * takes no reading from a job and moves no output: it reads the configuration of converters and sensors.
 */
export class HardwareSurvey implements Service {
  readonly name = 'survey of the board';
  readonly #options: HardwareSurveyOptions;
  /** Why a part does not respond; parts that do are not in it. */
  #missing: ReadonlyMap<HardwarePart, string> = new Map();
  /** Where the photodiodes were found, and where the layout of that time had them first. */
  #photodiodes: { readonly configured: Photodiodes; readonly found: Photodiodes } | undefined;
  #running: Promise<void> | undefined;
  #cancel: Cancel = () => {};
  #cancelSoon: Cancel = () => {};

  constructor(options: HardwareSurveyOptions) {
    this.#options = options;
  }

  /** A missing part is logged, and prevents no start of the node. */
  async start(): Promise<void> {
    await this.run();
    this.#cancel = this.#options.clock.every(surveyEveryMs, () => {
      this.run().catch((error: unknown) =>
        this.#options.log.error('the board could not be surveyed', { error: String(error) }),
      );
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#cancelSoon();
    await this.#running;
  }

  /** Resolves when every part was probed. Calls in the meantime share the running survey. */
  run(): Promise<void> {
    this.#running ??= this.#survey().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Another model is about to be effective: its photodiodes may be at other addresses. */
  modelChanges(): void {
    const { clock, log } = this.#options;
    this.#cancelSoon();
    this.#cancelSoon = clock.after(settledMs, () => {
      this.run().catch((error: unknown) => log.error('the board could not be surveyed', { error: String(error) }));
    });
  }

  /** The addresses of the photodiodes, as found; before the first survey for this model, the first ones of its layout. */
  get photodiodes(): Photodiodes {
    const { photodiodes } = this.#layout();
    return this.#photodiodes?.configured === photodiodes ? this.#photodiodes.found : photodiodes;
  }

  /** Why a part does not respond, as of the newest survey; undefined: it does. */
  silence(part: HardwarePart): string | undefined {
    return this.#missing.get(part);
  }

  /** What of these parts is missing and why, in one sentence; undefined: nothing. */
  missing(parts: readonly HardwarePart[]): string | undefined {
    const reasons = parts.flatMap((part) => {
      const reason = this.#missing.get(part);
      return reason === undefined ? [] : [`${partNames[part]} (${reason})`];
    });
    return reasons.length === 0 ? undefined : `Missing: ${reasons.join(', ')}.`;
  }

  #layout(): BoardLayout {
    const { layoutFor, model } = this.#options;
    return layoutFor(model());
  }

  async #survey(): Promise<void> {
    const { buses } = this.#options;
    const layout = this.#layout();
    const missing = new Map<HardwarePart, string>();
    const survey = async (part: HardwarePart, work: () => Promise<unknown>) => {
      const reason = await silence(work);
      if (reason !== undefined) missing.set(part, reason);
    };
    await survey('led_driver', () => probe(buses.i2c, ledDriverProbe(layout)));
    await survey('heater_board', () => probe(buses.i2c, heaterBoardProbe(layout)));
    // Exporting a channel that is exported already changes nothing, and one that is new is off.
    for (const channel of pwmChannels) await survey(`pwm${channel}`, () => buses.pwm.exportChannel(channel));
    await survey('stirrer_line', async () => buses.gpio.check?.(layout.hallLine));
    const found = await this.#findPhotodiodes(layout);
    this.#photodiodes = { configured: layout.photodiodes, found };
    for (const channel of ['1', '2', '3', '4']) {
      const part = photodiodePart(channel);
      const reason = await this.#photodiodeSilence(layout, found, Number(channel));
      if (part !== undefined && reason !== undefined) missing.set(part, reason);
    }
    this.#logChanges(missing, layout);
    this.#missing = missing;
  }

  /** Boards of one model exist in several variants: the first variant whose parts all respond, otherwise the first of all. */
  async #findPhotodiodes({ photodiodes, otherPhotodiodes = [] }: BoardLayout): Promise<Photodiodes> {
    if (otherPhotodiodes.length === 0) return photodiodes;
    for (const way of [photodiodes, ...otherPhotodiodes]) {
      const answers = await Promise.all(
        Object.values(way).map((place) => this.#converterSilence(converterInput(place))),
      );
      if (answers.every((reason) => reason === undefined)) return way;
    }
    return photodiodes;
  }

  async #photodiodeSilence(layout: BoardLayout, found: Photodiodes, channel: number): Promise<string | undefined> {
    const place = found[channel];
    if (place === undefined) return layout.noPhotodiodes ?? 'this board has none';
    return this.#converterSilence(converterInput(place));
  }

  #converterSilence(place: ConverterInput): Promise<string | undefined> {
    return silence(() => probe(this.#options.buses.i2c, converterProbe(place)));
  }

  #logChanges(missing: ReadonlyMap<HardwarePart, string>, layout: BoardLayout): void {
    const isExpected = (part: HardwarePart) =>
      !part.startsWith('photodiode') ||
      Object.keys(layout.photodiodes).some((channel) => photodiodePart(channel) === part);
    const names = (parts: readonly (readonly [HardwarePart, string])[]) =>
      parts.map(([part, reason]) => `${partNames[part]} (${reason})`).join(', ');
    const missingNow = [...missing].filter(([part]) => !this.#missing.has(part) && isExpected(part));
    const back = [...this.#missing].filter(([part]) => !missing.has(part) && isExpected(part));
    if (missingNow.length > 0)
      this.#options.logEvent(
        'WARNING',
        `These parts of the board do not respond: ${names(missingNow)}. The unit refuses jobs that need them.`,
      );
    if (back.length > 0)
      this.#options.logEvent(
        'NOTICE',
        `These parts respond again: ${back.map(([part]) => partNames[part]).join(', ')}.`,
      );
  }
}

/** Why it does not respond; undefined: it does. */
async function silence(work: () => Promise<unknown>): Promise<string | undefined> {
  let reason: string | undefined;
  for (let tried = 0; tried < tries; tried += 1) {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      reason = `${error.device}: ${error.reason}`;
      if (error.reason === busHangs) return reason;
    }
  }
  return reason;
}
