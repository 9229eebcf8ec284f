import type { JobWarning, Json } from '@lcs/contract';
import type {
  ActuationReason,
  DosingAutomation as Automation,
  AutomationEvent,
  DosingCommand,
  DosingDecision,
  DosingRun,
  MovedVolumes,
} from '@lcs/domain';
import { GuardLost, GuardRefused } from '@lcs/hardware';
import { type JobContext, StoreError } from '@lcs/platform';
import type { ShowControl } from '../../mirror/control-message.ts';
import { PumpRefused, type Pumps } from '../pumps/pumping.ts';
import { AutomationVoice } from '../shared/automation-voice.ts';
import { RunEvery } from '../shared/run-every.ts';
import { isHardwareTrouble } from '../shared/trouble.ts';
import type { BiomassSignal } from './biomass-signal.ts';
import { DoseCheck } from './dose-check.ts';
import type { KeptDosing } from './dosing-memory.ts';
import { Exchange, type ExchangeConfig, type ExchangeOutcome } from './exchange.ts';
import { foreseeDilution } from './foresee-dilution.ts';
import { FreshReadings, ReadingMissing, readingNow } from './fresh-readings.ts';
import { OdGate } from './od-gate.ts';
import { watchVolume } from './volume-watch.ts';
import { Wakefulness } from './wakefulness.ts';

/** From the start to the first look of an automation that looks by the clock. As a similar system has it. */
const firstLookMs = 2_000;

/** So long a look waits for its first readings. As a similar system has it. */
const readingsWaitMs = 10_000;

/** So long a look that became due while the job slept is good for. As a similar system has it. */
const lateLookMs = 60_000;

/** How often a signal that should come by itself is looked for, and how often its absence is said again. */
const missingLookMs = 60_000;
const missingSaidAgainMs = 600_000;

/** So long nothing is tried after a pump was in other hands. */
const takenWaitMs = 30_000;

/** After so many failures in a row a person has to look. */
const mostFailures = 3;

const minuteMs = 60_000;

export interface DosingSetup {
  readonly automation: Automation;
  /** What the numbers of the automation are at first. */
  readonly settings: Readonly<Record<string, number>>;
  readonly constants: Readonly<Record<string, number>>;
  readonly exchange: ExchangeConfig;
  readonly skipsFirstRun: boolean;
  /** It goes on after its unit was cut off. */
  readonly isResumed: boolean;
  readonly biomass: BiomassSignal | undefined;
}

interface Parts {
  readonly pumps: Pumps;
  readonly kept: KeptDosing;
  readonly showControl: ShowControl;
}

/** Looks when its automation says so, and carries out what the rule decides. */
export class DosingAutomation {
  readonly #context: JobContext;
  readonly #setup: DosingSetup;
  readonly #parts: Parts;
  readonly #voice: AutomationVoice;
  readonly #readings: FreshReadings;
  readonly #gate: OdGate;
  readonly #check: DoseCheck;
  readonly #wakefulness: Wakefulness;
  readonly #run: DosingRun;
  readonly #every: RunEvery;
  readonly #settings: Map<string, number>;
  #biomass: BiomassSignal | undefined;
  #exchange: Exchange | undefined;
  #isBusy = false;
  /** Another look was asked for while one was under way. */
  #isAgain = false;
  /** A look waits for the job to be woken. */
  #isLate = false;
  #settledAtMs = Number.NEGATIVE_INFINITY;
  #missingSaidAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(context: JobContext, setup: DosingSetup, parts: Parts) {
    const { automation, settings, isResumed, biomass } = setup;
    this.#context = context;
    this.#setup = setup;
    this.#parts = parts;
    this.#voice = new AutomationVoice(context, 'dosing', automation.name);
    this.#readings = new FreshReadings(context);
    this.#gate = new OdGate(context, !isResumed);
    this.#check = new DoseCheck(context, (event) => {
      context.event(event);
      this.#fail(event.message);
    });
    this.#wakefulness = new Wakefulness(context.clock);
    this.#run = automation.start(isResumed ? parts.kept.read().rule : undefined);
    this.#every = new RunEvery(context.clock, () => this.#lookLate());
    this.#settings = new Map(Object.entries(settings));
    this.#biomass = biomass;
  }

  begin(): void {
    const { automation } = this.#setup;
    for (const [name, value] of this.#settings) this.#context.publish(name, value);
    this.#voice.inForce(this.#inForce());
    if (automation.trigger === 'never') return;
    this.#follow();
    this.#check.begin();
    this.#gate.begin(() => this.#look());
    watchVolume(this.#context, this.#parts.pumps, (why) => this.#rest(why));
    this.#context.listen(this.#context.topics.events, (_event, name) => {
      if (name === 'reference_unstable')
        this.#rest('The reference of the optical density is restless: check the infrared LED and its photodiode.');
    });
    if (automation.trigger === 'period') this.#beginPeriod();
    else this.#context.repeat(missingLookMs, () => this.#lookForReadings());
  }

  /** What new values would do at once; undefined: nothing that a person must know before. */
  foresee(values: Readonly<Record<string, Json>>, biomass: BiomassSignal | undefined): JobWarning | undefined {
    const { automation } = this.#setup;
    const isConcerned = biomass !== undefined || Object.hasOwn(values, automation.density?.setting ?? '');
    if (!isConcerned) return undefined;
    const numbers = Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
    return foreseeDilution(automation, {
      settings: { ...Object.fromEntries(this.#settings), ...Object.fromEntries(numbers) },
      biomass: biomass ?? this.#biomass,
      // What is followed already is known better: of a published value nobody else knows how old it is.
      read: ({ place }) =>
        biomass === undefined
          ? this.#readings.take(automation.density?.signal ?? 'biomass')
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
      this.#follow();
      // After the wanted word was published.
      this.#context.clock.after(0, () => this.#context.publish('biomass_signal', biomass.word));
    }
    if (typeof duration === 'number' && this.#setup.automation.trigger === 'period')
      this.#every.change(minuteMs * duration);
    this.#voice.inForce(this.#inForce());
  }

  /** Resolves when the pumps are off. */
  async sleep(): Promise<void> {
    this.#wakefulness.sleep();
    await this.#exchange?.pumpsOff();
  }

  wake(): void {
    this.#failures = 0;
    this.#wakefulness.wake();
  }

  /** The job has ended: what runs is stopped by that; resolves when the pumps are off. */
  async stop(): Promise<void> {
    await this.#exchange?.pumpsOff();
  }

  #inForce(): Readonly<Record<string, Json>> {
    const biomass = this.#biomass === undefined ? {} : { biomass_signal: this.#biomass.word };
    return { ...Object.fromEntries(this.#settings), ...biomass };
  }

  #follow(): void {
    const { automation, isResumed } = this.#setup;
    const takesLatest = !isResumed;
    for (const signal of automation.reads) {
      if (signal === 'normalized_od')
        this.#readings.follow(signal, { from: 'reading', source: 'od_filtered' }, takesLatest);
      if (signal === 'growth_rate')
        this.#readings.follow(signal, { from: 'reading', source: 'growth_rate' }, takesLatest);
      if (signal === 'biomass' && this.#biomass !== undefined) {
        this.#readings.follow(signal, this.#biomass.place, takesLatest, () => this.#lookAtReading());
        if (this.#biomass.warning !== undefined) this.#context.log('WARNING', this.#biomass.warning);
      }
    }
  }

  /** After a restart the period goes on as if nothing had happened; what was missed is not made up for. */
  #beginPeriod(): void {
    const { isResumed, skipsFirstRun } = this.#setup;
    const periodMs = minuteMs * (this.#settings.get('duration') ?? 0);
    const { lookedAtMs } = isResumed ? this.#parts.kept.read() : { lookedAtMs: undefined };
    if (lookedAtMs === undefined) {
      // A first look that is left out counts as done: a change of the period must not bring it back.
      if (skipsFirstRun) this.#every.begin(periodMs, periodMs, 0);
      else this.#every.begin(periodMs, firstLookMs);
      return;
    }
    const sinceMs = Math.max(0, this.#context.clock.now() - lookedAtMs);
    this.#every.begin(periodMs, Math.max(firstLookMs, periodMs - sinceMs), sinceMs);
  }

  /** One that becomes due while the job sleeps waits for a while; of several the first. */
  async #lookLate(): Promise<void> {
    if (this.#isLate) return;
    this.#isLate = true;
    const sleptMs = await this.#wakefulness.untilAwake(this.#context.signal);
    this.#isLate = false;
    if (sleptMs <= lateLookMs) await this.#look();
  }

  async #lookAtReading(): Promise<void> {
    if (this.#context.clock.monotonic() < this.#settledAtMs || this.#wakefulness.isAsleep) return;
    this.#isAgain = this.#isBusy;
    await this.#look();
  }

  /** Looks once, and once more where a reading came meanwhile; never twice at a time. */
  async #look(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      await this.#lookOnce();
      while (this.#isAgain) {
        this.#isAgain = false;
        if (this.#context.clock.monotonic() >= this.#settledAtMs && !this.#wakefulness.isAsleep) await this.#lookOnce();
      }
    } finally {
      this.#isBusy = false;
    }
  }

  async #lookOnce(): Promise<void> {
    if (!this.#gate.isOpen) return this.#gate.keepWaiting();
    const { clock } = this.#context;
    try {
      await this.#readings.wait(this.#setup.automation.reads, readingsWaitMs);
      const decision = this.#decide();
      if (decision.control !== undefined) this.#parts.showControl(this.#context, 'growth_rate', decision.control);
      if (this.#setup.automation.trigger === 'period') this.#parts.kept.write(clock.now(), this.#run.memory);
      await this.#carryOut(decision);
    } catch (error) {
      this.#context.signal.throwIfAborted();
      this.#met(error);
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
      reading: (signal) => this.#readings.take(signal),
      volumeMl: pumps.volumeMl(),
      stopLimitMl: pumps.stopLimitMl(),
    });
  }

  async #carryOut(decision: DosingDecision): Promise<void> {
    if (decision.action === 'sleep') return this.#rest(decision.reason);
    if (decision.action === 'nothing') {
      if (decision.event !== undefined) this.#tell(decision.event);
      return;
    }
    const { moved, failure, warning } = await this.#dose(decision);
    const told = decision.outcome(moved);
    if (warning !== undefined) this.#context.log('WARNING', warning);
    if (told.warning !== undefined) this.#context.log('WARNING', told.warning);
    this.#tell(told.event);
    if (failure === undefined) this.#failures = 0;
    else this.#failed(failure.why, failure.mustRest);
  }

  async #dose({ command, reason }: Extract<DosingDecision, { action: 'dose' }>): Promise<ExchangeOutcome> {
    const { automation, exchange: config } = this.#setup;
    const { pumps } = this.#parts;
    const origin = `${this.#context.jobName}:${automation.name}`;
    const because: ActuationReason = { origin, ...reason };
    this.#tell({ name: 'DosingStarted', message: `It doses: ${spoken(command)}.`, data: volumes(command) });
    this.#check.doseBegins(pumps.volumeMl());
    const exchange = new Exchange(this.#context, { pumps, wakefulness: this.#wakefulness, config }, because);
    this.#exchange = exchange;
    try {
      return await exchange.carryOut(command);
    } finally {
      if (!this.#context.signal.aborted) this.#dosed(exchange.moved);
      this.#exchange = undefined;
      this.#settledAtMs = this.#context.clock.monotonic() + 1000 * (automation.settleS ?? 0);
    }
  }

  /** However it ended: what has moved counts. */
  #dosed(moved: MovedVolumes): void {
    this.#check.doseEnds(moved);
    this.#tell({ name: 'DosingStopped', message: `It dosed: ${spoken(moved)}.`, data: volumes(moved) });
  }

  /** What may happen with readings, pumps and outputs is told; everything else ends the job. */
  #met(error: unknown): void {
    if (error instanceof ReadingMissing) this.#missed(error);
    else if (isTaken(error)) this.#waitForPump(error);
    else if (error instanceof PumpRefused) this.#failed(`${error.message} ${error.remediation}`, true);
    // Nothing is pumped that cannot be written down. The disk may have room again at the next look.
    else if (error instanceof StoreError) this.#failed(`The ledger cannot be written: ${error.message}.`, false);
    else if (error instanceof GuardRefused || error instanceof GuardLost || isHardwareTrouble(error))
      this.#failed(error.message, false);
    else throw error;
  }

  /** Somebody pumps by hand: that passes. */
  #waitForPump({ message }: PumpRefused): void {
    this.#settledAtMs = this.#context.clock.monotonic() + takenWaitMs;
    this.#fail(message);
  }

  #failed(why: string, mustRest: boolean): void {
    this.#failures += 1;
    if (mustRest || this.#failures >= mostFailures) this.#rest(why);
    else this.#fail(why);
  }

  #missed({ message, isEarly }: ReadingMissing): void {
    if (isEarly) this.#context.log('NOTICE', message);
    else this.#fail(message);
  }

  #fail(message: string): void {
    this.#voice.tell({ name: 'ErrorOccurred', message, data: null });
    this.#context.log('ERROR', message);
  }

  /** Nothing more is dosed until a person wakes it. */
  #rest(why: string): void {
    if (this.#wakefulness.isAsleep) return;
    this.#fail(`${why} The automation sleeps until it is woken.`);
    // Pumps stop at once; the state follows.
    this.#wakefulness.sleep();
    this.#context.rest();
  }

  /** For automations that wait for readings: nobody else would notice that none come. */
  #lookForReadings(): void {
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - this.#missingSaidAtMs < missingSaidAgainMs) return;
    if (!this.#gate.isOpen) {
      this.#gate.keepWaiting();
      return;
    }
    try {
      for (const signal of this.#setup.automation.reads) this.#readings.take(signal);
    } catch (error) {
      if (!(error instanceof ReadingMissing)) throw error;
      if (error.isEarly) return;
      this.#missingSaidAtMs = nowMs;
      this.#fail(error.message);
    }
  }

  #tell(news: AutomationEvent): void {
    this.#voice.tell(news);
    this.#context.log('INFO', `${news.name}: ${news.message}`);
  }
}

/** Whether another job has the pump. */
const isTaken = (error: unknown): error is PumpRefused =>
  error instanceof PumpRefused && error.cause instanceof GuardRefused && error.cause.code === 'output_taken';

const volumes = ({ mediaMl, altMediaMl, wasteMl }: DosingCommand | MovedVolumes) => ({
  media_ml: mediaMl,
  alt_media_ml: altMediaMl,
  waste_ml: wasteMl,
});

function spoken({ mediaMl, altMediaMl, wasteMl }: DosingCommand | MovedVolumes): string {
  const parts: readonly (readonly [number, string])[] = [
    [mediaMl, 'mL of medium in'],
    [altMediaMl, 'mL of alternative medium in'],
    [wasteMl, 'mL of waste out'],
  ];
  const told = parts.filter(([ml]) => ml > 0).map(([ml, what]) => `${Math.round(1000 * ml) / 1000} ${what}`);
  return told.length === 0 ? 'nothing' : told.join(', ');
}
