import { hourMs, type JobWarning, type Json, minuteMs } from '@lcs/contract';
import type {
  ActuationReason,
  DosingAutomation as Automation,
  AutomationEvent,
  DosingCommand,
  DosingDecision,
  DosingEffect,
  DosingEvent,
  DosingOutcome,
  DosingReason,
  DosingRun,
  DosingState,
  KeepingUp,
  MovedVolumes,
} from '@lcs/domain';
import {
  closeReadings,
  doseTooLarge,
  dosingStep,
  exchangeParts,
  initialDosingState,
  joinedWarning,
  keepingUp,
  keepingUpAfresh,
  keepingUpStep,
} from '@lcs/domain';
import { GuardLost, GuardRefused } from '@lcs/hardware';
import { type JobContext, SettingRefused } from '@lcs/node';
import { StoreError, untilAborted } from '@lcs/platform';
import type { ShowControl } from '../../mirror/control-message.ts';
import { PumpRefused, type Pumps } from '../pumps/pumping.ts';
import { AutomationLog } from '../shared/automation-log.ts';
import type { ExtraReadings } from '../shared/extra-readings.ts';
import { isHardwareFault } from '../shared/hardware-fault.ts';
import { LogLimit } from '../shared/log-limit.ts';
import { RunEvery } from '../shared/run-every.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { type BiomassSignal, publishBiomass } from './biomass-signal.ts';
import { cannotVerify, cannotVerifyWaste, disturbanceEvent, pumpDeviatesEvent } from './dose-events.ts';
import { type DoseFindings, DoseMonitor } from './dose-monitor.ts';
import type { KeptDosing } from './dosing-memory.ts';
import { Exchange, type ExchangeConfig, type ExchangeOutcome } from './exchange.ts';
import { FreshReadings, isTrusted, ReadingMissing, readingNow } from './fresh-readings.ts';
import { type Capacity, cannotKeepUpEvent, capacityOf, exchangeTooLong, fixedExchangeMl } from './keep-up.ts';
import { Pauses } from './pauses.ts';
import { predictDilution, predictExchange } from './predict-dilution.ts';
import { readingEveryS } from './reading-interval.ts';
import { watchVolume } from './volume-watch.ts';
import { probeOf, probeReason, WasteProbes } from './waste-probes.ts';

/** From the start to the first evaluation by the clock. As in a similar system, ms. */
const firstEvaluationMs = 2_000;

/** An evaluation waits for its first readings for this time. As in a similar system, ms. */
const readingsWaitMs = 10_000;

/** Interval of the checks for missing readings, and of repeated errors about them, ms. */
const missingCheckMs = 60_000;
const missingLoggedAgainMs = 600_000;
/** The same of a waste tube that the readings cannot verify. Chosen: a shift. */
const unverifiedLoggedAgainMs = 8 * hourMs;

/** Sources that prove that the density was measured. */
const densitySources: ReadonlySet<string> = new Set(['od', 'raw_od', 'od_fused']);

const referenceUnstable =
  'The reference of the optical density is unstable. Check the infrared LED and its photodiode.';

export interface DosingSetup {
  readonly automation: Automation;
  /** Initial numbers of the automation. */
  readonly settings: Readonly<Record<string, number>>;
  readonly constants: Readonly<Record<string, number>>;
  readonly exchange: ExchangeConfig;
  /** Whether the job pauses when doses have no effect. */
  readonly pausesWithoutEffect: boolean;
  /** Whether it pauses when the readings cannot tell whether waste leaves. */
  readonly pausesOnUnverifiedWaste: boolean;
  readonly evaporationMlPerHour: number;
  readonly skipsFirstRun: boolean;
  /** The job continues after a power cut. */
  readonly isResumed: boolean;
  readonly biomass: BiomassSignal | undefined;
}

type DoseDecision = Extract<DosingDecision, { action: 'dose' }>;

/** `isShown`: extra readings show its effect. */
type VerifiedDose = DoseDecision & { readonly isShown: boolean };

interface Parts {
  readonly pumps: Pumps;
  readonly kept: KeptDosing;
  readonly volumeCheckMs: number;
  readonly showControl: ShowControl;
  readonly recordEvent: UnitDevices['recordEvent'];
  readonly extraReadings: Pick<ExtraReadings, 'take'>;
}

/** Drives a dosing automation: performs the effects of its state machine, evaluates the rule, and carries out its decisions. */
export class DosingAutomation {
  readonly #context: JobContext;
  readonly #setup: DosingSetup;
  readonly #parts: Parts;
  readonly #log: AutomationLog;
  readonly #readings: FreshReadings;
  readonly #monitor: DoseMonitor;
  readonly #pauses: Pauses;
  readonly #run: DosingRun;
  readonly #every: RunEvery;
  readonly #settings: Map<string, number>;
  readonly #missingLog: LogLimit;
  readonly #unverifiedLog: LogLimit;
  readonly #probes = new WasteProbes();
  #state: DosingState;
  #keepingUp: KeepingUp = keepingUp;
  #biomass: BiomassSignal | undefined;
  #exchange: Exchange | undefined;

  constructor(context: JobContext, setup: DosingSetup, parts: Parts) {
    const { automation, settings, isResumed, biomass } = setup;
    this.#context = context;
    this.#setup = setup;
    this.#parts = parts;
    this.#state = initialDosingState(isResumed);
    this.#log = new AutomationLog(context, 'dosing', automation.name, parts.recordEvent);
    this.#readings = new FreshReadings(context);
    this.#monitor = new DoseMonitor(
      context,
      { capacityMl: parts.pumps.capacityMl, mayBeLimited: automation.density === undefined },
      this.#doseFindings(),
    );
    this.#pauses = new Pauses(context.clock);
    this.#run = automation.start(isResumed ? parts.kept.read().rule : undefined);
    this.#every = new RunEvery(context.clock, () => this.#send({ kind: 'due' }));
    this.#settings = new Map(Object.entries(settings));
    this.#missingLog = new LogLimit(context.clock, missingLoggedAgainMs);
    this.#unverifiedLog = new LogLimit(context.clock, unverifiedLoggedAgainMs);
    this.#biomass = biomass;
  }

  begin(): void {
    const { automation, isResumed } = this.#setup;
    const { listen, repeat, topics } = this.#context;
    for (const [name, value] of this.#settings) this.#context.publish(name, value);
    this.#log.recordSettings(this.#effectiveSettings());
    if (automation.trigger === 'never') return;
    this.#follow();
    this.#checkCapacity();
    this.#monitor.begin();
    if (isResumed)
      listen(topics.readings, (reading) => {
        if (densitySources.has(reading.source) && isTrusted(reading)) this.#send({ kind: 'density_measured' });
      });
    const { pumps, volumeCheckMs } = this.#parts;
    watchVolume(this.#context, pumps, volumeCheckMs, (why) => this.#send({ kind: 'blocked', why }));
    listen(topics.events, (_event, name) => {
      if (name === 'reference_unstable') this.#send({ kind: 'blocked', why: referenceUnstable });
    });
    if (automation.trigger === 'period') this.#beginPeriod();
    else repeat(missingCheckMs, () => this.#send({ kind: 'check_due' }));
  }

  /**
   * What new values would do; undefined: nothing that a person must confirm.
   * @throws SettingRefused for a dose that the vial cannot take
   */
  warningOf(values: Readonly<Record<string, Json>>, biomass: BiomassSignal | undefined): JobWarning | undefined {
    const numbers = Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
    const settings = { ...Object.fromEntries(this.#settings), ...Object.fromEntries(numbers) };
    return joinedWarning(this.#dilutionBy(values, settings, biomass), this.#exchangeBy(values, settings));
  }

  /** What the doses of new values do to the culture. @throws SettingRefused */
  #exchangeBy(
    values: Readonly<Record<string, Json>>,
    settings: Readonly<Record<string, number>>,
  ): JobWarning | undefined {
    const { automation } = this.#setup;
    const { dose } = automation;
    if (dose === undefined || !(Object.hasOwn(values, dose.setting) || Object.hasOwn(values, 'duration')))
      return undefined;
    const { pumps } = this.#parts;
    const volumeMl = pumps.volumeMl();
    const tooLarge = doseTooLarge(automation, settings, { volumeMl, stopLimitMl: pumps.stopLimitMl() });
    // A smaller dose is never worse than the present one.
    if (tooLarge !== undefined && tooLarge.doseMl > (this.#settings.get(dose.setting) ?? 0))
      throw new SettingRefused(dose.setting, tooLarge.cause);
    return predictExchange(automation, { settings, volumeMl }, this.#context);
  }

  /** What the pumps do at once because of the density. */
  #dilutionBy(
    values: Readonly<Record<string, Json>>,
    settings: Readonly<Record<string, number>>,
    biomass: BiomassSignal | undefined,
  ): JobWarning | undefined {
    const { automation } = this.#setup;
    const isAffected = biomass !== undefined || Object.hasOwn(values, automation.density?.setting ?? '');
    if (!isAffected) return undefined;
    return predictDilution(automation, {
      settings,
      biomass: biomass ?? this.#biomass,
      volumeMl: this.#parts.pumps.volumeMl(),
      // The age of a reading is known only of a signal that the job follows already.
      read: ({ place }) =>
        biomass === undefined
          ? this.#readings.readingOf(automation.density?.signal ?? 'biomass')
          : readingNow(this.#context, place),
    });
  }

  /** New values of settings, known to be allowed. */
  apply(values: Readonly<Record<string, Json>>, biomass: BiomassSignal | undefined): void {
    const { duration } = values;
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'number' && this.#settings.has(name)) this.#settings.set(name, value);
    }
    if (biomass !== undefined) {
      this.#biomass = biomass;
      this.#keepingUp = keepingUpAfresh(this.#keepingUp);
      this.#follow();
      // After the runtime has published the requested value.
      this.#context.clock.after(0, () => publishBiomass(this.#context, biomass));
    }
    if (typeof duration === 'number' && this.#setup.automation.trigger === 'period')
      this.#every.change(minuteMs * duration);
    this.#checkCapacity();
    this.#log.recordSettings(this.#effectiveSettings());
  }

  /** Resolves when the pumps are off. */
  async sleep(): Promise<void> {
    this.#send({ kind: 'pause' });
    await this.#exchange?.pumpsOff();
  }

  wake(): void {
    this.#monitor.resume();
    this.#keepingUp = keepingUpAfresh(this.#keepingUp);
    this.#probes.reset();
    this.#send({ kind: 'resume' });
  }

  /** The end of the job stops its pumps; resolves when they are off. */
  async stop(): Promise<void> {
    await this.#exchange?.pumpsOff();
    this.#log.end();
  }

  #send(event: DosingEvent): void {
    const nowMs = this.#context.clock.monotonic();
    const { state, effects } = dosingStep(this.#state, { ...event, nowMs });
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: DosingEffect): void {
    switch (effect.kind) {
      case 'evaluate':
        this.#context.clock.after(0, () => this.#evaluate());
        break;
      case 'check_readings':
        this.#checkReadings();
        break;
      case 'pause_pumps':
        this.#pauses.begin();
        break;
      case 'resume_pumps':
        this.#pauses.end();
        break;
      case 'pause_job':
        this.#context.rest();
        break;
      case 'report_failure':
        this.#reportFailure(effect.why);
        break;
      case 'notify':
        this.#notify(effect.notice);
        break;
      case 'notify_early':
        this.#context.log('NOTICE', effect.why);
        break;
    }
  }

  #effectiveSettings(): Readonly<Record<string, Json>> {
    const biomass = this.#biomass === undefined ? {} : { biomass_signal: this.#biomass.name };
    return { ...Object.fromEntries(this.#settings), ...biomass };
  }

  #follow(): void {
    const { automation, isResumed } = this.#setup;
    const usesLatest = !isResumed;
    for (const signal of automation.reads) {
      if (signal === 'normalized_od')
        this.#readings.follow(signal, { from: 'reading', source: 'od_filtered' }, usesLatest);
      if (signal === 'growth_rate')
        this.#readings.follow(signal, { from: 'reading', source: 'growth_rate' }, usesLatest);
      if (signal === 'biomass' && this.#biomass !== undefined) {
        this.#monitor.follow(this.#biomass.place);
        this.#readings.follow(signal, this.#biomass.place, usesLatest, () => this.#send({ kind: 'reading' }));
        if (this.#biomass.warning !== undefined) this.#context.log('WARNING', this.#biomass.warning);
      }
    }
  }

  /** After a restart the period continues as if nothing had happened; missed evaluations are not made up for. */
  #beginPeriod(): void {
    const { isResumed, skipsFirstRun } = this.#setup;
    const periodMs = minuteMs * (this.#settings.get('duration') ?? 0);
    const { evaluatedAtMs } = isResumed ? this.#parts.kept.read() : { evaluatedAtMs: undefined };
    if (evaluatedAtMs === undefined) {
      // A skipped first evaluation counts as done: a change of the period must not bring it back.
      if (skipsFirstRun) this.#every.begin(periodMs, periodMs, 0);
      else this.#every.begin(periodMs, firstEvaluationMs);
      return;
    }
    const sinceMs = Math.max(0, this.#context.clock.now() - evaluatedAtMs);
    this.#every.begin(periodMs, Math.max(firstEvaluationMs, periodMs - sinceMs), sinceMs);
  }

  async #evaluate(): Promise<void> {
    this.#send({ kind: 'evaluated', outcome: await this.#outcome() });
  }

  /** Evaluates the rule and carries out its decision. @throws what ends the job */
  async #outcome(): Promise<DosingOutcome> {
    const { clock, signal } = this.#context;
    const { automation } = this.#setup;
    try {
      await this.#readings.wait(automation.reads, readingsWaitMs);
      const decision = this.#decide();
      if (decision.control !== undefined) this.#parts.showControl(this.#context, 'growth_rate', decision.control);
      if (automation.trigger === 'period') this.#parts.kept.write(clock.now(), this.#run.memory);
      return await this.#carryOut(decision);
    } catch (error) {
      signal.throwIfAborted();
      return failureOf(error);
    }
  }

  #decide(): DosingDecision {
    const { constants } = this.#setup;
    const { pumps } = this.#parts;
    const known = (value: number | undefined, name: string): number => {
      if (value === undefined) throw new Error(`The automation does not declare ${name}.`);
      return value;
    };
    return this.#run.step({
      setting: (name) => known(this.#settings.get(name), name),
      constant: (name) => known(constants[name], name),
      reading: (signal) => this.#monitor.withoutNoise(this.#readings.readingOf(signal)),
      volumeMl: pumps.volumeMl(),
      altMediaFraction: pumps.altMediaFraction(),
      stopLimitMl: pumps.stopLimitMl(),
      evaporationMlPerHour: this.#setup.evaporationMlPerHour,
      partsFor: (addedMl) => exchangeParts(addedMl, this.#setup.exchange.maxSubdoseMl),
    });
  }

  async #carryOut(decision: DosingDecision): Promise<DosingOutcome> {
    if (decision.action === 'sleep') return { kind: 'failed', why: decision.reason, mustPause: true };
    if (decision.action === 'nothing') {
      if (decision.event !== undefined) this.#recordEvent(decision.event);
      return { kind: 'nothing' };
    }
    const verified = await this.#verifyWaste(decision);
    if (verified === 'later' || verified === 'paused') return { kind: 'nothing' };
    const { moved, failure, warning } = await this.#dose(verified);
    if (failure === undefined && verified.isShown) await this.#showEffect(verified);
    const recorded = decision.outcome(moved);
    if (warning !== undefined) this.#context.log('WARNING', warning);
    if (recorded.warning !== undefined) this.#context.log('WARNING', recorded.warning);
    this.#recordEvent(recorded.event);
    return failure === undefined ? { kind: 'dosed' } : { kind: 'failed', ...failure };
  }

  /**
   * A dose whose effect the culture may regain within minutes shows in extra readings. Before the vial could be full with a blocked waste tube, an exchange of a fixed volume is larger, and the next ones later; where
   * readings are rare, extra ones are taken before and after it. So its effect shows whether waste leaves.
   */
  async #verifyWaste(decision: DoseDecision): Promise<VerifiedDose | 'later' | 'paused'> {
    const { pumps } = this.#parts;
    const { mediaMl, altMediaMl, wasteMl } = decision.command;
    const addedMl = mediaMl + altMediaMl;
    const volumeMl = pumps.volumeMl();
    const usual = { ...decision, isShown: false };
    if (addedMl <= 0 || volumeMl <= 0) return usual;
    const isFadingSoon = this.#monitor.mayLiveOnDoses && this.#monitor.needsCloseReadings;
    if (wasteMl <= 0) {
      if (!isFadingSoon) return usual;
      return (await this.#showsNoFault(addedMl)) ? { ...decision, isShown: true } : 'paused';
    }
    if (this.#probes.isAhead(addedMl, volumeMl)) return 'later';
    const check = this.#monitor.wasteCheck(addedMl, volumeMl);
    if (check.kind === 'blocked') return this.#isPaused ? 'paused' : usual;
    if (check.kind === 'unverifiable' && this.#reportUnverifiedWaste()) return 'paused';
    const isShown = isFadingSoon || (check.kind !== 'clear' && this.#monitor.needsCloseReadings);
    const probe = probeOf(check);
    const isFixed = fixedExchangeMl(this.#setup.automation, this.#settings) !== undefined;
    const isLarger = probe !== undefined && isFixed && volumeMl + probe.volumeMl < pumps.stopLimitMl();
    if (isLarger && !this.#probes.begin(addedMl, probe, volumeMl, this.#ratioOf(decision.reason))) return 'later';
    if (isShown && !(await this.#showsNoFault(addedMl))) return 'paused';
    if (!isLarger) return { ...decision, isShown };
    const share = probe.volumeMl / addedMl;
    const command = { mediaMl: share * mediaMl, altMediaMl: share * altMediaMl, wasteMl: share * wasteMl };
    const rule = `${decision.reason.rule} ${probeReason(probe.volumeMl)}`;
    return { ...decision, command, reason: { ...decision.reason, rule }, isShown };
  }

  get #isPaused(): boolean {
    return this.#state.job.kind === 'paused';
  }

  /** Takes extra readings; whether dosing may go on with what they show. */
  async #showsNoFault(addedMl: number): Promise<boolean> {
    await this.#readClosely();
    this.#monitor.wasteCheck(addedMl, this.#parts.pumps.volumeMl());
    return !this.#isPaused;
  }

  /** After an exchange: what it has shown is not left for the next one to decide. */
  async #showEffect({ command: { mediaMl, altMediaMl } }: VerifiedDose): Promise<void> {
    await this.#readClosely();
    this.#monitor.wasteCheck(mediaMl + altMediaMl, this.#parts.pumps.volumeMl());
  }

  #readClosely(): Promise<void> {
    const taken = this.#parts.extraReadings.take(closeReadings);
    return this.#monitor.during(untilAborted(this.#context.signal, taken));
  }

  /** Biomass relative to the target; undefined: the automation holds none. */
  #ratioOf({ reading }: DosingReason): number | undefined {
    const { density } = this.#setup.automation;
    const target = density === undefined ? undefined : this.#settings.get(density.setting);
    return reading === undefined || target === undefined ? undefined : reading.value / target;
  }

  /** True: the job is paused. */
  #reportUnverifiedWaste(): boolean {
    if (this.#setup.pausesOnUnverifiedWaste) {
      this.#send({ kind: 'blocked', why: cannotVerifyWaste });
      return true;
    }
    if (this.#unverifiedLog.isDue()) this.#context.log('WARNING', cannotVerifyWaste);
    return false;
  }

  async #dose({ command, reason }: DoseDecision): Promise<ExchangeOutcome> {
    const { automation, exchange: config } = this.#setup;
    const { pumps } = this.#parts;
    const origin = `${this.#context.jobName}:${automation.name}`;
    const because: ActuationReason = { origin, ...reason };
    const message = `The job doses: ${volumesText(command)}.`;
    this.#recordEvent({ name: 'DosingStarted', message, data: volumes(command) });
    this.#checkKeepingUp(command, reason);
    this.#monitor.doseBegins(command.wasteMl > 0);
    // A probe shows best in one part.
    const maxSubdoseMl = Math.max(config.maxSubdoseMl, this.#probes.takeVolumeMl());
    const parts = { pumps, pauses: this.#pauses, config: { ...config, maxSubdoseMl } };
    const exchange = new Exchange(this.#context, parts, because);
    this.#exchange = exchange;
    try {
      return await exchange.carryOut(command);
    } finally {
      if (!this.#context.signal.aborted) this.#recordDosed(exchange.moved);
      this.#exchange = undefined;
      this.#send({ kind: 'dose_ended', settleMs: 1000 * (automation.settleS ?? 0) });
    }
  }

  /** What exchanges of the set volume can do; undefined: the automation exchanges no fixed volume. */
  #capacity(): Capacity | undefined {
    const { automation, exchange } = this.#setup;
    const { pumps } = this.#parts;
    const exchangeMl = fixedExchangeMl(automation, this.#settings);
    if (exchangeMl === undefined || exchangeMl <= 0) return undefined;
    return capacityOf(exchangeMl, pumps.volumeMl(), {
      ...exchange,
      mediaMlPerS: pumps.flowMlPerS('media'),
      wasteMlPerS: pumps.flowMlPerS('waste'),
      settleS: automation.settleS ?? 0,
      readingEveryS: this.#readingEveryS(),
    });
  }

  /** Interval of the readings that start exchanges; undefined: not known. */
  #readingEveryS(): number | undefined {
    return this.#biomass?.place.from === 'reading' ? readingEveryS(this.#context) : undefined;
  }

  /** At the start, and when a setting changes. */
  #checkCapacity(): void {
    const { automation } = this.#setup;
    const { topics, log } = this.#context;
    const capacity = this.#capacity();
    if (capacity === undefined) return;
    const tooLong = exchangeTooLong(capacity, this.#settings.get('duration') ?? Number.POSITIVE_INFINITY);
    if (tooLong !== undefined) log('WARNING', tooLong);
    const growth = topics.readings.latest('growth_rate');
    if (automation.density === undefined || growth === undefined || growth.value <= capacity.fastestPerHour) return;
    this.#reportCannotKeepUp(cannotKeepUpEvent(capacity, { growthPerHour: growth.value }));
  }

  /** Before each exchange of an automation that holds a density. */
  #checkKeepingUp({ mediaMl, altMediaMl }: DosingCommand, reason: DosingReason): void {
    const { density } = this.#setup.automation;
    const target = density === undefined ? undefined : this.#settings.get(density.setting);
    const ratio = this.#ratioOf(reason);
    const capacity = this.#capacity();
    if (ratio === undefined || target === undefined || capacity === undefined) return;
    const monitor = this.#monitor;
    if (monitor.isDisturbed) {
      this.#keepingUp = keepingUpAfresh(this.#keepingUp);
      return;
    }
    const { fastestPerHour, exchangeMl } = capacity;
    const { state, cannot, growthPerHour } = keepingUpStep(this.#keepingUp, {
      hours: this.#context.clock.monotonic() / hourMs,
      biomass: ratio * target,
      ratio,
      washedOut: monitor.washedOut,
      fastestPerHour,
    });
    this.#keepingUp = state;
    if (!cannot) return;
    const isKnown = growthPerHour !== undefined && growthPerHour > fastestPerHour;
    const isProbe = mediaMl + altMediaMl > exchangeMl;
    this.#reportCannotKeepUp(
      cannotKeepUpEvent(capacity, { ratio, target, isProbe, ...(isKnown && { growthPerHour }) }),
    );
  }

  #reportCannotKeepUp(event: ReturnType<typeof cannotKeepUpEvent>): void {
    this.#context.event(event);
    this.#context.log('WARNING', event.message);
  }

  #doseFindings(): DoseFindings {
    return {
      disturbed: (found, corrections, isNew) => {
        const event = disturbanceEvent(found);
        if (isNew) this.#context.event(event);
        this.#parts.pumps.correct(corrections).catch((error: unknown) => {
          if (!(error instanceof StoreError)) throw error;
          this.#reportFailure(`The correction of the ledger is written with its next entry: ${error.message}.`);
        });
        if (this.#setup.pausesWithoutEffect) this.#send({ kind: 'blocked', why: event.message });
        else if (isNew) this.#reportFailure(event.message);
      },
      deviates: (pump, factor) => {
        const event = pumpDeviatesEvent(pump, factor);
        this.#context.event(event);
        this.#context.log('WARNING', event.message);
      },
      unverified: () => this.#context.log('WARNING', cannotVerify),
    };
  }

  /** Also after a failure the moved volumes count. */
  #recordDosed(moved: MovedVolumes): void {
    this.#monitor.doseEnds(moved);
    const message = `The job dosed: ${volumesText(moved)}.`;
    this.#recordEvent({ name: 'DosingStopped', message, data: volumes(moved) });
  }

  #reportFailure(message: string): void {
    this.#log.recordEvent({ name: 'ErrorOccurred', message, data: null });
    this.#context.log('ERROR', message);
  }

  #notify(notice: Extract<DosingEffect, { kind: 'notify' }>['notice']): void {
    if (notice === 'density_measured') {
      this.#context.log('NOTICE', 'The optical density was measured again: dosing continues.');
      return;
    }
    const runs = this.#context.topics.states.latest('od_reading')?.state === 'ready';
    const advice = runs ? '' : ' Start od_reading, or stop and start the automation to dose without it.';
    this.#context.log('WARNING', `Dosing waits for a fresh optical density after the restart.${advice}`);
  }

  /** An automation that waits for readings would not notice that none come. */
  #checkReadings(): void {
    try {
      for (const signal of this.#setup.automation.reads) this.#readings.readingOf(signal);
    } catch (error) {
      if (!(error instanceof ReadingMissing)) throw error;
      if (!error.isEarly && this.#missingLog.isDue()) this.#reportFailure(error.message);
    }
  }

  #recordEvent(event: AutomationEvent): void {
    this.#log.recordEvent(event);
    this.#context.log('INFO', event.message);
  }
}

/** What readings, pumps, outputs and disk may do. @throws every other error: it ends the job */
function failureOf(error: unknown): DosingOutcome {
  if (error instanceof ReadingMissing) return { kind: 'reading_missing', why: error.message, isEarly: error.isEarly };
  if (isInUse(error)) return { kind: 'pump_in_use', why: error.message };
  if (error instanceof PumpRefused)
    return { kind: 'failed', why: `${error.message} ${error.remediation}`, mustPause: true };
  // A dose must be recorded. The disk may have space again at the next evaluation.
  if (error instanceof StoreError)
    return { kind: 'failed', why: `The ledger cannot be written: ${error.message}.`, mustPause: false };
  if (error instanceof GuardRefused || error instanceof GuardLost || isHardwareFault(error))
    return { kind: 'failed', why: error.message, mustPause: false };
  throw error;
}

/** Whether another job has the pump. */
const isInUse = (error: unknown): error is PumpRefused =>
  error instanceof PumpRefused && error.cause instanceof GuardRefused && error.cause.code === 'output_taken';

const volumes = ({ mediaMl, altMediaMl, wasteMl }: DosingCommand | MovedVolumes) => ({
  media_ml: mediaMl,
  alt_media_ml: altMediaMl,
  waste_ml: wasteMl,
});

function volumesText({ mediaMl, altMediaMl, wasteMl }: DosingCommand | MovedVolumes): string {
  const parts: readonly (readonly [number, string])[] = [
    [mediaMl, 'mL of medium in'],
    [altMediaMl, 'mL of alternative medium in'],
    [wasteMl, 'mL of waste out'],
  ];
  const texts = parts.filter(([ml]) => ml > 0).map(([ml, what]) => `${Math.round(1000 * ml) / 1000} ${what}`);
  return texts.length === 0 ? 'nothing' : texts.join(', ');
}
