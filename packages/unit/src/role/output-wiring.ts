import { type PwmChannel, type PwmUse, type PwmWiring, pwmChannels, type Wiring } from '@lcs/hardware';
import type { IniView, Living, Log } from '@lcs/platform';

/** What the labels of `[PWM]` stand for. An output with any other label, or none beside labelled ones, may be a pump. */
const useByLabel: ReadonlyMap<string, PwmUse> = new Map([
  ['stirring', 'stirrer'],
  ['media', 'pump'],
  ['alt_media', 'pump'],
  ['waste', 'pump'],
  ['heating', 'heater'],
  ['air_bubbler', 'other'],
  ['relay', 'other'],
]);

const usualHertz: Readonly<Record<PwmUse, number>> = { stirrer: 200, pump: 250, heater: 16, other: 200 };

/** What a configuration says about the PWM outputs. */
export interface LabelledWiring {
  readonly wiring: Wiring;
  /** Labels that several outputs have: nobody can know which of these outputs it is, so all of them stay off. */
  readonly clashes: readonly string[];
}

/** @param usual what is wired where the configuration labels no output at all */
export function wiringOf(config: IniView, usual: Wiring): LabelledWiring {
  const labels = new Map(pwmChannels.map((channel) => [channel, config.PWM?.[channel]?.trim() ?? ''] as const));
  const named = [...labels.values()].filter((label) => label !== '');
  if (named.length === 0) return { wiring: usual, clashes: [] };
  const clashes = [...new Set(named.filter((label, index) => named.indexOf(label) !== index))];
  const wiring: Partial<Record<PwmChannel, PwmWiring>> = {};
  for (const [channel, label] of labels) {
    if (clashes.includes(label)) continue;
    const use = useByLabel.get(label) ?? 'pump';
    const hertz = Object.values(usual).find((one: PwmWiring | undefined) => one?.use === use)?.hertz ?? usualHertz[use];
    wiring[channel] = { use, hertz };
  }
  return { wiring, clashes };
}

export interface OutputWiringOptions {
  readonly config: () => IniView;
  readonly usual: Wiring;
  /** Tells the guard; it keeps it for the next guard when this one is lost. */
  readonly tell: (wiring: Wiring) => Promise<void>;
  /** The limits of outputs depend on the wiring: they have to be given again. */
  readonly onChange: () => void;
  /** Told, in a sentence for people, that outputs stay off. */
  readonly onClash: (message: string) => void;
  readonly log: Log;
}

/** Keeps the guard's picture of what is connected to the outputs as the configuration has it. */
export class OutputWiring implements Living {
  readonly name = 'wiring of the outputs';
  readonly #options: OutputWiringOptions;
  #wiring: Wiring;
  #told = '';
  /** Only then there is a guard to tell. */
  #isUp = false;

  constructor(options: OutputWiringOptions) {
    this.#options = options;
    this.#wiring = options.usual;
  }

  /** After the guard and the configuration, before anything that drives outputs. */
  async start(): Promise<void> {
    this.#isUp = true;
    this.follow();
  }

  async stop(): Promise<void> {
    this.#isUp = false;
  }

  /** As the configuration has it. */
  get wiring(): Wiring {
    return this.#wiring;
  }

  /** To be called when another configuration is in force: the guard knows before the next output is asked for. */
  follow(): void {
    if (!this.#isUp) return;
    const { config, usual, tell, onChange, onClash, log } = this.#options;
    const { wiring, clashes } = wiringOf(config(), usual);
    const text = JSON.stringify([wiring, clashes]);
    if (text === this.#told) return;
    this.#told = text;
    this.#wiring = wiring;
    if (clashes.length > 0) onClash(`Outputs with the same label in [PWM] stay off: ${clashes.join(', ')}.`);
    tell(wiring).catch((error: unknown) =>
      log.warn('The guard gets the wiring of the outputs when it is back', { error: String(error) }),
    );
    onChange();
  }
}
