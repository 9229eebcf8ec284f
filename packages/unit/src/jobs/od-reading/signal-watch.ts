import {
  compensateDose,
  type Dilution,
  initialQualityState,
  type QualityFlag,
  type QualityReading,
  type QualityState,
  signalNoise,
  updateQuality,
} from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import type { OdChannel } from './od-channel.ts';

/** What a person should check. */
const advice: Readonly<Record<QualityFlag, string>> = {
  saturated:
    'receives more light than it can measure: lower the intensity of the infrared LED, or use a smaller angle.',
  led_failing:
    'gets far less or more infrared light than at first: check the LED and its cable. After a new LED: lcs run od_reading accept_light.',
  vial_out: 'sees hardly anything: is the vial in its place, and full enough?',
  bubbles:
    'scatters much more than usual, or jumps between two levels: check for bubbles, clumps, a stirrer that is too fast, or a loose vial or cable.',
  no_stir_bar: 'falls as it does when cells settle: is the bar in the vial, and does it turn?',
};

/** Derives quality flags from the readings of each photodiode; the readings stay unchanged. */
export class SignalWatch {
  readonly #context: Pick<JobContext, 'log' | 'event'>;
  readonly #states = new Map<string, QualityState>();

  constructor(context: Pick<JobContext, 'log' | 'event'>) {
    this.#context = context;
  }

  /** The flags of one more reading of a photodiode. */
  flagsOf({ channel, angle }: Pick<OdChannel, 'channel' | 'angle'>, reading: QualityReading): readonly QualityFlag[] {
    const known = this.#states.get(channel) ?? initialQualityState;
    const state = updateQuality(known, reading);
    this.#states.set(channel, state);
    for (const flag of state.flags) if (!known.flags.includes(flag)) this.#report(channel, angle, flag, true);
    for (const flag of known.flags) if (!state.flags.includes(flag)) this.#report(channel, angle, flag, false);
    return state.flags;
  }

  /** By photodiode: scatter of the last 35 readings about their line, as a share of the signal; null until they are there. */
  noise(): Readonly<Record<string, number | null>> {
    return Object.fromEntries([...this.#states].map(([channel, state]) => [channel, signalNoise(state)]));
  }

  /** Liquid was added to the vial. */
  dosed(dose: Dilution): void {
    for (const [channel, state] of this.#states) this.#states.set(channel, compensateDose(state, dose));
  }

  /** The light was changed on purpose: earlier readings do not count. */
  forget(): void {
    for (const [channel, state] of this.#states)
      this.#states.set(channel, { ...initialQualityState, flags: state.flags });
  }

  #report(channel: string, angle: string, flag: QualityFlag, begins: boolean): void {
    const where = `Photodiode ${channel} (${angle})`;
    if (begins) this.#context.log('WARNING', `${where} ${advice[flag]}`);
    else this.#context.log('NOTICE', `${where}: ${flag} is over.`);
    const data = { channel, angle: Number(angle), flag, begins };
    this.#context.event({ name: 'signal_quality', data });
  }
}
