import { isIPv4 } from 'node:net';
import { ApiError, Health, hasShape, type WorkerSetup } from '@lcs/contract';
import { validateUnitName } from '@lcs/domain';
import { withTimeout } from '@lcs/platform';
import { Type } from 'typebox';
import type { LeaderContext } from '../core/leader-context.ts';
import { fetchOver } from '../fleet/node-connections.ts';
import { nodeUrl } from '../fleet/unit-address.ts';
import { type ModelCatalog, registeredModel } from '../models/model-catalog.ts';
import { enrolmentOf } from '../queries/enrolments.ts';
import { workerNamed } from '../queries/workers.ts';
import { registerWorker } from './register-worker.ts';

export interface WorkerSetupOptions {
  readonly context: LeaderContext;
  readonly models: ModelCatalog;
  /** The default port of units. */
  readonly defaultPort: () => number;
}

/** Time limits in all and for the first answer, and the interval of checks whether the machine has enrolled. */
const limitMs = 90_000;
const answerMs = 5_000;
const pollMs = 100;

/** Makes machines workers: finds them, requests their enrolment, adds them. */
export class WorkerSetups {
  readonly #options: WorkerSetupOptions;
  /** Names that are being set up. */
  readonly #names = new Set<string>();

  constructor(options: WorkerSetupOptions) {
    this.#options = options;
  }

  /**
   * @throws ApiError unit_name_invalid, model_unknown, worker_address_invalid, worker_registered, worker_setup_failed,
   * worker_setup_timed_out
   */
  async run(setup: WorkerSetup, signal: AbortSignal): Promise<void> {
    const { context, models } = this.#options;
    const name = this.#checkedName(setup.name);
    const address = setup.ipv4_address?.trim() ?? '';
    if (address !== '' && !isIPv4(address)) throw new ApiError('worker_address_invalid', { address });
    const model = await registeredModel(models, { model_name: setup.model, model_version: setup.version });
    const isTaken = (await workerNamed(context.database.read, name).executeTakeFirst()) !== undefined;
    if (isTaken || this.#names.has(name)) throw new ApiError('worker_registered', { unit: name });
    this.#names.add(name);
    try {
      if (!(await this.#hasEnrolled(name))) await this.#letEnrol(name, address, signal);
      const { model_name, model_version } = model;
      await registerWorker(context, models, { reactor_unit: name, model_name, model_version });
    } finally {
      this.#names.delete(name);
    }
  }

  #checkedName(text: string): string {
    const validation = validateUnitName(text);
    if (!validation.ok) throw new ApiError('unit_name_invalid', { cause: validation.cause });
    if (validation.name === this.#options.context.leader) {
      throw new ApiError('unit_name_invalid', { cause: `${validation.name} is the leader.` });
    }
    return validation.name;
  }

  async #hasEnrolled(unit: string): Promise<boolean> {
    const { context } = this.#options;
    return (await enrolmentOf(context.database.read, unit).executeTakeFirst()) !== undefined;
  }

  /** Requests the machine to enrol, and waits for its enrolment. */
  async #letEnrol(unit: string, address: string, signal: AbortSignal): Promise<void> {
    const { context, defaultPort } = this.#options;
    const { wire } = context;
    const base = address === '' ? context.units.addressOf(unit) : undefined;
    const url = base ?? nodeUrl(address === '' ? `${unit}.local` : address, defaultPort());
    const begunMs = wire.monotonic();
    await this.#expectThere(unit, url, signal);
    const late = new ApiError('worker_setup_timed_out', { unit });
    // A machine on the network obeys nobody before it has enrolled; it asks by itself until it has.
    if (url.startsWith('http:')) await this.#requestEnrolment(unit, url, signal);
    while (!(await this.#hasEnrolled(unit))) {
      if (wire.monotonic() - begunMs > limitMs) throw late;
      await wire.sleep(pollMs, signal);
    }
  }

  /** @throws ApiError worker_setup_failed */
  async #requestEnrolment(unit: string, url: string, signal: AbortSignal): Promise<void> {
    const { context } = this.#options;
    await withTimeout(context.wire, answerMs, signal, (inTime) => {
      const route = new URL('/unit_api/enrol', url);
      return fetch(route, { method: 'POST', headers: context.nodeHeaders(route), signal: inTime });
    }).catch((error: unknown) => {
      throw new ApiError('worker_setup_failed', { unit, cause: `${url}: ${causeOf(error)}` });
    });
  }

  /** @throws ApiError worker_setup_failed when another machine, or none, is at the address */
  async #expectThere(unit: string, url: string, signal: AbortSignal): Promise<void> {
    const { context } = this.#options;
    const failed = (cause: string) => new ApiError('worker_setup_failed', { unit, cause });
    const name = await withTimeout(context.wire, answerMs, signal, async (inTime) => {
      const route = new URL('/unit_api/health', url);
      // Its key is known once it has enrolled.
      return nameIn(await fetchOver(await context.nodeAgent(route, null))(route, { signal: inTime }));
    }).catch((error: unknown) => {
      throw failed(`No program answers at ${url}: ${causeOf(error)}`);
    });
    if (name === undefined) throw failed(`The program at ${url} is not a unit.`);
    if (name !== unit) throw failed(`The unit at ${url} is called ${name}.`);
  }
}

/** The reason of a failed call: the library has it below its own error. */
function causeOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error ? reason.message : String(reason);
}

const Named = Type.Pick(Health, ['reactor_unit']);

/** The name of the unit that answered the health request. */
async function nameIn(answer: Response): Promise<string | undefined> {
  const text = await answer.text();
  if (!answer.ok) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return hasShape(Named, body) ? body.reactor_unit : undefined;
  } catch {
    return undefined;
  }
}
