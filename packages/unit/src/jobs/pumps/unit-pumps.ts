import type { Model } from '@lcs/contract';
import { actuationEvent, type Because, type DoseLimit, doseLimit, plannedRun } from '@lcs/domain';
import { GuardRefused } from '@lcs/hardware';
import type { ActuatorLease, JobContext, JobEvent, JobOrigin } from '@lcs/platform';
import type { VialLedger } from '../../bioreactor/vial-ledger.ts';
import { DoseRun } from './dose-run.ts';
import {
  eventOf,
  type PumpCalibrationOf,
  type PumpSettings,
  pumpDeviceOf,
  pumpSettings,
  whyNot,
} from './pump-settings.ts';
import { type Dose, type Moved, PumpRefused, type Pumps, type UnitPumps } from './pumping.ts';

/** What the pumps of a unit work with. */
export interface PumpingOptions {
  readonly ledger: () => VialLedger;
  readonly calibrationOf: PumpCalibrationOf;
  readonly modelOf: (name: string, version: string) => Model | undefined;
  /** Of this unit now; undefined while nobody has named one. */
  readonly ownModel: () => Model | undefined;
  /** Tells what happened in the name of a job, also of one that is ending. */
  readonly event: (job: JobOrigin, event: JobEvent) => void;
}

/** A waste pump begins anew after this time: it draws air when the vial is empty, whatever the length of its run. */
const wasteRunMs = 60_000;

const refusedBecause: Readonly<Record<string, string>> = {
  output_taken: 'Another job runs this pump.',
  no_limits: 'The model of this unit is not known, so no pump may run. Choose its model.',
  pump_time: 'This pump has run for as long as it may: at once, or in this hour.',
  pump_volume: 'This pump has moved as much as it may: at once, or in this hour.',
  stopped: 'The job was stopped.',
};

const limitTexts: Readonly<Record<DoseLimit, string>> = {
  overflow: 'The vial would be as full as it may be.',
  bottle_empty: 'The bottle would not do for it.',
};

/** Says why a dose was not done, or ended early, as a sentence. */
export const stoppedText = (stopped: NonNullable<Moved['stopped']>): string => {
  if (stopped === 'overflow' || stopped === 'bottle_empty') return limitTexts[stopped];
  return stopped === 'guard' ? 'The guard of the outputs ended it.' : 'It was stopped.';
};

const asRefused = (error: unknown): unknown =>
  error instanceof GuardRefused
    ? new PumpRefused(refusedBecause[error.code] ?? error.message, { cause: error })
    : error;

/** The pumps of a unit, for its jobs. */
export const unitPumps = (options: PumpingOptions): UnitPumps => ({
  of: (job) => new JobPumps(options, job),
  volumeMl: (experiment) => options.ledger().values(experiment).current_volume_ml,
});

const noLedger = (): never => {
  throw new PumpRefused('This unit keeps no ledger of its vial, so it runs no pumps.');
};

/** Of a unit that keeps no account of liquids: no pump runs. */
export const noPumps: UnitPumps = {
  of: () => ({
    volumeMl: noLedger,
    stopLimitMl: () => 0,
    flowRatio: noLedger,
    check: () => 'This unit keeps no ledger of its vial, so it runs no pumps.',
    dose: async () => noLedger(),
  }),
  volumeMl: () => 0,
};

class JobPumps implements Pumps {
  readonly #options: PumpingOptions;
  readonly #job: JobContext;

  constructor(options: PumpingOptions, job: JobContext) {
    this.#options = options;
    this.#job = job;
  }

  readonly volumeMl = (): number => this.#options.ledger().valuesOf(this.#job).current_volume_ml;

  readonly stopLimitMl = (): number => {
    const { model } = this.#job;
    const known = model && this.#options.modelOf(model.name, model.version);
    // The unit may have got another, smaller vial since the job began.
    const present = this.#options.ownModel();
    const limitMl = Math.min(...[known, present ?? known].map((one) => one?.reactor_max_fill_volume_ml ?? 0));
    return Number.isFinite(limitMl) ? limitMl : 0;
  };

  flowRatio(one: Dose['pump'], other: Dose['pump']): number {
    const perSecond = (pump: Dose['pump']): number => {
      const { flow } = pumpSettings(this.#job, this.#options.calibrationOf, { pump, amount: { durationS: 1 } });
      return flow.volumeIn(1);
    };
    const [first, second] = [perSecond(one), perSecond(other)];
    return second > 0 ? first / second : Number.POSITIVE_INFINITY;
  }

  check(pumps: readonly Dose['pump'][]): string | undefined {
    if (this.stopLimitMl() <= 0) return refusedBecause.no_limits;
    return whyNot(this.#job, this.#options.calibrationOf, pumps);
  }

  async dose(context: JobContext, dose: Dose, signal: AbortSignal): Promise<Moved> {
    const settings = this.#settingsFor(context, dose);
    const run = plannedRun(dose.amount, settings.flow);
    if (run === undefined) throw new PumpRefused('By its calibration this pump cannot move that much.');
    if (run.totalMs === 0 || run.volumeMl === 0) return { volumeMl: 0, ranMs: 0 };
    const limit = (volumeMl: number): DoseLimit | undefined => this.#limit(dose, volumeMl);
    const reached = Number.isFinite(run.volumeMl) ? limit(run.volumeMl) : limit(Number.MIN_VALUE);
    if (reached !== undefined) {
      this.#tell(context, dose, settings, limitTexts[reached]);
      return { volumeMl: 0, ranMs: 0, stopped: reached };
    }
    const lease = await this.#lease(context, dose, settings);
    if (dose.goesOn !== true) this.#tell(context, dose, settings);
    const doseRun = new DoseRun({
      ...{ run, settings, lease, limit, clock: context.clock },
      account: this.#options.ledger().open(context, {
        ...{ event: eventOf[dose.pump], sourceOfEvent: dose.sourceOfEvent },
        ...{ output: settings.output, percent: settings.duty },
      }),
      signal: AbortSignal.any([signal, context.signal]),
      ...(dose.pump === 'waste' ? { longestRunMs: wasteRunMs } : {}),
    });
    try {
      return await doseRun.do();
    } catch (error) {
      throw asRefused(error);
    }
  }

  /** @throws PumpRefused */
  #settingsFor(context: JobContext, dose: Dose): PumpSettings {
    if (dose.pump !== 'waste' && this.stopLimitMl() <= 0) throw new PumpRefused(refusedBecause.no_limits ?? '');
    return pumpSettings(context, this.#options.calibrationOf, dose);
  }

  async #lease(context: JobContext, dose: Dose, settings: PumpSettings): Promise<ActuatorLease> {
    try {
      return await context.lease([settings.output]);
    } catch (error) {
      const refused = asRefused(error);
      if (refused instanceof PumpRefused) this.#tell(context, dose, settings, refused.message);
      throw refused;
    }
  }

  #limit({ pump }: Dose, volumeMl: number): DoseLimit | undefined {
    const ledger = this.#options.ledger();
    const { current_volume_ml, efflux_tube_volume_ml } = ledger.valuesOf(this.#job);
    // What is drawn as air fills no bottle.
    const liquidMl =
      pump === 'waste' ? Math.min(volumeMl, Math.max(0, current_volume_ml - efflux_tube_volume_ml)) : volumeMl;
    return doseLimit(pump, liquidMl, {
      volumeMl: current_volume_ml,
      stopLimitMl: this.stopLimitMl(),
      bottleLeftMl: ledger.bottleLeftMl(this.#job, pump),
    });
  }

  /** Records what was decided about a pump, and why. */
  #tell(context: JobContext, { pump, amount, because }: Dose, { calibration }: PumpSettings, refused?: string): void {
    const wanted =
      amount === 'continuously'
        ? { to: null, unit: 'mL' as const }
        : 'volumeMl' in amount
          ? { to: amount.volumeMl, unit: 'mL' as const }
          : { to: amount.durationS, unit: 's' as const };
    const known: Because = calibration === null ? because : { ...because, calibration };
    this.#options.event(
      context,
      actuationEvent({
        output: pumpDeviceOf[pump],
        ...wanted,
        because: known,
        ...(refused === undefined ? {} : { refused }),
      }),
    );
  }
}
