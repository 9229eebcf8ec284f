import { taskEvent } from '@lcs/node';
import type { Cancel, Clock, Service, TaskRecord, TaskRunner } from '@lcs/platform';
import type { LivePublisher } from '../core/leader-context.ts';

export interface TaskEventsOptions {
  readonly tasks: Pick<TaskRunner, 'onChange'>;
  readonly live: LivePublisher;
  readonly wire: Pick<Clock, 'after'>;
}

/** The shortest time between two live events of a task whose status does not change. */
const intervalMs = 250;

interface Published {
  readonly status: TaskRecord['status'];
  /** A later state, to be published when the interval is over. */
  newest: TaskRecord | undefined;
  readonly cancelTimer: Cancel;
}

/** Publishes tasks as they change: a new status at once, progress four times a second at most. */
export class TaskEvents implements Service {
  readonly name = 'live events of tasks';
  readonly #options: TaskEventsOptions;
  /** What was published within the last interval, by task. */
  readonly #recent = new Map<string, Published>();
  #unsubscribe = (): void => {};

  constructor(options: TaskEventsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#options.tasks.onChange((record) => this.#changed(record));
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    for (const { cancelTimer } of this.#recent.values()) cancelTimer();
    this.#recent.clear();
  }

  #changed(record: TaskRecord): void {
    const recent = this.#recent.get(record.taskId);
    if (recent?.status === record.status) {
      recent.newest = record;
      return;
    }
    recent?.cancelTimer();
    this.#publish(record);
  }

  #publish(record: TaskRecord): void {
    const { live, wire } = this.#options;
    const { taskId, status } = record;
    const event = taskEvent(record);
    if (event !== undefined) live.publish('task', taskId, event);
    this.#recent.delete(taskId);
    if (record.finishedAt !== null) return;
    const cancelTimer = wire.after(intervalMs, () => {
      const newest = this.#recent.get(taskId)?.newest;
      this.#recent.delete(taskId);
      if (newest !== undefined) this.#publish(newest);
    });
    this.#recent.set(taskId, { status, newest: undefined, cancelTimer });
  }
}
