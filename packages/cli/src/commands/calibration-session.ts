import { openSessionIn, ProblemError, type SessionEnvelope, type SessionStep } from '@lcs/contract';
import { type Clock, realClock } from '@lcs/platform';
import type { Command } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { InputLines } from '../input-lines.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { actionsOf, progressOf, promptOf, resultLines, tableOf } from '../session-text.ts';

interface SessionOptions extends ConnectionOptions {
  readonly resume?: string;
}

type Inputs = Readonly<Record<string, unknown>>;

/** Poll interval of the progress of a step. */
const pollMs = 1_000;

/** Input of a step: continue with these values, or end the session. */
type Answer = { readonly inputs: Inputs } | 'abort' | 'end of input';

/** The process received a signal to end. */
class Interrupted extends Error {}

/** One session on a terminal, or with lines of JSON. */
class Dialogue {
  readonly #io: ProgramIo;
  readonly #leader: Connected;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #isJson: boolean;
  readonly #lines: InputLines;
  readonly #params: { readonly reactor_unit: string; readonly session_id: string };
  readonly #interruption = Promise.withResolvers<never>();

  constructor(
    io: ProgramIo,
    leader: Connected,
    lines: InputLines,
    isJson: boolean,
    params: { readonly reactor_unit: string; readonly session_id: string },
  ) {
    this.#io = io;
    this.#leader = leader;
    this.#clock = realClock();
    this.#lines = lines;
    this.#isJson = isJson;
    this.#params = params;
    // A rejection that no one awaits is not an error.
    this.#interruption.promise.catch(() => {});
  }

  /** Ends the session and the work that the unit does for it. */
  interrupt(): void {
    this.#interruption.reject(new Interrupted());
  }

  /** Runs the steps until the session has ended, or the process receives a signal to end. @throws CommandFailure */
  async walk(first: SessionEnvelope): Promise<void> {
    try {
      await Promise.race([this.#walk(first), this.#interruption.promise]);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      throw await this.#cancelled();
    }
  }

  /** Cancels the session after a signal; returns the outcome. */
  async #cancelled(): Promise<CommandFailure> {
    this.#print('\nThe session is being cancelled…\n');
    const { reactor_unit: unit, session_id: id } = this.#params;
    const report = await this.#abort().then(
      ({ session: { status } }): CommandFailure['report'] => ({
        error: status === 'complete' ? 'The session was complete already.' : 'The session is cancelled.',
        cause: status === 'complete' ? 'Its calibration is in use.' : 'The outputs are off. The unit stored nothing.',
        remediation: 'List the calibrations: lcs calibrations',
      }),
      (error: unknown): CommandFailure['report'] => ({
        error: 'The session could not be cancelled: the unit finishes the work of the current step.',
        cause: error instanceof Error ? error.message : String(error),
        remediation: `Try again: lcs calibrations abort ${unit} ${id}`,
      }),
    );
    return new CommandFailure(report, { endsProcess: true });
  }

  async #walk(first: SessionEnvelope): Promise<void> {
    let envelope = first;
    this.#show(envelope);
    while (envelope.session.status === 'in_progress') {
      const answer = this.#isJson ? await this.#jsonAnswer() : await this.#answer(envelope.step);
      if (answer === 'end of input') throw this.#leftOpen();
      const next = answer === 'abort' ? await this.#abort() : await this.#give(answer.inputs);
      if (next === undefined) continue;
      envelope = next;
      this.#show(envelope);
    }
    const { status, error } = envelope.session;
    if (status === 'complete') return;
    throw new CommandFailure({
      error: 'The session has ended without a result.',
      cause: error ?? status,
      remediation: 'Start a new session.',
    });
  }

  #leftOpen(): CommandFailure {
    const { reactor_unit: unit, session_id: id } = this.#params;
    return new CommandFailure({
      error: 'The session is still open.',
      cause: 'The input has ended.',
      remediation: `Continue it: lcs calibrations session ${unit} --resume ${id}`,
    });
  }

  #abort(): Promise<SessionEnvelope> {
    return this.#leader.abortCalibrationSession({ params: this.#params });
  }

  #print(text: string): void {
    if (!this.#isJson) this.#io.stdout.write(text);
  }

  #show(envelope: SessionEnvelope): void {
    if (this.#isJson) {
      printJson(this.#io, envelope);
      return;
    }
    const { step, session } = envelope;
    if (step === null) return;
    this.#print(`\n${printable(step.title ?? step.step_id)}\n`);
    if (step.metadata.notice !== undefined) this.#print(`${printable(step.metadata.notice)}\n`);
    if (step.body !== null) this.#print(`${printable(step.body)}\n`);
    const table = tableOf(step);
    if (table !== undefined) printTable(this.#io, table.columns, table.rows);
    if (session.status === 'complete')
      for (const line of resultLines(session.result)) this.#print(`${printable(line)}\n`);
  }

  /** One line of JSON: the inputs of a step, or `"abort"`. @throws CommandFailure */
  async #jsonAnswer(): Promise<Answer> {
    const line = await this.#lines.take();
    if (line === undefined) return 'end of input';
    const parsedLine = parsed(line);
    if (parsedLine === 'abort') return 'abort';
    if (typeof parsedLine === 'object' && parsedLine !== null && !Array.isArray(parsedLine))
      return { inputs: { ...parsedLine } };
    throw new CommandFailure({
      error: 'The line is not a valid input of a step.',
      cause: `It is: ${line.slice(0, 80)}`,
      remediation: 'Write one JSON object with the inputs of the step on each line, {} to continue, or "abort".',
    });
  }

  async #answer(step: SessionStep | null): Promise<Answer> {
    const actions = step === null ? [] : actionsOf(step);
    const others = actions.map(({ label }, at) => `${at + 1}: ${label}`);
    const hint = ['Enter: continue', ...others, 'abort: end the session'].join('; ');
    if (step === null || step.fields.length === 0 || actions.length > 0) {
      this.#print(`(${printable(hint)}) `);
      const line = await this.#lines.take();
      if (line === undefined) return 'end of input';
      if (line.trim() === 'abort') return 'abort';
      const chosen = actions[Number(line.trim()) - 1];
      if (line.trim() !== '' && chosen !== undefined) return { inputs: chosen.inputs };
    }
    const inputs: Record<string, unknown> = {};
    for (const field of step?.fields ?? []) {
      this.#print(printable(promptOf(field)));
      const line = await this.#lines.take();
      if (line === undefined) return 'end of input';
      if (line.trim() === 'abort') return 'abort';
      // The suggested default of a measured value must be sent.
      inputs[field.name] = line.trim() === '' ? field.default : line.trim();
    }
    return { inputs };
  }

  /** Undefined: the step refused the inputs; the reason is printed. */
  async #give(inputs: Inputs): Promise<SessionEnvelope | undefined> {
    const over = new AbortController();
    const work = this.#leader.advanceCalibrationSession({ params: this.#params, body: { inputs } });
    const ended = work.then(
      () => over.abort(),
      () => over.abort(),
    );
    void this.#listenForStop(over.signal);
    await Promise.all([ended, this.#showProgress(over.signal)]);
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status >= 500 || error.status === 404) throw error;
      const { error: what, cause, remediation, code } = error.body;
      if (this.#isJson) printJson(this.#io, { problem: { error: what, cause, remediation, code } });
      else this.#print(`${printable(what)}\n`);
      return undefined;
    }
  }

  /** The input `stop` during the work ends the work, not the session. */
  async #listenForStop(signal: AbortSignal): Promise<void> {
    const line = await this.#lines.peek();
    if (signal.aborted || line === undefined || !['stop', '"stop"'].includes(line.trim())) return;
    await this.#lines.take();
    const stop = { params: this.#params, body: { inputs: { action: 'stop' } } };
    await this.#leader.advanceCalibrationSession(stop).catch((error: unknown) => {
      this.#io.stderr.write(`lcs: The work could not be stopped: ${String(error)}\n`);
    });
  }

  async #showProgress(signal: AbortSignal): Promise<void> {
    let shownProgress: string | undefined;
    while (!signal.aborted) {
      await this.#clock.sleep(pollMs, signal).catch(() => {});
      if (signal.aborted) return;
      const seen = await this.#leader.getCalibrationSession({ params: this.#params }).catch(() => undefined);
      const now = seen === undefined ? undefined : progressOf(seen);
      if (now !== undefined && now !== shownProgress)
        this.#print(`${printable(now)}${shownProgress === undefined ? ' (stop: ends it)' : ''}\n`);
      shownProgress = now ?? shownProgress;
    }
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function begin(
  leader: Connected,
  unit: string,
  [device, protocol]: readonly (string | undefined)[],
  { resume }: SessionOptions,
): Promise<SessionEnvelope> {
  if (resume !== undefined) return leader.getCalibrationSession({ params: { reactor_unit: unit, session_id: resume } });
  if (device !== undefined && protocol !== undefined) {
    const body = { target_device: device, protocol_name: protocol };
    try {
      return await leader.startCalibrationSession({ params: { reactor_unit: unit }, body });
    } catch (error) {
      const open = openSessionIn(error);
      if (!(error instanceof ProblemError) || open === undefined) throw error;
      throw new CommandFailure({
        error: error.body.error,
        cause: error.body.cause,
        remediation: `Continue it: lcs calibrations session ${unit} --resume ${open}\nOr end it: lcs calibrations abort ${unit} ${open}`,
      });
    }
  }
  throw new CommandFailure({
    error: 'A session needs a device and a protocol, or --resume.',
    cause: 'They select the procedure.',
    remediation: `List the protocols: lcs calibrations protocols ${unit}`,
  });
}

async function session(
  io: ProgramIo,
  unit: string,
  procedure: readonly (string | undefined)[],
  options: SessionOptions,
): Promise<void> {
  if (io.input === undefined) throw new Error('A session needs an input; this process has none.');
  const leader = connect(options);
  const first = await begin(leader, unit, procedure, options);
  const params = { reactor_unit: unit, session_id: first.session.session_id };
  const lines = new InputLines(io.input());
  const dialogue = new Dialogue(io, leader, lines, options.json === true, params);
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    io.onSignal(signal, () => {
      isInterrupted = true;
      dialogue.interrupt();
    });
  try {
    await dialogue.walk(first);
  } finally {
    const closed = lines.close();
    // The pending read is not awaited, and its result is not used.
    if (isInterrupted) closed.catch(() => {});
    else await closed;
  }
}

/** Adds `session` and `abort` to `lcs calibrations`. */
export function addSessionCommands(group: Command, io: ProgramIo): void {
  withConnection(
    group
      .command('session')
      .description('a guided session, step by step; with --json one line of inputs for each step'),
    io,
  )
    .argument('<unit>', 'a worker')
    .argument('[device]', 'media_pump, stirring, od90, od, unit, …')
    .argument('[protocol]', 'duration_based, priming, dc_based, standards, blank, self_test, …')
    .option('--resume <session>', 'continue an open session')
    .action((unit: string, device: string | undefined, protocol: string | undefined, options: SessionOptions) =>
      session(io, unit, [device, protocol], options),
    );
  withConnection(group.command('abort').description('end a session; its outputs are switched off'), io)
    .argument('<unit>', 'a worker')
    .argument('<session>', 'its id')
    .action(async (unit: string, id: string, options: ConnectionOptions) => {
      const params = { reactor_unit: unit, session_id: id };
      const ended = await connect(options).abortCalibrationSession({ params });
      if (options.json) printJson(io, ended);
      else io.stdout.write(`The session is ${ended.session.status}.\n`);
    });
}
