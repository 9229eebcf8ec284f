import { type Actuators, GuardLost, GuardRefused, type OutputId, type OutputLease } from '@lcs/hardware';
import type { JobOrigin } from '@lcs/node';
import { VirtualClock } from '@lcs/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { GuardedOutputs } from './guarded-outputs.ts';

const origin = (jobId: number): JobOrigin => ({
  jobId,
  jobName: `job${jobId}`,
  experiment: 'e',
  experimentUid: 'uid',
  jobSource: 'user',
});

/** A guard in a few lines: leases by output, refusals by generation, and it can be lost. */
class FakeGuard implements Pick<Actuators, 'acquire' | 'stopUpTo'> {
  readonly levels = new Map<OutputId, number>();
  readonly stopped = new Map<OutputId, number>();
  readonly #held = new Set<OutputId>();
  #life = 1;
  isAway = false;
  /** What it refuses every level of the heater for, but 0. */
  refuses: 'too_hot' | 'sensor_detached' | undefined;
  /** The output whose chip does not answer. */
  silent: OutputId | undefined;
  /** What a command waits for on its way. */
  beforeSet: (() => Promise<void>) | undefined;

  /** It ends, and another one comes up with everything off. */
  replace(): void {
    this.#life += 1;
    this.#held.clear();
    this.levels.clear();
  }

  async acquire(generation: number, outputs: readonly OutputId[]): Promise<OutputLease> {
    this.#mustBeHere();
    if (outputs.some((output) => (this.stopped.get(output) ?? 0) >= generation))
      throw new GuardRefused('stopped', 'acquire');
    if (outputs.some((output) => this.#held.has(output))) throw new GuardRefused('output_taken', 'acquire');
    for (const output of outputs) this.#held.add(output);
    const life = this.#life;
    return {
      set: async (output, percent) => {
        await this.beforeSet?.();
        this.#mustBeHere();
        if (life !== this.#life) throw new GuardRefused('no_lease', 'set');
        if (output === this.silent) throw new GuardRefused('output_failed', 'set');
        if (this.refuses !== undefined && output === 'pwm5' && percent > 0) throw new GuardRefused(this.refuses, 'set');
        this.levels.set(output, percent);
      },
      release: async () => {
        for (const output of outputs) {
          this.levels.delete(output);
          this.#held.delete(output);
        }
      },
    };
  }

  async stopUpTo(generation: number, outputs: readonly OutputId[] = []): Promise<void> {
    this.#mustBeHere();
    for (const output of outputs) {
      this.stopped.set(output, generation);
      this.levels.delete(output);
      this.#held.delete(output);
    }
  }

  #mustBeHere(): void {
    if (this.isAway) throw new GuardLost('it is away');
  }
}

describe('outputs of jobs', () => {
  let guard: FakeGuard;
  let wire: VirtualClock;
  let outputs: GuardedOutputs;
  let interrupted: number[];
  let lost: number[];
  let shown: Map<OutputId, number>;

  beforeEach(() => {
    guard = new FakeGuard();
    wire = new VirtualClock();
    interrupted = [];
    lost = [];
    shown = new Map();
    outputs = new GuardedOutputs({
      actuators: guard,
      wire,
      display: {
        level: (_, output, percent) => shown.set(output, percent),
        off: (off) => {
          for (const output of off) shown.delete(output);
        },
      },
      onInterrupted: ({ jobId }) => interrupted.push(jobId),
    });
    outputs.onLost(({ jobId }) => lost.push(jobId));
  });

  it('that a job has given back may be had by an older one, after its end too', async () => {
    const dose = await outputs.acquire(origin(2), ['pwm2']);
    await dose.set('pwm2', 100);
    await dose.release();
    await outputs.revoke(2);
    const automation = await outputs.acquire(origin(1), ['pwm2']);
    await automation.set('pwm2', 50);
    expect(guard.levels.get('pwm2')).toBe(50);
  });

  it('that a job was refused are not taken from the one that has them', async () => {
    const automation = await outputs.acquire(origin(1), ['pwm2']);
    await automation.set('pwm2', 50);
    guard.stopped.set('pwm2', 3);
    await expect(outputs.acquire(origin(2), ['pwm2'])).rejects.toThrow(GuardRefused);
    guard.stopped.clear();
    await outputs.revoke(2);
    expect(guard.levels.get('pwm2')).toBe(50);
    await automation.set('pwm2', 60);
    expect(guard.levels.get('pwm2')).toBe(60);
  });

  it('are stopped with their job, and those of an older job continue', async () => {
    const heater = await outputs.acquire(origin(1), ['pwm5']);
    await heater.set('pwm5', 20);
    const stirrer = await outputs.acquire(origin(2), ['pwm1']);
    await stirrer.set('pwm1', 30);
    await outputs.revoke(2);
    expect([...guard.levels]).toEqual([['pwm5', 20]]);
    expect([...shown]).toEqual([['pwm5', 20]]);
    await expect(outputs.acquire(origin(2), ['pwm1'])).rejects.toMatchObject({ code: 'stopped' });
    await heater.set('pwm5', 25);
    expect(shown.get('pwm5')).toBe(25);
    expect(guard.levels.get('pwm5')).toBe(25);
    outputs.take({ what: 'limit', output: 'pwm5', limit: 'disable', value: 80 });
    expect([...shown]).toEqual([]);
  });

  it('are taken again at their level when the guard was replaced', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm1']);
    await lease.set('pwm1', 30);
    guard.isAway = true;
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    expect([...shown]).toEqual([]);
    const setting = lease.set('pwm1', 40);
    await wire.advance(1_000);
    guard.isAway = false;
    await wire.advance(1_000);
    await setting;
    expect([...guard.levels]).toEqual([['pwm1', 40]]);
    expect([...shown]).toEqual([['pwm1', 40]]);
    expect([interrupted, lost]).toEqual([[1], []]);
  });

  it('are not given a level that was refused when another guard takes over', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm5']);
    await lease.set('pwm5', 0);
    guard.refuses = 'too_hot';
    await expect(lease.set('pwm5', 40)).rejects.toMatchObject({ code: 'too_hot' });
    guard.refuses = undefined;
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    await wire.advance(1_000);
    expect([...guard.levels]).toEqual([['pwm5', 0]]);
    expect(lost).toEqual([]);
  });

  it('of which none was ever taken have none after a loss either', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm5']);
    guard.refuses = 'too_hot';
    await expect(lease.set('pwm5', 40)).rejects.toThrow(GuardRefused);
    guard.refuses = undefined;
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    await wire.advance(1_000);
    expect([...guard.levels]).toEqual([]);
  });

  it('stay off, and their job continues, when the node stood still and the heater is no longer permitted', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm1', 'pwm5']);
    await lease.set('pwm5', 60);
    await lease.set('pwm1', 30);
    guard.refuses = 'sensor_detached';
    guard.replace();
    outputs.take({ what: 'parent_lost' });
    await wire.advance(1_000);
    expect([...guard.levels]).toEqual([['pwm1', 30]]);
    expect(lost).toEqual([]);
    await expect(lease.set('pwm5', 60)).rejects.toMatchObject({ code: 'sensor_detached' });
  });

  it('that ran for a time are not acquired again: the duration of their run is unknown', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm2']);
    await lease.set('pwm2', 100, 5_000);
    expect(guard.levels.get('pwm2')).toBe(100);
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    await wire.advance(1_000);
    expect(lost).toEqual([1]);
    expect([...guard.levels]).toEqual([]);
  });

  it('report levels that the guard has changed by itself, and those that were lost and are back', async () => {
    const levels: number[] = [];
    const heater = await outputs.acquire(origin(1), ['pwm5'], (_, percent) => levels.push(percent));
    await heater.set('pwm5', 20);
    const event = { what: 'overridden', output: 'pwm5' } as const;
    outputs.take({ ...event, percent: 18, requested: 20 });
    expect([levels, shown.get('pwm5')]).toEqual([[18], 18]);
    // It crossed the newer command.
    outputs.take({ ...event, percent: 0, requested: 30 });
    expect([levels, shown.get('pwm5')]).toEqual([[18], 18]);
    guard.replace();
    outputs.take({ what: 'parent_lost' });
    await wire.advance(1_000);
    expect([levels, shown.get('pwm5')]).toEqual([[18, 0, 20], 20]);
  });

  it('fail their job when a run of theirs was cut', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm2']);
    await outputs.acquire(origin(2), ['pwm3']);
    await lease.set('pwm2', 100, 5_000);
    outputs.take({ what: 'cut', output: 'pwm2', ranMs: 400 });
    expect([lost, [...shown]]).toEqual([[1], []]);
  });

  it('have the newest level after that, also one requested during the recovery', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm1', 'pwm5']);
    await lease.set('pwm5', 30);
    await lease.set('pwm1', 30);
    const held = Promise.withResolvers<void>();
    guard.replace();
    guard.beforeSet = () => held.promise;
    outputs.take({ what: 'guard_lost' });
    await wire.advance(0);
    guard.beforeSet = undefined;
    const setting = lease.set('pwm5', 0);
    held.resolve();
    await setting;
    expect(guard.levels.get('pwm5')).toBe(0);
    expect(guard.levels.get('pwm1')).toBe(30);
  });

  it('are not taken again for a job that was stopped meanwhile', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm1']);
    await lease.set('pwm1', 30);
    guard.isAway = true;
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    const stopped = outputs.revoke(1);
    await wire.advance(500);
    guard.isAway = false;
    await wire.advance(500);
    await stopped;
    expect([...guard.levels]).toEqual([]);
    expect(guard.stopped.get('pwm1')).toBe(1);
  });

  it('whose timed run was over are taken again: nothing of it was cut', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm2']);
    await lease.set('pwm2', 100, 5_000);
    outputs.take({ what: 'ended', output: 'pwm2', ranMs: 5_000 });
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    await wire.advance(1_000);
    expect(lost).toEqual([]);
    await lease.set('pwm2', 100, 5_000);
    expect(guard.levels.get('pwm2')).toBe(100);
  });

  it('whose timed run was refused are taken again', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm5']);
    guard.refuses = 'too_hot';
    await expect(lease.set('pwm5', 100, 5_000)).rejects.toMatchObject({ code: 'too_hot' });
    guard.refuses = undefined;
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    await wire.advance(1_000);
    expect(lost).toEqual([]);
  });

  it('have been cut when the end of the run before arrived during the next request', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm2']);
    await lease.set('pwm2', 100, 500);
    guard.beforeSet = async () => outputs.take({ what: 'ended', output: 'pwm2', ranMs: 500 });
    await lease.set('pwm2', 100, 500);
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    await wire.advance(1_000);
    expect(lost).toEqual([1]);
  });

  it('are taken again however long guard and board are away, and commands fail meanwhile', async () => {
    const lease = await outputs.acquire(origin(1), ['pwm1', 'ledA']);
    await lease.set('pwm1', 30);
    await lease.set('ledA', 50);
    guard.isAway = true;
    guard.replace();
    outputs.take({ what: 'guard_lost' });
    const early = lease.set('pwm1', 40);
    early.catch(() => {});
    await wire.advance(20_000);
    await expect(early).rejects.toThrow(GuardLost);
    // A guard is there, the chip of the LEDs is not: the stirrer has its level, and the job is told about the LED.
    guard.isAway = false;
    guard.silent = 'ledA';
    await wire.advance(60_000);
    expect([...guard.levels]).toEqual([['pwm1', 30]]);
    const refused = lease.set('ledA', 60);
    refused.catch(() => {});
    await wire.advance(6_000);
    await expect(refused).rejects.toMatchObject({ code: 'output_failed' });
    const stirrer = lease.set('pwm1', 35);
    await wire.advance(6_000);
    await stirrer;
    guard.silent = undefined;
    await wire.advance(2_000);
    expect(guard.levels).toEqual(
      new Map([
        ['pwm1', 35],
        ['ledA', 50],
      ]),
    );
    expect([interrupted, lost]).toEqual([[1], []]);
  });

  it('end their job when the guard is lost again and again', async () => {
    await outputs.acquire(origin(2), ['pwm2']);
    for (let count = 0; count < 4; count += 1) {
      guard.replace();
      outputs.take({ what: 'parent_lost' });
      await wire.advance(100);
      expect(lost).toEqual(count < 3 ? [] : [2]);
    }
  });
});
