import type { FeedSeries } from '@lcs/contract';
import type { HistoryPort } from '@lcs/leader';
import type { Clock } from '@lcs/platform';
import { type PastEnd, type PastOptions, type PastSample, SimulatedPast } from '@lcs/unit';

/** Bit of docs/interfaces/store.md#sample-tables. */
const simulatedFlag = 32;

/** Computes the past of units and writes it, a piece at a time; the next is computed while one is being written. */
export class PastWriter {
  readonly #history: Pick<HistoryPort, 'write'>;
  readonly #wire: Clock;
  #written: Promise<void> = Promise.resolve();

  constructor(history: Pick<HistoryPort, 'write'>, wire: Clock) {
    this.#history = history;
    this.#wire = wire;
  }

  /** Resolves when all computed data is stored. @throws what the store throws */
  get written(): Promise<void> {
    return this.#written;
  }

  /** Resolves when it is computed; the last piece is written a little later. Between pieces it yields to other work. */
  async write(unit: string, options: PastOptions, signal: AbortSignal): Promise<PastEnd> {
    const pieces = new SimulatedPast(options).pieces();
    for (let piece = pieces.next(); ; piece = pieces.next()) {
      if (piece.done) return piece.value;
      await this.#add(batchOf(unit, piece.value, options.toMs));
      await this.#wire.sleep(0, signal);
    }
  }

  /** In order: contexts and roll-ups build on what was before. Resolves when no more than this one waits. */
  async #add(batch: Parameters<HistoryPort['write']>[0]): Promise<void> {
    const before = this.#written;
    this.#written = before.then(() => this.#history.write(batch));
    // The next piece, or the caller that waits for the end, receives its failure.
    this.#written.catch(() => {});
    await before;
  }
}

function batchOf(unit: string, samples: readonly PastSample[], nowMs: number) {
  const positions = new Map<FeedSeries, number>();
  const readings = samples.map(({ series, at, value }) => {
    const position = positions.get(series) ?? positions.size;
    positions.set(series, position);
    return { series: position, at, value, flags: simulatedFlag };
  });
  const series = [...positions.keys()].map(({ experiment_uid, source, channel, angle, derivation, context }) => ({
    experimentUid: experiment_uid,
    unit,
    source,
    channel,
    angle,
    derivation,
    ...(context && {
      context: {
        calibrationName: context.calibration_name ?? null,
        calibrationHash: context.calibration_hash ?? null,
        irLedIntensity: context.ir_led_intensity ?? null,
      },
    }),
  }));
  return { series, readings, nowMs };
}
