import type { DesiredReport, DesiredState } from '@lcs/contract';
import { RestartNeeds } from '../config/restart-needs.ts';
import type { ConfigFile } from '../config/unit-config.ts';
import { applyConfig, applyModel, type DesiredPart, type PartOutcome } from './apply-parts.ts';
import { isSame } from './desired-content.ts';
import type { DesiredStateManagerOptions } from './desired-state-manager-options.ts';
import type { DesiredParts, EffectiveDocuments } from './desired-store.ts';
import type { StopOrders } from './stop-orders.ts';
import { nothingInForce } from './unit-assignment.ts';

export type PartName = keyof DesiredParts;

const unchanged = { state: 'unchanged' } as const;
const pending = { state: 'pending' } as const;
const emptyFile = { ...nothingInForce.config.shared, text: '' };
const nothingDone: DesiredParts = {
  experiment: unchanged,
  active: unchanged,
  model: unchanged,
  config_shared: unchanged,
  config_own: unchanged,
  stop: unchanged,
};
export const partNames: readonly PartName[] = ['experiment', 'active', 'model', 'config_shared', 'config_own', 'stop'];

/** A job that continues after the end of the unit's membership, because it monitors the unit itself. */
const unitsOwnJob = 'monitor';

/** The effective documents of this unit, and their change by a new document. Never rejects: failures are in `parts`. */
export class DesiredApplier {
  readonly #options: Pick<DesiredStateManagerOptions, 'assignment' | 'jobs' | 'model' | 'config' | 'wire' | 'log'>;
  readonly #orders: StopOrders;
  readonly #needs = new RestartNeeds();
  #parts = nothingDone;
  #guardHasModel = false;
  /** Parts that failed for a temporary reason. */
  readonly #retryable = new Set<PartName>();
  /** The end of all jobs that the document does not allow; resolves with the failure, if any. */
  #ending: Promise<string | undefined> = Promise.resolve(undefined);

  constructor(options: DesiredStateManagerOptions, orders: StopOrders) {
    this.#options = options;
    this.#orders = orders;
  }

  get effective(): EffectiveDocuments {
    return this.#options.assignment.effective;
  }

  set #effective(effective: EffectiveDocuments) {
    this.#options.assignment.effective = effective;
  }

  get parts(): DesiredParts {
    return this.#parts;
  }

  /** Whether a failed part may succeed later. */
  get isRetryable(): boolean {
    return this.#retryable.size > 0;
  }

  /** Changed keys of the configuration that running jobs have not read. */
  restartNeeded(): DesiredReport['restart_needed'] {
    const running = this.#options.jobs.running().map(({ origin }) => origin.jobId);
    return [...this.#needs.list(new Set(running))];
  }

  /**
   * After a start: the effective documents, and the outcome of the document if it was applied completely. Returns whether a failed
   * part was started again.
   */
  async recall(
    effective: EffectiveDocuments | undefined,
    document: DesiredState | undefined,
    parts: DesiredParts | undefined,
  ): Promise<boolean> {
    this.#effective = effective ?? nothingInForce;
    // A restarted guard has no model. A document that is about to be applied has its own.
    if (document !== undefined && parts === undefined) return false;
    this.#parts = parts ?? nothingDone;
    const model = await this.#applyModel(this.effective.model);
    if (model.state === 'failed') this.#set('model', model);
    if (document === undefined) return false;
    await this.#restoreFile('shared', document);
    await this.#restoreFile('own', document);
    if (partNames.every((name) => this.#parts[name].state !== 'failed')) return false;
    await this.retry(document);
    return true;
  }

  /** Applies the immediate parts and begins to end the jobs that must end. */
  async apply(document: DesiredState): Promise<void> {
    const { experiment, active } = requiredParts(document);
    const before = this.effective;
    const isReleased = !isMember(document);
    const mustEnd = isReleased || (!active && before.active);
    // Orders come first: pending starts are for the former experiment.
    if (!isReleased) this.#orders.begin();
    this.#ending = mustEnd ? this.#end(isReleased) : Promise.resolve(undefined);
    this.#effective = { ...before, experiment, active };
    this.#retryable.clear();
    this.#parts = {
      experiment: { state: isSame(experiment, before.experiment) ? 'unchanged' : 'applied' },
      active: mustEnd ? pending : { state: active === before.active ? 'unchanged' : 'applied' },
      model: pending,
      config_shared: pending,
      config_own: pending,
      stop: !isReleased && document.stop.length > 0 ? pending : unchanged,
    };
    await this.#applyParts(document, ['model', 'config_shared', 'config_own']);
  }

  /** Resolves when these jobs have ended, or could not be ended. */
  async settled(): Promise<void> {
    await this.#orders.settled();
    await this.#ending;
  }

  /** Records the outcome of the slow parts; call this when they have settled. */
  async conclude(document: DesiredState): Promise<void> {
    const failure = await this.#ending;
    if (failure !== undefined) {
      this.#set('active', { state: 'failed', error: { code: 'stop_failed', message: failure } });
      this.#retryable.add('active');
    } else if (this.#parts.active.state === 'pending') {
      this.#set('active', { state: 'applied' });
    }
    const stop: DesiredPart = isMember(document) ? this.#orders.part(document) : unchanged;
    this.#set('stop', stop);
    if (stop.state === 'failed') this.#retryable.add('stop');
  }

  /** Retries the failed parts. */
  async retry(document: DesiredState): Promise<void> {
    const failed = partNames.filter((name) => this.#parts[name].state === 'failed');
    this.#retryable.clear();
    this.#orders.begin();
    if (failed.includes('active')) {
      this.#set('active', pending);
      this.#ending = this.#end(!isMember(document));
    }
    await this.#applyParts(document, failed);
  }

  /** Applies a release of the unit: jobs end, and only its own configuration is kept. */
  async letGo(): Promise<void> {
    const { log } = this.#options;
    this.#ending = this.#end(true);
    this.#effective = { ...nothingInForce, config: { ...nothingInForce.config, own: this.effective.config.own } };
    this.#parts = nothingDone;
    this.#retryable.clear();
    const left = [await this.#applyModel(null), await this.#applyFile('shared', emptyFile)];
    const failure = await this.#ending;
    const problems = [...left.map(({ error }) => error?.message), failure].filter((text) => text !== undefined);
    if (problems.length > 0) log.error('Something of the former leader is left', { problems });
    this.#retryable.clear();
  }

  async #applyParts(document: DesiredState, names: readonly PartName[]): Promise<void> {
    const { model, shared, own } = requiredParts(document);
    if (names.includes('model')) this.#set('model', await this.#applyModel(model));
    if (names.includes('config_shared')) this.#set('config_shared', await this.#applyFile('shared', shared));
    if (names.includes('config_own')) this.#set('config_own', own ? await this.#applyFile('own', own) : unchanged);
  }

  async #applyModel(required: DesiredState['model']): Promise<DesiredPart> {
    const { model: set, wire } = this.#options;
    const outcome = await applyModel(required, this.effective, { has: this.#guardHasModel, set, wire });
    this.#guardHasModel = outcome.part.state !== 'failed';
    return this.#apply('model', outcome);
  }

  async #applyFile(file: ConfigFile, required: DesiredState['config']['shared']): Promise<DesiredPart> {
    const { config, jobs } = this.#options;
    const before = config.view();
    const outcome = await applyConfig(file, required, this.effective, config);
    this.#needs.note(before, config.view(), jobs.running());
    return this.#apply(`config_${file}`, outcome);
  }

  #apply(name: PartName, { part, effective, isTemporary }: PartOutcome): DesiredPart {
    this.#effective = effective;
    if (isTemporary) this.#retryable.add(name);
    return part;
  }

  /** Restores an edited or missing file from the document. */
  async #restoreFile(file: ConfigFile, document: DesiredState): Promise<void> {
    const { config, log } = this.#options;
    const { sha256, text } = document.config[file];
    const isInForce = isMember(document) && this.effective.config[file].sha256 === sha256;
    if (!isInForce || config.text(file) === text) return;
    log.warn('A configuration file was changed on this unit; it is restored', { file });
    const part = await this.#applyFile(file, document.config[file]);
    if (part.state === 'failed') this.#set(`config_${file}`, part);
  }

  /** Ends the jobs of experiments, or of a released unit all except its own; returns the failure. */
  async #end(isReleased: boolean): Promise<string | undefined> {
    const { jobs } = this.#options;
    try {
      const outcomes = [await jobs.stopJobs({ isLongRunning: false })];
      const others = isReleased ? jobs.running({ isLongRunning: true }) : [];
      for (const { origin } of others)
        if (origin.jobName !== unitsOwnJob) outcomes.push(await jobs.stopJobs({ jobId: origin.jobId }));
      const stillRunning = outcomes.flatMap(({ still_running }) => still_running.map(({ job_name }) => job_name));
      return stillRunning.length === 0 ? undefined : `Still running: ${stillRunning.join(', ')}.`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #set(name: PartName, part: DesiredPart): void {
    this.#parts = { ...this.#parts, [name]: part };
  }
}

const isMember = ({ standing }: DesiredState): boolean => standing === 'member';

/** The parts of a document; a released unit keeps only its own configuration. */
function requiredParts(document: DesiredState) {
  const { experiment, active, model, config } = document;
  if (isMember(document)) return { experiment, active, model, shared: config.shared, own: config.own };
  return { experiment: null, active: true, model: null, shared: emptyFile, own: undefined };
}
