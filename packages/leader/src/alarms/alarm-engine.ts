import type { LiveEventName, LiveEvents, LiveJob, UnitStatus } from '@lcs/contract';
import {
  type AlarmRuleDefinition,
  builtInAlarmRules,
  type ConditionPhase,
  isActive,
  isConditionActive,
  isShelvingOver,
  type ModelVolumes,
  nextConditionPhase,
  numericParameter,
  type RuleSettings,
} from '@lcs/domain';
import type { Cancel, Service } from '@lcs/platform';
import type { LeaderContext, LiveListener, UnitConditions } from '../core/leader-context.ts';
import type { ExperimentNames } from '../live/experiment-names.ts';
import type { ModelCatalog } from '../models/model-catalog.ts';
import type { AlarmFacts } from './alarm-facts.ts';
import {
  gapRows,
  jobsEnded,
  newestSignalEvents,
  reportedDocuments,
  unknownExperimentRows,
  type WatchedUnit,
  watchedUnits,
} from './alarm-queries.ts';
import type { AlarmRegistry } from './alarm-registry.ts';
import { type AlarmSubject, conditionKey, type StoredAlarm } from './alarm-store.ts';
import { type ClusterSnapshot, cluster, type Finding } from './evaluation.ts';
import { evaluateRule } from './rule-evaluators.ts';
import type { RuleStore } from './rule-store.ts';

export interface AlarmEngineOptions {
  readonly context: Pick<LeaderContext, 'clock' | 'database' | 'log'>;
  readonly registry: AlarmRegistry;
  readonly rules: RuleStore;
  readonly models: Pick<ModelCatalog, 'list'>;
  readonly facts: AlarmFacts;
  readonly names: ExperimentNames;
  readonly units: { describe(unit: string): UnitStatus; conditionsOf(unit: string): UnitConditions };
  readonly jobs: { all(): readonly LiveJob[] };
  readonly diskSpace: { readonly level: 'enough' | 'low' | 'full' };
  /** Subscribes to all live events. */
  readonly listen: (listener: LiveListener) => Cancel;
}

/** The evaluation interval; delays of rules have this resolution. */
const everyMs = 15_000;
/** Tables that seldom change are read once in this many evaluations. */
const evaluationsPerTableRead = 4;

/** Live events that change the monitored units or their experiments. */
const membershipEvents: readonly LiveEventName[] = ['worker', 'worker_deleted', 'assignment'];

/** For components of the leader that detect the condition of a rule themselves. */
export interface AlarmReports {
  /** The condition is true, or over (null). The next evaluation uses it. */
  report(rule: 'database_damaged' | 'backup_failed', message: string | null): void;
}

type StoreRows = ReturnType<ClusterSnapshot['rows']>;
interface TableRows {
  readonly gaps: StoreRows;
  readonly unknown_experiments: StoreRows;
}

/**
 * Evaluates all rules every 15 s, raises alarms and returns them to normal. It works in memory; it reads the store when its input may have
 * changed, and writes when an alarm changes.
 */
export class AlarmEngine implements Service, AlarmReports {
  readonly name = 'alarm engine';
  readonly #options: AlarmEngineOptions;
  readonly #phases = new Map<string, ConditionPhase>();
  readonly #reports = new Map<string, readonly Finding[]>();
  #watched: readonly WatchedUnit[] | undefined;
  /** Models of the monitored units, where known. */
  #models: ReadonlyMap<string, ModelVolumes> = new Map();
  #tables: TableRows | undefined;
  #evaluations = 0;
  #startedMs = 0;
  /** Monotonic time of the last evaluation in which nothing failed. */
  #evaluatedMs = 0;
  /** Failures in the running evaluation. */
  #failures = 0;
  #cancel: Cancel = () => {};
  #unsubscribe: Cancel = () => {};
  #running: Promise<void> | undefined;

  constructor(options: AlarmEngineOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { context, registry, listen } = this.#options;
    this.#startedMs = context.clock.monotonic();
    this.#evaluatedMs = this.#startedMs;
    this.#options.facts.restoreReports(await reportedDocuments(context.database.read));
    this.#options.facts.restoreSignals(await newestSignalEvents(context.database.read));
    const alarmed = new Set(registry.open().flatMap(({ subject }) => subject.unit ?? []));
    this.#options.facts.restoreEnded(await jobsEnded(context.database.read, [...alarmed]));
    for (const { rule, subject, life } of registry.open()) {
      if (isActive(life)) this.#phases.set(conditionKey(rule, subject), { kind: 'active' });
    }
    this.#unsubscribe = listen((name, data) => this.#onLiveEvent(name, data));
    this.#cancel = context.clock.every(everyMs, () => void this.#begin());
  }

  /** The running evaluation, or a new one. */
  #begin(): Promise<void> {
    this.#running ??= this.evaluate().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#unsubscribe();
    await this.#running;
  }

  report(rule: 'database_damaged' | 'backup_failed', message: string | null): void {
    const finding: Finding = { subject: cluster, isTrue: message !== null, message: message ?? '' };
    this.#reports.set(rule, [finding]);
  }

  /** Milliseconds since the last evaluation in which nothing failed; the start counts as one. */
  get sinceLastEvaluationMs(): number {
    return this.#options.context.clock.monotonic() - this.#evaluatedMs;
  }

  /** Evaluates all rules now, after a running evaluation. Resolves to whether nothing failed. */
  async evaluateNow(): Promise<boolean> {
    await this.#running;
    await this.#begin();
    return this.#failures === 0;
  }

  /** Evaluates all rules once. Never rejects. */
  async evaluate(): Promise<void> {
    const { context, registry } = this.#options;
    const release = context.clock.hold('alarms');
    this.#failures = 0;
    try {
      const snapshot = await this.#snapshot();
      for (const rule of builtInAlarmRules) await this.#step(rule.rule, () => this.#apply(rule, snapshot));
      for (const { alarmId, life } of registry.open()) {
        if (isShelvingOver(life, snapshot.nowMs)) await this.#step('shelving', () => registry.endShelving(alarmId));
      }
      if (this.#failures === 0) this.#evaluatedMs = context.clock.monotonic();
    } catch (error) {
      this.#failures += 1;
      context.log.error('Evaluation of alarms failed', { error: String(error) });
    } finally {
      release();
    }
  }

  /** A failure in one condition does not affect others; the next evaluation repeats it. */
  async #step(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failures += 1;
      this.#options.context.log.error('A step of the evaluation of alarms failed', { what, error: String(error) });
    }
  }

  #onLiveEvent(name: LiveEventName, data: LiveEvents[LiveEventName]): void {
    if (membershipEvents.includes(name)) this.#watched = undefined;
    if (name === 'worker_deleted' && 'reactor_unit' in data && typeof data.reactor_unit === 'string')
      this.#options.facts.forget(data.reactor_unit);
    if (name === 'experiment_deleted' && 'experiment' in data && typeof data.experiment === 'string')
      this.#options.registry.forgetExperiment(data.experiment);
  }

  async #snapshot(): Promise<ClusterSnapshot> {
    const { context, facts, names, units, jobs, diskSpace } = this.#options;
    const { read } = context.database;
    const readsTables = this.#evaluations % evaluationsPerTableRead === 0;
    // Input that cannot be read keeps the value of the last evaluation.
    const readsUnits = readsTables || this.#watched === undefined;
    await this.#step('units', async () => {
      if (readsUnits) this.#watched = await watchedUnits(read);
    });
    await this.#step('models', async () => {
      if (readsUnits) await this.#readModels(this.#watched ?? []);
    });
    const watched = this.#watched;
    if (watched === undefined) throw new Error('The list of units could not be read.');
    await this.#step('tables', async () => {
      if (!readsTables) return;
      const [gaps, unknown_experiments] = await Promise.all([gapRows(read), unknownExperimentRows(read)]);
      this.#tables = { gaps, unknown_experiments };
    });
    this.#evaluations += 1;
    const triggerEvents = facts.takeTriggerEvents();
    const reported = [...facts.bottles(), ...facts.signals(), ...triggerEvents];
    const uids = new Set([...facts.experimentUids(), ...reported.map(({ experimentUid }) => experimentUid)]);
    const known = await names.of(uids);
    const isOn = (rule: string, subject: AlarmSubject) => isConditionActive(this.#phaseOf(conditionKey(rule, subject)));
    return {
      nowMs: Math.floor(context.clock.now()),
      upMs: context.clock.monotonic() - this.#startedMs,
      units: watched.map(({ unit }) => units.describe(unit)),
      conditionsOf: (unit) => units.conditionsOf(unit),
      experiments: new Map(watched.map(({ unit, experiment }) => [unit, experiment])),
      jobs: jobs.all(),
      facts,
      triggerEvents,
      isOn,
      diskSpaceLevel: diskSpace.level,
      experimentOf: (uid) => {
        const name = known.get(uid);
        return name?.startsWith('$') ? undefined : name;
      },
      rows: (table) => this.#rowsOf(table).filter(({ unit }) => watched.some((each) => each.unit === unit)),
      reports: (rule) => this.#reports.get(rule),
      settings: (rule, subject) => this.#settings(rule, subject),
    };
  }

  async #readModels(watched: readonly WatchedUnit[]): Promise<void> {
    const all = await this.#options.models.list();
    const modelOf = ({ modelName, modelVersion }: WatchedUnit) =>
      all.find(({ model_name, model_version }) => model_name === modelName && model_version === modelVersion);
    this.#models = new Map(
      watched.flatMap((each) => {
        const model = modelOf(each);
        return model === undefined ? [] : [[each.unit, model] as const];
      }),
    );
  }

  #settings(rule: AlarmRuleDefinition, subject: AlarmSubject): RuleSettings {
    const model = subject.unit === null ? undefined : this.#models.get(subject.unit);
    return this.#options.rules.settings(rule, subject, model);
  }

  /** @throws Error until the tables have been read once: an unread table must not clear an alarm */
  #rowsOf(table: keyof TableRows): StoreRows {
    if (this.#tables === undefined) throw new Error(`The table ${table} could not be read.`);
    return this.#tables[table];
  }

  #phaseOf(key: string): ConditionPhase {
    return this.#phases.get(key) ?? { kind: 'inactive' };
  }

  async #apply(rule: AlarmRuleDefinition, snapshot: ClusterSnapshot): Promise<void> {
    const { findings, absent } = evaluateRule(rule, snapshot);
    const seen = new Set<string>();
    for (const finding of findings) {
      const key = conditionKey(rule.rule, finding.subject);
      seen.add(key);
      await this.#step(key, () => this.#updateCondition(rule, key, finding, snapshot.nowMs));
    }
    const left = new Map<string, AlarmSubject>();
    for (const { rule: of, subject } of this.#options.registry.open()) {
      if (of === rule.rule) left.set(conditionKey(of, subject), subject);
    }
    for (const [key, subject] of left) {
      if (seen.has(key)) continue;
      const state = typeof absent === 'function' ? absent(subject) : absent;
      const isTrue = state === 'over' ? false : undefined;
      await this.#step(key, () => this.#updateCondition(rule, key, { subject, isTrue, message: '' }, snapshot.nowMs));
    }
    this.#dropUnevaluated(rule.rule, seen, left);
  }

  /** Drops pending conditions that the rule no longer evaluates. */
  #dropUnevaluated(rule: string, seen: ReadonlySet<string>, open: ReadonlyMap<string, AlarmSubject>): void {
    const prefix = `${JSON.stringify([rule]).slice(0, -1)},`;
    for (const key of this.#phases.keys()) {
      if (key.startsWith(prefix) && !seen.has(key) && !open.has(key)) this.#phases.delete(key);
    }
  }

  async #updateCondition(rule: AlarmRuleDefinition, key: string, finding: Finding, nowMs: number): Promise<void> {
    const { registry } = this.#options;
    const { subject, message } = finding;
    const settings = this.#settings(rule, subject);
    const isTrue = settings.isEnabled ? finding.isTrue : false;
    const delays = {
      onDelayMs: (numericParameter(settings, 'on_delay_s') ?? 0) * 1_000,
      offDelayMs: settings.isEnabled ? (numericParameter(settings, 'off_delay_s') ?? 0) * 1_000 : 0,
    };
    const phase = nextConditionPhase(this.#phaseOf(key), isTrue, nowMs, delays);
    if (phase.kind === 'inactive') this.#phases.delete(key);
    else this.#phases.set(key, phase);
    const open: StoredAlarm | undefined = registry.of(key);
    const isRaised = open !== undefined && isActive(open.life);
    if (isConditionActive(phase) === isRaised) return;
    if (open !== undefined && isRaised) await registry.returnToNormal(open.alarmId);
    else await registry.raise({ rule: rule.rule, severity: settings.severity, subject, message });
  }
}
