import { AcceptedTask, type Caller, type Json } from '@lcs/contract';
import { type Clock, endsWithin, type Log, type TaskKind, type TaskRunner } from '@lcs/platform';
import { Value } from 'typebox/value';
import { resultPath } from '../routes/task-answer.ts';
import { type CommandAnswer, IdempotentCommands, keyOfCaller } from './idempotent-commands.ts';
import type { JobDatabase } from './job-registry.ts';

/** The parts of a request on which the identity of its command depends. */
interface CommandRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly caller: Caller;
}

export interface JobCommandsOptions {
  readonly tasks: TaskRunner;
  readonly database: JobDatabase;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly unit: string;
}

/** How long the answer to a completed command waits for its record. */
const rememberLimitMs = 500;

const isAccepted = (value: unknown): value is AcceptedTask => Value.Check(AcceptedTask, value);

const replayed = ({ isReplayed }: CommandAnswer<Json>): { readonly [name: string]: string } =>
  isReplayed ? { 'idempotency-replayed': 'true' } : {};

function keyIn({ headers, caller }: CommandRequest): string | undefined {
  const sent = headers['idempotency-key'];
  const key = Array.isArray(sent) ? sent.join(',') : sent;
  return keyOfCaller(key ?? null, caller) ?? undefined;
}

/** Commands for jobs that arrive by HTTP: a command with the key of an earlier one receives the earlier answer. */
export class JobCommands {
  readonly #options: JobCommandsOptions;
  readonly #memory: IdempotentCommands;

  constructor(options: JobCommandsOptions) {
    this.#options = options;
    this.#memory = new IdempotentCommands(options.database, options.clock);
  }

  /** Records a task and the answer to its command together, then queues the task. */
  async accept<Input extends Json>(
    request: CommandRequest,
    command: Json,
    kind: TaskKind<Input>,
    inputOf: () => Input | Promise<Input>,
  ) {
    const { tasks, database } = this.#options;
    const outcome = await this.#memory.once(
      keyIn(request),
      command,
      async (remember) => {
        const prepared = tasks.prepare(kind, await inputOf());
        const answer = this.#acceptedTask(prepared.taskId);
        try {
          await database.write(async (transaction) => {
            await prepared.insert(transaction);
            await remember(transaction, answer);
          });
        } catch (error) {
          prepared.abandon();
          throw error;
        }
        prepared.begin();
        return answer;
      },
      isAccepted,
    );
    return { status: 202, body: outcome.answer, headers: replayed(outcome) } as const;
  }

  /** Begins a task at once and records it afterwards. */
  async acceptNow<Input extends Json>(
    request: CommandRequest,
    command: Json,
    kind: TaskKind<Input>,
    inputOf: () => Input | Promise<Input>,
  ) {
    const outcome = await this.#memory.once(
      keyIn(request),
      command,
      async (remember) => {
        const { taskId } = await this.#options.tasks.begin(kind, await inputOf(), (id, transaction) =>
          remember(transaction, this.#acceptedTask(id)),
        );
        return this.#acceptedTask(taskId);
      },
      isAccepted,
    );
    return { status: 202, body: outcome.answer, headers: replayed(outcome) } as const;
  }

  /** Does what needs no task. A completed command is answered even if its record fails, because it is idempotent. */
  async perform<Answer extends Json>(
    request: CommandRequest,
    command: Json,
    work: () => Promise<Answer>,
    isAnswer: (value: unknown) => value is Answer,
  ) {
    const { database, log, wire } = this.#options;
    const outcome = await this.#memory.once(
      keyIn(request),
      command,
      async (remember) => {
        const answer = await work();
        if (keyIn(request) === undefined) return answer;
        const recorded = database
          .write((transaction) => remember(transaction, answer))
          .catch((error: unknown) =>
            log.warn('The answer to a command could not be recorded', { error: String(error) }),
          );
        await endsWithin(recorded, wire, rememberLimitMs);
        return answer;
      },
      isAnswer,
    );
    return { status: 202, body: outcome.answer, headers: replayed(outcome) } as const;
  }

  #acceptedTask(taskId: string) {
    const { unit } = this.#options;
    return { unit, task_id: taskId, result_url_path: resultPath(taskId), status: 'accepted' } as const;
  }
}
