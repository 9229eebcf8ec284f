import type { Model } from '@lcs/contract';
import {
  type ActuationReason,
  actuationEvent,
  type DoseCorrection,
  type DoseLimit,
  doseLimit,
  type PlannedRun,
  planRun,
} from '@lcs/domain';
import type { ActuatorLease, JobContext, JobEvent, JobOrigin } from '@lcs/node';
import type { VialLedger } from '../../bioreactor/vial-ledger.ts';
import { DoseRun } from './dose-run.ts';
import {
  eventOf,
  type PumpCalibrationOf,
  type PumpSettings,
  pumpDeviceOf,
  pumpSettings,
  refusalReason,
} from './pump-settings.ts';
import { type Dose, type DoseResult, PumpRefused, type Pumps, type UnitPumps } from './pumping.ts';
import { asRefused, modelUnknown, noLedger, stoppedBy, stoppedText, tooMuch } from './refusals.ts';

/** The dependencies of the pumps of a unit. */
export interface PumpingOptions {
  readonly ledger: VialLedger;
  readonly calibrationOf: PumpCalibrationOf;
  /** The longest part of a dose that the ledger takes at once. */
  readonly sliceMs: number;
  readonly modelOf: (name: string, version: string) => Model | undefined;
  /** Of this unit now; undefined while none is named. */
  readonly ownModel: () => Model | undefined;
  /** Records an event in the name of a job, even while the job is ending. */
  readonly event: (job: JobOrigin, event: JobEvent) => void;
}

/** A waste pump starts again after this time: it draws air when the vial is empty, for any length of its run. */
const wasteRunMs = 60_000;

/** mL per second, without the loss at the start. */
function steadyFlow(context: Pick<JobContext, 'config'>, calibrationOf: PumpCalibrationOf, pump: Dose['pump']): number {
  const { flow } = pumpSettings(context, calibrationOf, { pump, amount: { durationS: 1 } });
  return flow.volumeIn(2) - flow.volumeIn(1);
}

/** The pumps of a unit, for its jobs. */
export const unitPumps = (options: PumpingOptions): UnitPumps => ({
  of: (job) => new JobPumps(options, job),
  volumeMl: (experiment) => options.ledger.values(experiment).current_volume_ml,
  calibratedFlow: (config, pump) =>
    refusalReason({ config }, options.calibrationOf, [pump]) === undefined
      ? steadyFlow({ config }, options.calibrationOf, pump)
      : undefined,
});

const refuse = (): never => {
  throw noLedger();
};

/** Of a unit that keeps no account of liquids: no pump runs. */
export const noPumps: UnitPumps = {
  of: () => ({
    volumeMl: refuse,
    altMediaFraction: refuse,
    stopLimitMl: () => 0,
    capacityMl: () => Number.POSITIVE_INFINITY,
    correct: async () => refuse(),
    flowMlPerS: refuse,
    flowRatio: refuse,
    check: noLedger,
    refusal: noLedger,
    expectFree: async () => refuse(),
    dose: async () => refuse(),
  }),
  volumeMl: () => 0,
  calibratedFlow: () => undefined,
};

interface Planned {
  readonly settings: PumpSettings;
  readonly run: PlannedRun;
  readonly reached: DoseLimit | undefined;
}

const isNothing = ({ totalMs, volumeMl }: PlannedRun): boolean => totalMs === 0 || volumeMl === 0;

class JobPumps implements Pumps {
  readonly #options: PumpingOptions;
  readonly #job: JobContext;

  constructor(options: PumpingOptions, job: JobContext) {
    this.#options = options;
    this.#job = job;
  }

  readonly volumeMl = (): number => this.#options.ledger.valuesOf(this.#job).current_volume_ml;

  readonly altMediaFraction = (): number => this.#options.ledger.valuesOf(this.#job).alt_media_fraction;

  readonly stopLimitMl = (): number => {
    const { model } = this.#job;
    const known = model && this.#options.modelOf(model.name, model.version);
    // The unit may have got another, smaller vial since the job began.
    const present = this.#options.ownModel();
    const limitMl = Math.min(...[known, present ?? known].map((one) => one?.reactor_max_fill_volume_ml ?? 0));
    return Number.isFinite(limitMl) ? limitMl : 0;
  };

  readonly capacityMl = (): number => {
    const { model } = this.#job;
    const known = this.#options.ownModel() ?? (model && this.#options.modelOf(model.name, model.version));
    return known?.reactor_capacity_ml ?? Number.POSITIVE_INFINITY;
  };

  correct(corrections: readonly DoseCorrection[]): Promise<void> {
    const source = `${this.#job.jobName}:${String(this.#job.options.automation_name)}`;
    return this.#options.ledger.correct(this.#job, source, corrections);
  }

  flowMlPerS(pump: Dose['pump']): number {
    return steadyFlow(this.#job, this.#options.calibrationOf, pump);
  }

  flowRatio(one: Dose['pump'], other: Dose['pump']): number {
    const [first, second] = [this.flowMlPerS(one), this.flowMlPerS(other)];
    return second > 0 ? first / second : Number.POSITIVE_INFINITY;
  }

  check(pumps: readonly Dose['pump'][]): PumpRefused | undefined {
    if (pumps.some((pump) => pump !== 'waste') && this.stopLimitMl() <= 0) return modelUnknown();
    return refusalReason(this.#job, this.#options.calibrationOf, pumps);
  }

  refusal(dose: Pick<Dose, 'pump' | 'amount'>): PumpRefused | undefined {
    try {
      const { reached } = this.#planned(this.#job, dose);
      return reached === undefined ? undefined : stoppedBy(reached);
    } catch (error) {
      if (error instanceof PumpRefused) return error;
      throw error;
    }
  }

  async expectFree(context: JobContext, dose: Dose): Promise<void> {
    const { settings } = this.#planned(context, dose);
    const lease = await this.#lease(context, dose, settings);
    await lease.release();
  }

  async dose(context: JobContext, dose: Dose, signal: AbortSignal): Promise<DoseResult> {
    const { settings, run, reached } = this.#planned(context, dose);
    if (isNothing(run)) return { volumeMl: 0, ranMs: 0 };
    if (reached !== undefined) {
      this.#recordActuation(context, dose, settings, stoppedText(reached));
      return { volumeMl: 0, ranMs: 0, stopped: reached };
    }
    const lease = await this.#lease(context, dose, settings);
    if (dose.isFurtherPulse !== true) this.#recordActuation(context, dose, settings);
    const doseRun = new DoseRun({
      run,
      sliceMs: this.#options.sliceMs,
      settings,
      lease,
      clock: context.clock,
      limit: (volumeMl) => this.#limit(dose, volumeMl),
      account: this.#options.ledger.open(context, {
        event: eventOf[dose.pump],
        sourceOfEvent: dose.sourceOfEvent,
        output: settings.output,
        percent: settings.duty,
      }),
      signal,
      jobSignal: context.signal,
      ...(dose.pump === 'waste' ? { longestRunMs: wasteRunMs } : {}),
      ...(dose.begun === undefined ? {} : { begun: dose.begun }),
    });
    try {
      const moved = await doseRun.do();
      // A job that continues has ended the run by its own actions, and records them itself.
      const isJobs = moved.stopped === 'stopped' && !context.signal.aborted;
      if (moved.ranMs > 0 && !isJobs) this.#recordEnd(context, dose, settings, moved);
      return moved;
    } catch (error) {
      throw asRefused(error);
    }
  }

  /** Records why a pump is off before its dose was whole; the job may be ending. */
  #recordEnd(
    context: JobContext,
    { pump, because }: Dose,
    { duty }: PumpSettings,
    { stopped, volumeMl }: DoseResult,
  ): void {
    if (stopped === undefined) return;
    const rule = `${stoppedText(stopped)} ${volumeMl.toFixed(2)} mL were moved.`;
    const event = { output: pumpDeviceOf[pump], from: duty, to: 0, unit: '%' as const };
    this.#options.event(context, actuationEvent({ ...event, reason: { origin: because.origin, rule } }));
  }

  /** How a dose would be driven, and the limit that would stop it at once. @throws PumpRefused */
  #planned(context: JobContext, { pump, amount }: Pick<Dose, 'pump' | 'amount'>): Planned {
    if (pump !== 'waste' && this.stopLimitMl() <= 0) throw modelUnknown();
    const settings = pumpSettings(context, this.#options.calibrationOf, { pump, amount });
    const run = planRun(amount, settings.flow);
    if (run === undefined) throw tooMuch();
    if (isNothing(run)) return { settings, run, reached: undefined };
    const firstMl = Number.isFinite(run.volumeMl) ? run.volumeMl : Number.MIN_VALUE;
    return { settings, run, reached: this.#limit({ pump }, firstMl) };
  }

  async #lease(context: JobContext, dose: Dose, settings: PumpSettings): Promise<ActuatorLease> {
    try {
      return await context.lease([settings.output]);
    } catch (error) {
      const refused = asRefused(error);
      if (refused instanceof PumpRefused) this.#recordActuation(context, dose, settings, refused.message);
      throw refused;
    }
  }

  #limit({ pump }: Pick<Dose, 'pump'>, volumeMl: number): DoseLimit | undefined {
    const { ledger } = this.#options;
    const { current_volume_ml, efflux_tube_volume_ml } = ledger.valuesOf(this.#job);
    // Air fills no bottle.
    const liquidMl =
      pump === 'waste' ? Math.min(volumeMl, Math.max(0, current_volume_ml - efflux_tube_volume_ml)) : volumeMl;
    return doseLimit(pump, liquidMl, {
      volumeMl: current_volume_ml,
      stopLimitMl: this.stopLimitMl(),
      bottleLeftMl: ledger.bottleLeftMl(this.#job, pump),
    });
  }

  /** Records the decision about a pump with its reason. */
  #recordActuation(
    context: JobContext,
    { pump, amount, because }: Dose,
    { calibration }: PumpSettings,
    refused?: string,
  ): void {
    const amountText =
      amount === 'continuously'
        ? { to: null, unit: 'mL' as const }
        : 'volumeMl' in amount
          ? { to: amount.volumeMl, unit: 'mL' as const }
          : { to: amount.durationS, unit: 's' as const };
    const known: ActuationReason = calibration === null ? because : { ...because, calibration };
    this.#options.event(
      context,
      actuationEvent({
        output: pumpDeviceOf[pump],
        ...amountText,
        reason: known,
        ...(refused === undefined ? {} : { refused }),
      }),
    );
  }
}
