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
  /** Told, in a sentence for people, when something is missing or has come back. */
  readonly logEvent: (level: 'WARNING' | 'NOTICE', message: string) => void;
}

/** Chosen: a chip that comes back by itself is shown within this time; before a start it is looked for anyway. */
const surveyEveryMs = 600_000;

/** After this time the parts of a document are in force. */
const settledMs = 1000;

/** A chip that was only disturbed answers at once when it is asked again. */
const tries = 3;

/**
 * Which parts of the board answer: looked at when the unit starts, every ten minutes, and before a job that needs them. No
 * look takes a reading from anybody or moves an output: converters and sensors are asked for their configuration.
 */
export class HardwareSurvey implements Service {
  readonly name = 'survey of the board';
  readonly #options: HardwareSurveyOptions;
  /** Why a part does not answer; parts that do are not in it. */
  #missing: ReadonlyMap<HardwarePart, string> = new Map();
  /** Where the photodiodes were found, and where the layout of that time had them first. */
  #photodiodes: { readonly configured: Photodiodes; readonly found: Photodiodes } | undefined;
  #running: Promise<void> | undefined;
  #cancel: Cancel = () => {};
  #cancelSoon: Cancel = () => {};

  constructor(options: HardwareSurveyOptions) {
    this.#options = options;
  }

  /** A part that is missing is said, and keeps nothing from starting. */
  async start(): Promise<void> {
    await this.look();
    this.#cancel = this.#options.clock.every(surveyEveryMs, () => {
      this.look().catch((error: unknown) =>
        this.#options.log.error('the board was not looked at', { error: String(error) }),
      );
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#cancelSoon();
    await this.#running;
  }

  /** Resolves when every part was asked. Who comes meanwhile waits for the same look. */
  look(): Promise<void> {
    this.#running ??= this.#survey().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Another model is about to be in force: it may have its photodiodes elsewhere. */
  modelChanges(): void {
    const { clock, log } = this.#options;
    this.#cancelSoon();
    this.#cancelSoon = clock.after(settledMs, () => {
      this.look().catch((error: unknown) => log.error('the board was not looked at', { error: String(error) }));
    });
  }

  /** Where the photodiodes are, as found; before the first look under this model as its layout says first. */
  get photodiodes(): Photodiodes {
    const { photodiodes } = this.#layout();
    return this.#photodiodes?.configured === photodiodes ? this.#photodiodes.found : photodiodes;
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

  /** Boards of one model were made in several ways: the first way in which all answer, else the first of all. */
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
        `These parts of the board do not answer: ${names(missingNow)}. Jobs that need them are refused.`,
      );
    if (back.length > 0)
      this.#options.logEvent('NOTICE', `They answer again: ${back.map(([part]) => partNames[part]).join(', ')}.`);
  }
}

/** Why it does not answer; undefined: it does. */
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
