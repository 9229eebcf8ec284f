import { minuteMs } from '@lcs/contract';
import type { Cancel, Clock, Log, Service } from '@lcs/platform';
import type { Camera } from './camera.ts';
import type { CameraConfig } from './camera-config.ts';
import type { CameraSwitch } from './camera-switch.ts';
import type { StillStore } from './still-store.ts';

export interface StillScheduleOptions {
  readonly store: Pick<StillStore, 'of'>;
  readonly camera: Pick<Camera, 'detect'>;
  readonly config: () => CameraConfig;
  readonly automatic: Pick<CameraSwitch, 'isOn'>;
  /** The unit's experiment, and whether the unit is active. */
  readonly facts: () => {
    readonly experiment: { readonly name: string; readonly uid: string } | undefined;
    readonly isActive: boolean;
  };
  /** Whether the disk has free space. */
  readonly mayTake: () => boolean;
  /** Requests a still of this experiment; resolves when the request is on disk. */
  readonly take: (experiment: { readonly name: string; readonly uid: string }) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tolerance for stills that are taken shortly after the minute of their request. */
const slackMs = minuteMs / 2;

/** Checks every minute whether a still is due. */
export class StillSchedule implements Service {
  readonly name = 'schedule of stills';
  readonly #options: StillScheduleOptions;
  /** Includes failed attempts: a failing camera is retried after the interval. By the monotonic clock. */
  #lastTry: { readonly uid: string; readonly atMs: number } | undefined;
  #cancel: Cancel = () => {};
  #checking: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(options: StillScheduleOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#cancel = this.#options.clock.every(minuteMs, () => this.#check());
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#checking;
  }

  #check(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Virtual time waits for the check, so that the time of the still is deterministic.
    const release = this.#options.clock.hold('a check for stills that are due');
    this.#checking = this.#takeDue()
      .catch((error: unknown) =>
        this.#options.log.error('It could not be seen whether a still is due', { error: String(error) }),
      )
      .finally(() => {
        this.#isBusy = false;
        release();
      });
  }

  async #takeDue(): Promise<void> {
    const { config, automatic, facts, mayTake, camera, take, clock } = this.#options;
    const settings = config();
    const { experiment, isActive } = facts();
    const isScheduled = settings.isEnabled && settings.intervalMinutes > 0 && automatic.isOn && isActive && mayTake();
    if (!isScheduled || experiment === undefined) return;
    if (!(await this.#isDue(experiment, settings.intervalMinutes * minuteMs - slackMs))) return;
    if ((await camera.detect(settings)).detection !== 'detected') return;
    this.#lastTry = { uid: experiment.uid, atMs: clock.monotonic() };
    await take(experiment);
  }

  async #isDue({ name, uid }: { readonly name: string; readonly uid: string }, afterMs: number): Promise<boolean> {
    const { clock, store } = this.#options;
    if (this.#lastTry?.uid === uid && clock.monotonic() - this.#lastTry.atMs < afterMs) return false;
    const latest = (await store.of(name)).at(-1);
    if (latest === undefined) return true;
    const ageMs = clock.now() - latest.capturedAtMs;
    // A still from the future: the clock was set back.
    return ageMs < 0 || ageMs >= afterMs;
  }
}
