import { type PwmChannel, type PwmUse, type PwmWiring, pwmChannels, type Wiring } from '@lcs/hardware';
import { type Cancel, type IniView, Listeners, type Log, type Service } from '@lcs/platform';
import type { UnitConfig } from '../config/unit-config.ts';

/** The uses that labels of `[PWM]` declare. An output with another label, or without one beside labelled ones, may be a pump. */
const useByLabel: ReadonlyMap<string, PwmUse> = new Map([
  ['stirring', 'stirrer'],
  ['media', 'pump'],
  ['alt_media', 'pump'],
  ['waste', 'pump'],
  ['heating', 'heater'],
  ['air_bubbler', 'other'],
  ['relay', 'other'],
]);

const defaultHertz: Readonly<Record<PwmUse, number>> = { stirrer: 200, pump: 250, heater: 16, other: 200 };

/** The wiring of the PWM outputs by the configuration. */
export interface LabelledWiring {
  readonly wiring: Wiring;
  /** Labels of several outputs: the intended one is unknown, so all of them stay off. */
  readonly clashes: readonly string[];
}

/** @param defaults the wiring when the configuration labels no output */
export function wiringOf(config: IniView, defaults: Wiring): LabelledWiring {
  const labels = new Map(pwmChannels.map((channel) => [channel, config.PWM?.[channel]?.trim() ?? ''] as const));
  const named = [...labels.values()].filter((label) => label !== '');
  if (named.length === 0) return { wiring: defaults, clashes: [] };
  const clashes = [...new Set(named.filter((label, index) => named.indexOf(label) !== index))];
  const wiring: Partial<Record<PwmChannel, PwmWiring>> = {};
  for (const [channel, label] of labels) {
    if (clashes.includes(label)) continue;
    const use = useByLabel.get(label) ?? 'pump';
    const hertz =
      Object.values(defaults).find((one: PwmWiring | undefined) => one?.use === use)?.hertz ?? defaultHertz[use];
    wiring[channel] = { use, hertz };
  }
  return { wiring, clashes };
}

export interface OutputWiringOptions {
  readonly config: Pick<UnitConfig, 'view' | 'onChange'>;
  readonly defaults: Wiring;
  /** Sends it to the guard, and to the next guard when this one is lost. */
  readonly send: (wiring: Wiring) => Promise<void>;
  /** Records, in a sentence for people, that outputs stay off. */
  readonly onClash: (message: string) => void;
  readonly log: Log;
}

/** Sends the guard the wiring of the configuration. */
export class OutputWiring implements Service {
  readonly name = 'wiring of the outputs';
  readonly #options: OutputWiringOptions;
  #wiring: Wiring;
  /** The wiring that the guard has, as text. */
  #sent = '';
  readonly #changes = new Listeners();
  #cancel: Cancel = () => {};

  constructor(options: OutputWiringOptions) {
    this.#options = options;
    this.#wiring = options.defaults;
  }

  /** After the guard and the configuration, before anything that drives outputs. */
  async start(): Promise<void> {
    this.#cancel = this.#options.config.onChange(() => this.#follow());
    this.#follow();
  }

  async stop(): Promise<void> {
    this.#cancel();
  }

  /** As the configuration has it. */
  get wiring(): Wiring {
    return this.#wiring;
  }

  /** Calls `listener` at each change: the limits of outputs depend on the wiring. The returned function ends that. */
  onChange(listener: () => void): Cancel {
    return this.#changes.add(listener);
  }

  /** At once with the configuration: the guard has it before a job uses the next output. */
  #follow(): void {
    const { config, defaults, send, onClash, log } = this.#options;
    const { wiring, clashes } = wiringOf(config.view(), defaults);
    const text = JSON.stringify([wiring, clashes]);
    if (text === this.#sent) return;
    this.#sent = text;
    this.#wiring = wiring;
    if (clashes.length > 0) onClash(`Outputs with the same label in [PWM] stay off: ${clashes.join(', ')}.`);
    send(wiring).catch((error: unknown) =>
      log.warn('The guard gets the wiring of the outputs when it is back', { error: String(error) }),
    );
    this.#changes.publish();
  }
}
