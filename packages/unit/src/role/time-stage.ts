import type { Clock, Stage } from '@lcs/platform';
import { UnitTime } from '../time/unit-time.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface TimeOutputs {
  readonly time: UnitTime;
  /** Jobs sample by it. It runs as the node's own clock; its wall time is the one that records are stamped with. */
  readonly clock: Clock;
}

/** The unit's time. */
export function timeStage({ options }: UnitRoleInputs): Stage<TimeOutputs> {
  const { clock: own, identity, hostSynced } = options;
  const time = new UnitTime({ clock: own, boot: identity.boot, hostSynced });
  const clock: Clock = {
    now: () => time.now(),
    monotonic: () => own.monotonic(),
    sleep: (delayMs, signal) => own.sleep(delayMs, signal),
    after: (delayMs, action) => own.after(delayMs, action),
    every: (intervalMs, action) => own.every(intervalMs, action),
    hold: (reason) => own.hold(reason),
  };
  return { outputs: { time, clock }, services: [time] };
}
