import { ApiError, type Json, type SessionEnvelope, type SessionStep } from '@lcs/contract';
import { answerInputs, knownInputs } from '@lcs/domain';
import { type EndReason, type Job, type JobContext, SettingRefused } from '@lcs/node';
import type { CalibrationActions } from './calibration-actions.ts';
import type { CalibrationSessions } from './calibration-sessions.ts';
import { SessionHost } from './session-host.ts';

export interface SessionJobOptions {
  readonly sessions: Pick<CalibrationSessions, 'begin' | 'get' | 'advance' | 'abort' | 'watch'>;
  readonly actions: Pick<CalibrationActions, 'host'>;
  /** Device and protocol of the session that the options of a start ask for; undefined: the device is missing. */
  readonly sessionFor: (
    options: JobContext['options'],
  ) => { readonly device: string; readonly protocol: string } | undefined;
  /** Whether the job can continue an open session of this device and protocol. */
  readonly accepts: (device: string, protocol: string) => boolean;
}

type Values = Readonly<Record<string, Json>>;

const answerSetting = 'answer';

/** Options that are not answers. */
const ownOptions: ReadonlySet<string> = new Set(['device', 'protocol', 'session']);

/** An answer has no field names: the reason names the field of the step. */
const causeOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.code === 'session_input_invalid' ? error.body.error : error.body.cause;
  return error instanceof Error ? error.message : String(error);
};

function jsonOf(value: JobContext['options'][string]): Json {
  return typeof value === 'object' ? [...value] : value;
}

/** The answers in the options of the start. */
const answersIn = (options: JobContext['options']): Values =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (ownOptions.has(name) ? [] : [[name, jsonOf(value)]])),
  );

/**
 * A guided session as a job. The session holds the state: its routes and the job's setting `answer` both continue it, and the job
 * publishes its present step. The job ends with its session, and the session with the job, unless the node ends: then the
 * session stays open, as without a job.
 */
export class SessionJob implements Job {
  readonly done: Promise<void>;
  readonly #context: JobContext;
  readonly #options: SessionJobOptions;
  readonly #id: string;
  readonly #host: SessionHost;
  readonly #givenAnswers: Values;
  readonly #leave: (() => void)[];
  readonly #ended = Promise.withResolvers<void>();
  /** Steps that were answered automatically: each once, so that a person answers after a refusal or a return. */
  readonly #answeredSteps = new Set<string>();
  #envelope: SessionEnvelope;
  /** One refresh of the session at a time, so that published values are never older than the ones before. */
  #refresh: Promise<void> = Promise.resolve();

  private constructor(context: JobContext, options: SessionJobOptions, envelope: SessionEnvelope) {
    this.#context = context;
    this.#options = options;
    this.#envelope = envelope;
    this.#id = envelope.session.session_id;
    this.#host = new SessionHost(context);
    this.#givenAnswers = answersIn(context.options);
    this.done = this.#ended.promise;
    // The runtime meets it once the job is up; it may have failed by then.
    this.done.catch(() => {});
    this.#leave = [
      options.actions.host(this.#id, this.#host),
      options.sessions.watch(this.#id, () => this.#refreshSoon()),
    ];
  }

  /** @throws ApiError session_refused, session_exists, session_unknown, job_options_invalid */
  static async begin(context: JobContext, options: SessionJobOptions): Promise<SessionJob> {
    const job = new SessionJob(context, options, await opened(context, options));
    job.#refreshSoon();
    await job.#settled();
    return job;
  }

  /** Receives the answer of a person. @throws SettingRefused with the message of the step */
  async apply({ [answerSetting]: answer }: Values): Promise<void> {
    if (answer === undefined) return;
    if (answer === null) throw new SettingRefused(answerSetting, 'It cannot be empty. To continue, answer "next".');
    if (this.#host.isPaused) throw new SettingRefused(answerSetting, 'The job is paused. Resume it, then answer.');
    try {
      const { step } = await this.#options.sessions.get(this.#id);
      await this.#advance(answerInputs(step ?? { fields: [], metadata: {} }, answer));
      // The next answer must not apply to a step that continues automatically.
      await this.#settled();
    } catch (error) {
      throw new SettingRefused(answerSetting, causeOf(error));
    }
  }

  /** Stops the present work, with outputs off; its step needs another answer. */
  async sleep(): Promise<void> {
    await this.#host.pause();
  }

  async wake(): Promise<void> {
    this.#host.resume();
    await this.#advanceWithKnown();
  }

  async stop(why: EndReason): Promise<void> {
    if (why === 'stopped') await this.#options.sessions.abort(this.#id);
    for (const leave of this.#leave) leave();
  }

  /** Resolves when the inputs are taken: the step is done, or its work has begun. @throws what refuses them */
  async #advance(inputs: Values): Promise<void> {
    const begun = Promise.withResolvers<void>();
    let hasBegun = false;
    this.#context.publish('problem', null);
    const whole = this.#options.sessions.advance(this.#id, inputs, () => {
      hasBegun = true;
      begun.resolve();
    });
    whole.catch((error: unknown) => {
      // Before that, the caller receives the error.
      if (hasBegun) this.#publishProblem(error);
    });
    await Promise.race([whole, begun.promise]);
  }

  #publishProblem(error: unknown): void {
    if (this.#context.signal.aborted) return;
    const cause = causeOf(error);
    this.#context.log('WARNING', `Step ${this.#envelope.session.step_id}: ${cause}`);
    this.#context.publish('problem', cause);
  }

  /** Answers a step whose inputs are all known; a person answers after a refusal. */
  async #advanceWithKnown(): Promise<void> {
    const { session, step } = this.#envelope;
    if (session.status !== 'in_progress' || step === null || this.#host.isPaused) return;
    const inputs = knownInputs(step, this.#givenAnswers);
    if (inputs === undefined || this.#answeredSteps.has(step.step_id)) return;
    this.#answeredSteps.add(step.step_id);
    try {
      await this.#advance(inputs);
    } catch (error) {
      this.#publishProblem(error);
    }
  }

  #refreshSoon(): void {
    this.#refresh = this.#refresh
      .then(async () => {
        this.#envelope = await this.#options.sessions.get(this.#id);
        this.#show();
        await this.#advanceWithKnown();
      })
      .catch((error: unknown) => this.#ended.reject(error));
  }

  /** Resolves when a step waits for a person, or when work has begun. */
  async #settled(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.#refresh; ) {
      last = this.#refresh;
      await last;
    }
  }

  #show(): void {
    const { session, step } = this.#envelope;
    const { publish } = this.#context;
    publish('session_id', session.session_id);
    publish('step_id', session.step_id);
    publish('percent_progress', null);
    publish('instruction', step === null ? null : instructionOf(step));
    publish('fields', step === null || step.fields.length === 0 ? null : jsonText(step.fields));
    if (session.status === 'in_progress') return;
    if (session.status === 'complete') this.#context.log('NOTICE', completionText(session));
    else this.#context.log('INFO', `The session has ended without a result. ${session.error ?? ''}`.trim());
    this.#ended.resolve();
  }
}

/** A blank calibrates nothing. */
const completionText = ({ result, target_device: device }: SessionEnvelope['session']): string =>
  result?.means === undefined ? `${device} is calibrated.` : `${result.title}.`;

/** What a person reads before the answer: first what was interrupted or is implausible. */
const instructionOf = ({ title, body, metadata: { notice } }: SessionStep): string =>
  [title, notice, body].filter(Boolean).join(': ');

/** As it goes over the wire. */
const jsonText = (value: object): Json => JSON.parse(JSON.stringify(value));

/** The session of a start: a new one, or the one to continue. */
async function opened(
  { options, jobName: job }: JobContext,
  { sessions, sessionFor, accepts }: SessionJobOptions,
): Promise<SessionEnvelope> {
  const requested = sessionFor(options);
  if (typeof options.session !== 'string') {
    if (requested === undefined)
      throw new ApiError('job_options_invalid', { job, cause: 'The option device is missing.', option: 'device' });
    return sessions.begin(requested.device, requested.protocol);
  }
  const refuse = (cause: string) => new ApiError('job_options_invalid', { job, cause, option: 'session' });
  if (options.device !== undefined) throw refuse('The options device and session exclude each other.');
  const envelope = await sessions.get(options.session);
  const { status, target_device: device, protocol_name: protocol } = envelope.session;
  if (status !== 'in_progress') throw refuse(`The session ${options.session} has ended.`);
  if (!accepts(device, protocol)) throw refuse(`The session ${options.session} is one of ${device} (${protocol}).`);
  return envelope;
}
