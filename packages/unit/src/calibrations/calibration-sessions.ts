import {
  ApiError,
  type CalibrationContent,
  type CalibrationProtocol,
  type EstimatorContent,
  hourMs,
  type OpenSession,
  type SessionEnvelope,
  type SessionStep,
} from '@lcs/contract';
import {
  type Advance,
  availableProtocols,
  blockingJobs,
  experimentEffect,
  InvalidInput,
  type Protocol,
  type ProtocolFacts,
  type ProtocolState,
  protocolFor,
  SessionData,
  type SessionFile,
  type SessionFileLink,
  StepInputs,
  stepOf,
  withEffect,
  writeCalibration,
  writeEstimator,
} from '@lcs/domain';
import { failureText } from '@lcs/node';
import { type Cancel, type Clock, type Service, toTimestamp } from '@lcs/platform';
import type { CalibrationActions } from './calibration-actions.ts';
import type { CalibrationFiles } from './calibration-files.ts';
import type { SessionStore, StoredSession } from './session-store.ts';

export interface CalibrationSessionsOptions {
  readonly store: Pick<SessionStore, 'find' | 'open' | 'save'>;
  readonly actions: Pick<CalibrationActions, 'accept' | 'stop'>;
  readonly calibrations: Pick<CalibrationFiles<CalibrationContent>, 'store' | 'expectUsable'>;
  readonly estimators: Pick<CalibrationFiles<EstimatorContent>, 'store' | 'expectUsable'>;
  readonly facts: () => Promise<ProtocolFacts>;
  readonly newId: () => string;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'every'>;
  /** Whether the node ends: work that fails now is cut. */
  readonly isEnding: () => boolean;
  /** A session has ended by itself: for the event log. */
  readonly warn: (message: string) => void;
}

type ActionStep = Extract<Advance, { kind: 'act' }>;
type Finishing = Extract<Advance, { kind: 'finish' }>;

/** A session without an answer for this time is abandoned, so that its device does not stay blocked. */
const abandonedAfterMs = hourMs;
const checkEveryMs = 60_000;

/** The input that ends the work of a step, and not the session. */
const stopInput = 'stop';

type Cut = 'stopped' | 'aborted';

/** The present work of a session. */
interface Work {
  readonly begun: () => void;
  label: string | undefined;
  fraction: number;
  /** How a person has cut it; a session whose work is stopped stays open. */
  cut: Cut | undefined;
  /** The stored session has the mark of this work. */
  isMarked: boolean;
  readonly ended: PromiseWithResolvers<void>;
}

const cutError = (action: string, cut: Cut): ApiError =>
  new ApiError('session_action_failed', { action, cause: `It was ${cut}.` });

/** Takes people through the protocols. Each session is on disk after each step; a step that fails leaves it where it was. */
export class CalibrationSessions implements Service {
  readonly name = 'calibration sessions';
  readonly #options: CalibrationSessionsOptions;
  readonly #works = new Map<string, Work>();
  /** Listeners for progress and end of sessions. */
  readonly #watchers = new Map<string, Set<() => void>>();
  /** Monotonic time of the last answer, or of the end of the last work. */
  readonly #quietSinceMs = new Map<string, number>();
  #cancelCheck: Cancel = () => {};
  /** Never rejects. */
  #ending: Promise<void> = Promise.resolve();
  /** Starts wait for each other, so that two cannot begin with one device. */
  #lastStart: Promise<unknown> = Promise.resolve();

  constructor(options: CalibrationSessionsOptions) {
    this.#options = options;
  }

  /** The available protocols, each with its session in progress. */
  async protocols(): Promise<readonly CalibrationProtocol[]> {
    const open = await this.#options.store.open();
    return availableProtocols(await this.#options.facts()).map((protocol) => {
      const { target_device: device, protocol_name: name } = protocol;
      const session = open.find((one) => one.target_device === device && one.protocol_name === name);
      return session === undefined ? protocol : { ...protocol, open_session: session.session_id };
    });
  }

  /** @throws ApiError session_refused, session_exists */
  begin(device: string, protocolName: string): Promise<SessionEnvelope> {
    const begun = this.#lastStart.then(() => this.#begin(device, protocolName));
    this.#lastStart = begun.catch(() => {});
    return begun;
  }

  /** @throws ApiError session_unknown */
  async get(sessionId: string): Promise<SessionEnvelope> {
    const session = await this.#find(sessionId);
    return this.#envelope(session, await this.#options.facts());
  }

  /** Calls `listener` after each attempt to continue a session, and after its end. The listener must not throw. */
  watch(sessionId: string, listener: () => void): () => void {
    const all = this.#watchers.get(sessionId) ?? new Set<() => void>();
    this.#watchers.set(sessionId, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.#watchers.delete(sessionId);
    };
  }

  /**
   * Continues with the inputs of a step. While its work runs, the input `action: stop` ends the work at once, and the request for
   * the work receives the result. `begun` is called when the inputs are valid and work begins.
   * @throws ApiError session_unknown, session_busy, session_input_invalid, session_action_failed, calibration_unusable, estimator_unusable, shutting_down
   */
  async advance(
    sessionId: string,
    values: Readonly<Record<string, unknown>>,
    begun: () => void = () => {},
  ): Promise<SessionEnvelope> {
    const current = this.#works.get(sessionId);
    if (current !== undefined && values.action === stopInput) return this.#stopWork(sessionId, current);
    if (current !== undefined) throw new ApiError('session_busy', {});
    return this.#working(sessionId, begun, async (work) => {
      try {
        const { working: _, ...session } = await this.#find(sessionId);
        if (session.status !== 'in_progress') return await this.#saved(session, await this.#options.facts());
        return await this.#advanceMarked(session, values, work);
      } catch (error) {
        if (error instanceof InvalidInput)
          throw new ApiError('session_input_invalid', { cause: error.problem, field: error.field });
        throw error;
      }
    });
  }

  async #stopWork(sessionId: string, work: Work): Promise<SessionEnvelope> {
    // Also work that has not begun yet, so that there is nothing to stop.
    work.cut ??= 'stopped';
    await this.#find(sessionId);
    await this.#options.actions.stop(sessionId);
    await work.ended.promise;
    return this.get(sessionId);
  }

  /** Ends a session; resolves when its outputs are off. An ended session stays unchanged. @throws ApiError session_unknown */
  async abort(sessionId: string): Promise<SessionEnvelope> {
    await this.#find(sessionId);
    for (let work = this.#works.get(sessionId); work !== undefined; work = this.#works.get(sessionId)) {
      work.cut = 'aborted';
      await this.#options.actions.stop(sessionId);
      await work.ended.promise;
    }
    return this.#end(sessionId, 'Cancelled on request');
  }

  /** Counts as work until it is on disk, so that no request continues the session in the meantime. */
  #end(sessionId: string, why: string): Promise<SessionEnvelope> {
    return this.#working(
      sessionId,
      () => {},
      async () => {
        const session = await this.#find(sessionId);
        const facts = await this.#options.facts();
        if (session.status !== 'in_progress') return this.#envelope(session, facts);
        return this.#saved({ ...session, status: 'aborted', error: why }, facts);
      },
    );
  }

  /** Ends the sessions without an answer for an hour. */
  async #endAbandoned(): Promise<void> {
    const { clock, store, warn } = this.#options;
    const nowMs = clock.monotonic();
    for (const session of await store.open()) {
      const { session_id: id, protocol_name: protocol, target_device: device, updatedAtMs } = session;
      // Of an earlier run of the node only the time of day is known.
      const sinceMs = this.#quietSinceMs.get(id) ?? nowMs - Math.max(0, clock.now() - updatedAtMs);
      this.#quietSinceMs.set(id, sinceMs);
      if (this.#works.has(id) || nowMs - sinceMs < abandonedAfterMs) continue;
      await this.#end(id, 'It had no answer for an hour.');
      warn(`The calibration session ${protocol} of ${device} (${id}) was ended: it had no answer for an hour.`);
    }
  }

  #endAllAbandoned(): void {
    this.#ending = this.#ending
      .then(() => this.#endAbandoned())
      .catch((error: unknown) =>
        this.#options.warn(`Abandoned calibration sessions could not be ended: ${failureText(error)}`),
      );
  }

  /** One at a time for each session: another request is refused in the meantime. */
  async #working<Result>(sessionId: string, begun: () => void, doIt: (work: Work) => Promise<Result>): Promise<Result> {
    const work: Work = {
      begun,
      label: undefined,
      fraction: 0,
      cut: undefined,
      isMarked: false,
      ended: Promise.withResolvers(),
    };
    this.#works.set(sessionId, work);
    try {
      return await doIt(work);
    } finally {
      this.#works.delete(sessionId);
      this.#quietSinceMs.set(sessionId, this.#options.clock.monotonic());
      work.ended.resolve();
      for (const listener of this.#watchers.get(sessionId) ?? []) listener();
    }
  }

  async start(): Promise<void> {
    this.#endAllAbandoned();
    this.#cancelCheck = this.#options.clock.every(checkEveryMs, () => this.#endAllAbandoned());
  }

  /** Jobs have ended by then, and with them the work of sessions. */
  async stop(): Promise<void> {
    this.#cancelCheck();
    await this.#ending;
    await Promise.all([...this.#works.values()].map(({ ended }) => ended.promise));
  }

  async #begin(device: string, protocolName: string): Promise<SessionEnvelope> {
    const { facts: known, store, newId, clock } = this.#options;
    const now = () => clock.now();
    const facts = await known();
    const protocol = protocolFor(device, protocolName, facts);
    if (protocol === undefined)
      throw new ApiError('session_refused', { cause: `This unit has no protocol ${protocolName} for ${device}.` });
    const refusal = protocol.refusal(device, facts);
    if (refusal !== undefined) {
      const jobs = blockingJobs(protocol, device, facts).map((job_name) => ({ job_name }));
      throw new ApiError('session_refused', { cause: refusal }, jobs.length > 0 ? jobs : undefined);
    }
    const open = (await store.open()).find(({ target_device }) => target_device === device);
    if (open !== undefined) throw existing(open);
    const { stepId, data } = protocol.start(device, facts);
    const session: StoredSession = {
      session_id: newId(),
      protocol_name: protocolName,
      target_device: device,
      status: 'in_progress',
      step_id: stepId,
      data,
      createdAtMs: Math.floor(now()),
      updatedAtMs: Math.floor(now()),
      result: null,
      error: null,
    };
    return this.#saved(session, facts);
  }

  /** A refused or failed step leaves no mark of its work, unless the node ends. */
  async #advanceMarked(
    session: StoredSession,
    values: Readonly<Record<string, unknown>>,
    work: Work,
  ): Promise<SessionEnvelope> {
    try {
      return await this.#advance(session, values, work);
    } catch (error) {
      if (work.isMarked && !this.#options.isEnding()) await this.#options.store.save(session);
      throw error;
    }
  }

  async #advance(
    session: StoredSession,
    values: Readonly<Record<string, unknown>>,
    work: Work,
  ): Promise<SessionEnvelope> {
    let facts = await this.#options.facts();
    const protocol = protocolOf(session, facts);
    const state = stateOf(session);
    const inputs = new StepInputs(protocol.step(state, facts).fields, values);
    let next = protocol.advance(state, inputs, facts);
    while (next.kind === 'act') {
      next = await this.#act(session, next, work);
      facts = await this.#options.facts();
    }
    // Aborted in the meantime: do not continue.
    if (work.cut === 'aborted') throw cutError('Session', work.cut);
    if (next.kind === 'step')
      return this.#saved({ ...session, step_id: next.stepId, data: { ...session.data, ...next.data } }, facts);
    return this.#finish(session, next, facts);
  }

  async #act(session: StoredSession, { action, label, proceed }: ActionStep, work: Work): Promise<Advance> {
    work.label = label;
    work.fraction = 0;
    try {
      const perform = this.#options.actions.accept(session.session_id, action);
      // A start of the unit must find that this work was cut.
      work.isMarked = true;
      await this.#options.store.save({ ...session, working: label });
      // The work had not begun when it was cut.
      if (work.cut !== undefined) throw cutError(label, work.cut);
      work.begun();
      const result = await perform((fraction) => {
        work.fraction = fraction;
      });
      work.label = undefined;
      return proceed(result);
    } catch (error) {
      if (error instanceof InvalidInput || (error instanceof ApiError && error.code === 'shutting_down')) throw error;
      if (work.cut === 'aborted') throw cutError(label, work.cut);
      throw new ApiError('session_action_failed', { action: label, cause: failureText(error) });
    }
  }

  async #finish(session: StoredSession, { files, data, result }: Finishing, facts: ProtocolFacts) {
    const links: SessionFileLink[] = [];
    // All or none: those of a session belong together.
    for (const file of files) this.#expectUsable(file);
    for (const file of files) links.push(await this.#keep(file));
    const ended: StoredSession = {
      ...session,
      status: 'complete',
      step_id: 'complete',
      data: { ...session.data, ...data },
      result: result(links),
    };
    return this.#saved(ended, facts);
  }

  #expectUsable(file: SessionFile): void {
    const { calibrations, estimators } = this.#options;
    if (file.kind === 'calibration') calibrations.expectUsable(file.content);
    else estimators.expectUsable(file.content);
  }

  async #keep(file: SessionFile): Promise<SessionFileLink> {
    const { calibrations, estimators } = this.#options;
    const { device } = file;
    const stored =
      file.kind === 'calibration'
        ? await calibrations.store(device, file.content, writeCalibration(file.content), true)
        : await estimators.store(device, file.content, writeEstimator(file.content), true);
    return { device, name: stored.name, path: stored.path };
  }

  async #find(sessionId: string): Promise<StoredSession> {
    const session = await this.#options.store.find(sessionId);
    if (session === undefined) throw new ApiError('session_unknown', { session: sessionId });
    return session;
  }

  async #saved(session: StoredSession, facts: ProtocolFacts): Promise<SessionEnvelope> {
    await this.#options.store.save(session);
    this.#quietSinceMs.set(session.session_id, this.#options.clock.monotonic());
    return this.#envelope({ ...session, updatedAtMs: Math.floor(this.#options.clock.now()) }, facts);
  }

  #envelope(session: StoredSession, facts: ProtocolFacts): SessionEnvelope {
    const { createdAtMs, updatedAtMs, working: _, ...stored } = session;
    const times = { created_at: toTimestamp(createdAtMs), updated_at: toTimestamp(updatedAtMs) };
    return {
      session: { ...stored, data: { ...stored.data }, ...times },
      step: this.#step(session, facts),
    };
  }

  #step(session: StoredSession, facts: ProtocolFacts): SessionStep | null {
    if (session.status === 'complete') return completeStep(session.result);
    if (session.status !== 'in_progress')
      return stepOf('ended', 'info', { title: 'The session has ended', body: session.error });
    const { target_device: device, step_id } = session;
    const protocol = protocolFor(device, session.protocol_name, facts);
    if (protocol === undefined) return null;
    const shown = protocol.step(stateOf(session), facts);
    // At the begin, and before each piece of work that nothing but a button starts.
    const isAsking = step_id === protocol.start(device, facts).stepId || shown.step_type === 'action';
    const step = withEffect(shown, isAsking ? experimentEffect(protocol, device, facts) : undefined);
    const work = this.#works.get(session.session_id);
    if (work?.label !== undefined) {
      const progress = { fraction: work.fraction, message: work.label };
      return { ...step, metadata: { ...step.metadata, progress } };
    }
    return session.working === undefined || work !== undefined ? step : withCut(step, session.working);
  }
}

/** The refusal of a second session of a device: names the one that is open, and the ways on. */
function existing({ session_id, protocol_name, target_device, step_id, updatedAtMs }: StoredSession): ApiError {
  const path = `/unit_api/calibrations/sessions/${session_id}`;
  const updated_at = toTimestamp(updatedAtMs);
  const ways = { resume_path: path, abort_path: `${path}/abort` };
  const open: OpenSession = { session_id, protocol_name, target_device, step_id, updated_at, ...ways };
  const named = { device: target_device, session: session_id, protocol: protocol_name, changed: updated_at };
  return new ApiError('session_exists', named, [open]);
}

/** The unit has ended in the middle of this work, and its outputs are off. */
const withCut = (step: SessionStep, label: string): SessionStep => ({
  ...step,
  metadata: {
    ...step.metadata,
    notice: `The unit ended during this work: ${label}. All outputs are off. Do this step again.`,
  },
});

/** The result without a title is a stored calibration. */
function completeStep(result: StoredSession['result']): SessionStep {
  const body = `${result?.title ?? 'The result is stored and in use'}.`;
  return stepOf('complete', 'result', { title: 'Done', body, metadata: { result } });
}

const stateOf = ({ target_device: device, step_id: stepId, data }: StoredSession): ProtocolState => ({
  device,
  stepId,
  data: new SessionData(data),
});

/** @throws InvalidInput when the configuration of the unit has changed in the meantime */
function protocolOf({ target_device: device, protocol_name: name }: StoredSession, facts: ProtocolFacts): Protocol {
  const protocol = protocolFor(device, name, facts);
  if (protocol === undefined) throw new InvalidInput(`The configuration of the unit has no ${device} any more.`);
  return protocol;
}
