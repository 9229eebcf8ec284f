import type { GuardRequest, GuardResponse, OutputId, RefusalCode } from './guard-types.ts';

interface Lease {
  readonly generation: number;
  readonly outputs: Set<OutputId>;
  endsAtMs: number;
}

/** The leases of outputs with their expiry, and the generation up to which each output was stopped. */
export class Leases {
  readonly #leaseMs: number;
  readonly #leases = new Map<string, Lease>();
  readonly #stoppedUpTo = new Map<OutputId, number>();

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  acquire(request: Extract<GuardRequest, { kind: 'acquire' }>, nowMs: number): GuardResponse {
    const { lease, generation, outputs } = request;
    const code = this.#acquireRefusal(lease, generation, outputs);
    if (code !== undefined) return { ok: false, code };
    this.#leases.set(lease, { generation, outputs: new Set(outputs), endsAtMs: nowMs + this.#leaseMs });
    return { ok: true };
  }

  #acquireRefusal(lease: string, generation: number, outputs: readonly OutputId[]): RefusalCode | undefined {
    if (!Number.isSafeInteger(generation) || this.#leases.has(lease)) return 'bad_request';
    if (outputs.some((output) => this.#isStopped(output, generation))) return 'stopped';
    return outputs.some((output) => this.isHeld(output)) ? 'output_taken' : undefined;
  }

  isHeld(output: OutputId): boolean {
    return [...this.#leases.values()].some((lease) => lease.outputs.has(output));
  }

  /** False when one of them is over; the others are renewed. */
  renew(names: readonly string[], nowMs: number): boolean {
    let all = true;
    for (const name of names) {
      const lease = this.#leases.get(name);
      if (lease === undefined) all = false;
      else lease.endsAtMs = nowMs + this.#leaseMs;
    }
    return all;
  }

  /** Why a command is refused; undefined when the lease covers it. */
  refusal(name: string, generation: number, output: OutputId): RefusalCode | undefined {
    if (this.#isStopped(output, generation)) return 'stopped';
    const lease = this.#leases.get(name);
    if (lease === undefined || lease.generation !== generation) return 'no_lease';
    return lease.outputs.has(output) ? undefined : 'no_lease';
  }

  /** The outputs that are free by it. */
  release(name: string): OutputId[] {
    const outputs = [...(this.#leases.get(name)?.outputs ?? [])];
    this.#leases.delete(name);
    return outputs;
  }

  /** Refuses `generation` and older ones from now on; the outputs that they held. */
  stop(generation: number, outputs: readonly OutputId[]): OutputId[] {
    for (const output of outputs) {
      this.#stoppedUpTo.set(output, Math.max(generation, this.#stoppedUpTo.get(output) ?? generation));
    }
    const freed: OutputId[] = [];
    for (const [name, lease] of this.#leases) {
      if (lease.generation > generation) continue;
      freed.push(...outputs.filter((output) => lease.outputs.delete(output)));
      if (lease.outputs.size === 0) this.#leases.delete(name);
    }
    return freed;
  }

  /** Ends the expired leases. */
  expire(nowMs: number): { lease: string; outputs: OutputId[] }[] {
    if (this.nextEndMs() > nowMs) return [];
    const over = [...this.#leases].filter(([, { endsAtMs }]) => endsAtMs <= nowMs).map(([lease]) => lease);
    return over.map((lease) => ({ lease, outputs: this.release(lease) }));
  }

  clear(): void {
    this.#leases.clear();
  }

  nextEndMs(): number {
    // Leases of a guard that ends with its node do not end by themselves.
    if (this.#leaseMs === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { endsAtMs } of this.#leases.values()) nextMs = Math.min(nextMs, endsAtMs);
    return nextMs;
  }

  #isStopped(output: OutputId, generation: number): boolean {
    return generation <= (this.#stoppedUpTo.get(output) ?? Number.NEGATIVE_INFINITY);
  }
}
