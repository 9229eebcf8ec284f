import { AcceptedTask, type ErrorCode, errorTable, FinishedTask } from '@lcs/contract';
import { Value } from 'typebox/value';
import { type NodeName, nodeNames } from './known.ts';

interface Followed {
  readonly node: NodeName;
  readonly taskId: string;
  readonly operation: string;
}

/** Words for why a unit gave nothing. */
const kinds = [
  ...['connection_error', 'http_error', 'decode_error', 'invalid_response', 'locked'],
  ...['task_failed', 'task_incomplete', 'task_timeout', 'task_exception'],
];

/** Real units are there all the time: they may refuse, but not be missing or give what is not declared. */
const refusals: readonly string[] = ['http_error', 'task_failed', 'locked', 'task_timeout'];

/** No task may fail like this: it would be a mistake of the program. */
const mistakes: readonly string[] = ['internal_error'];

const isDeclared = (code: string): code is ErrorCode => code in errorTable && !mistakes.includes(code);

/** Outcomes by unit, where a result has them. */
function* outcomesIn(result: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return;
  for (const one of Object.values(result))
    if (typeof one === 'object' && one !== null && 'ok' in one && 'unit' in one) yield one;
}

/** Follows some of the tasks that were accepted to their ends, and holds these to what is declared. */
export class FollowedTasks {
  #open: readonly Followed[] = [];
  /** How tasks ended, by operation: for people who read along. */
  readonly ends = new Map<string, number>();
  readonly ofRealUnits = { ok: 0, failed: 0 };

  get open(): number {
    return this.#open.length;
  }

  /** Which they are, for people. */
  get openOnes(): string {
    return this.#open.map(({ node, operation, taskId }) => `${node} ${operation} ${taskId}`).join(', ');
  }

  /** Followed tasks by how they ended, and what real units among them gave. */
  get summary(): string {
    const counts: Record<string, number> = { succeeded: 0, failed: 0 };
    for (const [what, count] of this.ends) {
      const [, , end = ''] = what.split(' ');
      if (end in counts) counts[end] = (counts[end] ?? 0) + count;
    }
    const { ok, failed } = this.ofRealUnits;
    return `${counts.succeeded} succeeded, ${counts.failed} failed; of real units ${ok} outcomes ok, ${failed} failed`;
  }

  /** Takes in how others ended. */
  add(other: FollowedTasks): void {
    for (const [what, count] of other.ends) this.ends.set(what, (this.ends.get(what) ?? 0) + count);
    this.ofRealUnits.ok += other.ofRealUnits.ok;
    this.ofRealUnits.failed += other.ofRealUnits.failed;
  }

  /** Notes an accepted task; some answers accept nothing. */
  note(node: NodeName, operation: string, answer: unknown): void {
    if (Value.Check(AcceptedTask, answer) && answer.unit === nodeNames[node])
      this.#open = [...this.#open, { node, taskId: answer.task_id, operation }];
  }

  /** Asks for all of them once. */
  async poll(ask: (node: NodeName, taskId: string) => Promise<{ readonly status: number; readonly json: unknown }>) {
    const asked = this.#open.map(async (followed) => {
      const { status, json } = await ask(followed.node, followed.taskId);
      if (status === 202) return [followed];
      this.#check(followed, status, json);
      return [];
    });
    this.#open = (await Promise.all(asked)).flat();
  }

  #check({ operation, node }: Followed, status: number, task: unknown): void {
    const text = `${node} ${operation}: ${status} ${JSON.stringify(task).slice(0, 600)}`;
    if (status !== 200 || !Value.Check(FinishedTask, task)) throw new Error(`no end of a task: ${text}`);
    this.#count(`${node} ${operation} ${task.status}${task.status === 'failed' ? ` ${task.code}` : ''}`);
    if (task.status === 'failed') {
      if (!isDeclared(task.code)) throw new Error(`a task failed with what is not declared: ${text}`);
      return;
    }
    for (const { ok, unit, error } of outcomesIn(task.result)) {
      const kind = Object(error).kind;
      if (ok !== true && !kinds.includes(String(kind))) throw new Error(`an outcome of no kind: ${text}`);
      if (!String(unit).startsWith('real')) continue;
      this.ofRealUnits[ok === true ? 'ok' : 'failed'] += 1;
      if (ok === true) continue;
      if (!refusals.includes(String(kind))) throw new Error(`a real unit gave no outcome: ${text}`);
      this.#count(`  ${operation} ${kind} ${Object(error).message}`);
    }
  }

  #count(what: string): void {
    this.ends.set(what, (this.ends.get(what) ?? 0) + 1);
  }
}
