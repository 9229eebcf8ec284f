import { openSessionIn, ProblemError, type SessionEnvelope, type SessionStep } from '@lcs/contract';
import { type Clock, realClock } from '@lcs/platform';
import type { Command } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { actionsOf, progressOf, questionOf, resultLines, tableOf } from '../session-words.ts';
import { TypedLines } from '../typed-lines.ts';

interface SessionOptions extends ConnectionOptions {
  readonly resume?: string;
}

type Inputs = Readonly<Record<string, unknown>>;

/** So often it is looked how far the work of a step is. */
const lookEveryMs = 1_000;

/** What a person wants in a step: go on with inputs, or end the session. */
type Answer = { readonly inputs: Inputs } | 'abort' | 'gone';

/** Somebody has asked the program to end. */
class Interrupted extends Error {}

/** One session at a terminal, or by lines of JSON. */
class Dialogue {
  readonly #io: ProgramIo;
  readonly #leader: Connected;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #isJson: boolean;
  readonly #lines: TypedLines;
  readonly #params: { readonly reactor_unit: string; readonly session_id: string };
  readonly #interruption = Promise.withResolvers<never>();

  constructor(
    io: ProgramIo,
    leader: Connected,
    lines: TypedLines,
    isJson: boolean,
    params: { readonly reactor_unit: string; readonly session_id: string },
  ) {
    this.#io = io;
    this.#leader = leader;
    this.#clock = realClock();
    this.#lines = lines;
    this.#isJson = isJson;
    this.#params = params;
    // Nobody may be waiting when it comes.
    this.#interruption.promise.catch(() => {});
  }

  /** Ends it, with what the unit is doing for it. */
  interrupt(): void {
    this.#interruption.reject(new Interrupted());
  }

  /** Goes through the steps until the session has ended, or the program is asked to end. @throws CommandFailure */
  async walk(first: SessionEnvelope): Promise<void> {
    try {
      await Promise.race([this.#walk(first), this.#interruption.promise]);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      throw await this.#cancelled();
    }
  }

  /** Ends the session for somebody who has asked the program to end; tells what became of it. */
  async #cancelled(): Promise<CommandFailure> {
    this.#say('\nThe session is being cancelled…\n');
    const { reactor_unit: unit, session_id: id } = this.#params;
    const told = await this.#abort().then(
      ({ session: { status } }): CommandFailure['report'] => ({
        error: status === 'complete' ? 'The session was complete already.' : 'The session is cancelled.',
        cause: status === 'complete' ? 'What it made is in use.' : 'The outputs are off, and nothing was stored.',
        remediation: 'See what there is: lcs calibrations',
      }),
      (error: unknown): CommandFailure['report'] => ({
        error: 'The session could not be cancelled: what the unit does for it goes on to its end.',
        cause: error instanceof Error ? error.message : String(error),
        remediation: `Try again: lcs calibrations abort ${unit} ${id}`,
      }),
    );
    return new CommandFailure(told, { endsProcess: true });
  }

  async #walk(first: SessionEnvelope): Promise<void> {
    let envelope = first;
    this.#show(envelope);
    while (envelope.session.status === 'in_progress') {
      const answer = this.#isJson ? await this.#jsonAnswer() : await this.#answer(envelope.step);
      if (answer === 'gone') throw this.#leftOpen();
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
      remediation: 'Begin another one when you are ready.',
    });
  }

  #leftOpen(): CommandFailure {
    const { reactor_unit: unit, session_id: id } = this.#params;
    return new CommandFailure({
      error: 'The session is still open.',
      cause: 'Nothing more was typed.',
      remediation: `Go on with it: lcs calibrations session ${unit} --resume ${id}`,
    });
  }

  #abort(): Promise<SessionEnvelope> {
    return this.#leader.abortCalibrationSession({ params: this.#params });
  }

  #say(text: string): void {
    if (!this.#isJson) this.#io.stdout.write(text);
  }

  #show(envelope: SessionEnvelope): void {
    if (this.#isJson) {
      printJson(this.#io, envelope);
      return;
    }
    const { step, session } = envelope;
    if (step === null) return;
    this.#say(`\n${printable(step.title ?? step.step_id)}\n`);
    if (step.body !== null) this.#say(`${printable(step.body)}\n`);
    const table = tableOf(step);
    if (table !== undefined) printTable(this.#io, table.columns, table.rows);
    if (session.status === 'complete')
      for (const line of resultLines(session.result)) this.#say(`${printable(line)}\n`);
  }

  /** One line of JSON: the inputs of a step, or `"abort"`. @throws CommandFailure */
  async #jsonAnswer(): Promise<Answer> {
    const line = await this.#lines.take();
    if (line === undefined) return 'gone';
    const said = parsed(line);
    if (said === 'abort') return 'abort';
    if (typeof said === 'object' && said !== null && !Array.isArray(said)) return { inputs: { ...said } };
    throw new CommandFailure({
      error: 'A line is not what a step takes.',
      cause: `It is: ${line.slice(0, 80)}`,
      remediation: 'Give one JSON object with the inputs of the step on each line, {} to go on, or "abort".',
    });
  }

  async #answer(step: SessionStep | null): Promise<Answer> {
    const actions = step === null ? [] : actionsOf(step);
    const others = actions.map(({ label }, at) => `${at + 1}: ${label}`);
    const hint = ['Enter: go on', ...others, 'abort: end the session'].join('; ');
    if (step === null || step.fields.length === 0 || actions.length > 0) {
      this.#say(`(${printable(hint)}) `);
      const line = await this.#lines.take();
      if (line === undefined) return 'gone';
      if (line.trim() === 'abort') return 'abort';
      const chosen = actions[Number(line.trim()) - 1];
      if (line.trim() !== '' && chosen !== undefined) return { inputs: chosen.inputs };
    }
    const inputs: Record<string, unknown> = {};
    for (const field of step?.fields ?? []) {
      this.#say(printable(questionOf(field)));
      const line = await this.#lines.take();
      if (line === undefined) return 'gone';
      if (line.trim() === 'abort') return 'abort';
      // What a form suggests for a measured value has to be sent.
      inputs[field.name] = line.trim() === '' ? field.default : line.trim();
    }
    return { inputs };
  }

  /** Undefined: the step did not take it; why was said. */
  async #give(inputs: Inputs): Promise<SessionEnvelope | undefined> {
    const over = new AbortController();
    const work = this.#leader.advanceCalibrationSession({ params: this.#params, body: { inputs } });
    const ended = work.then(
      () => over.abort(),
      () => over.abort(),
    );
    void this.#listenForStop(over.signal);
    await Promise.all([ended, this.#tellProgress(over.signal)]);
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status >= 500 || error.status === 404) throw error;
      const { error: what, cause, remediation, code } = error.body;
      if (this.#isJson) printJson(this.#io, { problem: { error: what, cause, remediation, code } });
      else this.#say(`${printable(what)}\n`);
      return undefined;
    }
  }

  /** `stop` while the unit works ends the work, and not the session. */
  async #listenForStop(signal: AbortSignal): Promise<void> {
    const line = await this.#lines.peek();
    if (signal.aborted || line === undefined || !['stop', '"stop"'].includes(line.trim())) return;
    await this.#lines.take();
    const stop = { params: this.#params, body: { inputs: { action: 'stop' } } };
    await this.#leader.advanceCalibrationSession(stop).catch((error: unknown) => {
      this.#io.stderr.write(`lcs: It could not be stopped: ${String(error)}\n`);
    });
  }

  async #tellProgress(signal: AbortSignal): Promise<void> {
    let told: string | undefined;
    while (!signal.aborted) {
      await this.#clock.sleep(lookEveryMs, signal).catch(() => {});
      if (signal.aborted) return;
      const seen = await this.#leader.getCalibrationSession({ params: this.#params }).catch(() => undefined);
      const now = seen === undefined ? undefined : progressOf(seen);
      if (now !== undefined && now !== told)
        this.#say(`${printable(now)}${told === undefined ? ' (stop: ends it)' : ''}\n`);
      told = now ?? told;
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
        remediation: `Go on with it: lcs calibrations session ${unit} --resume ${open}\nOr end it: lcs calibrations abort ${unit} ${open}`,
      });
    }
  }
  throw new CommandFailure({
    error: 'A session needs a device and a protocol, or --resume.',
    cause: 'They say what is to be done.',
    remediation: `See what there is: lcs calibrations protocols ${unit}`,
  });
}

async function session(
  io: ProgramIo,
  unit: string,
  words: readonly (string | undefined)[],
  options: SessionOptions,
): Promise<void> {
  if (io.typed === undefined) throw new Error('Nobody can answer the questions of a session here.');
  const leader = connect(options);
  const first = await begin(leader, unit, words, options);
  const params = { reactor_unit: unit, session_id: first.session.session_id };
  const lines = new TypedLines(io.typed());
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
    // A line that nobody types any more is not waited for; nor does it matter how that ends.
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
    .option('--resume <session>', 'go on with one that is open')
    .action((unit: string, device: string | undefined, protocol: string | undefined, options: SessionOptions) =>
      session(io, unit, [device, protocol], options),
    );
  withConnection(group.command('abort').description('end a session; what runs is switched off'), io)
    .argument('<unit>', 'a worker')
    .argument('<session>', 'its id')
    .action(async (unit: string, id: string, options: ConnectionOptions) => {
      const params = { reactor_unit: unit, session_id: id };
      const ended = await connect(options).abortCalibrationSession({ params });
      if (options.json) printJson(io, ended);
      else io.stdout.write(`The session is ${ended.session.status}.\n`);
    });
}
