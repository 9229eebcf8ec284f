import type { FeedSeries, Json } from '@lcs/contract';
import type { JobReading } from '@lcs/node';
import { derivationKey } from '../jobs/shared/derivation.ts';

type Values = Readonly<Record<string, Json>>;

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

const contextOf = (context: Values | undefined): FeedSeries['context'] =>
  context === undefined
    ? null
    : {
        calibration_name: textOf(context.calibration_name),
        calibration_hash: textOf(context.calibration_hash),
        ir_led_intensity: numberOf(context.ir_led_intensity),
      };

function derivationOf(derivation: Values | undefined): FeedSeries['derivation'] {
  if (derivation === undefined) return null;
  const named = {
    name: textOf(derivation.name) ?? 'unnamed',
    version: textOf(derivation.version) ?? '1',
    parameters: derivation.parameters ?? null,
  };
  return { key: textOf(derivation.key) ?? derivationKey(named), ...named };
}

/** So many are remembered; a job has few, and forgetting one costs only making it again. */
const mostKnown = 1_000;

/** The series of readings; the same object each time, which the outbox finds fastest. */
export class ReadingSeries {
  readonly #known = new Map<string, FeedSeries>();

  of(experimentUid: string, { source, channel, angle, context, derivation }: JobReading): FeedSeries {
    const name = JSON.stringify([experimentUid, source, channel, angle, context, derivation]);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    if (this.#known.size >= mostKnown) this.#known.clear();
    const series: FeedSeries = {
      experiment_uid: experimentUid,
      source,
      channel: channel ?? null,
      angle: angle ?? null,
      derivation: derivationOf(derivation),
      context: contextOf(context),
    };
    this.#known.set(name, series);
    return series;
  }
}
