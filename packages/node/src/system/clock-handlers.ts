import { ApiError, type Handler, type Handlers, type nodeSystemRoutes } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { acceptOrLocked } from './accept.ts';
import { clockTime } from './clock-time.ts';
import { hostCommand } from './host-command.ts';
import { locks, type NodeSystemOptions } from './node-system.ts';
import { expectControl } from './power.ts';

type Routes = typeof nodeSystemRoutes;
type ClockRoutes = Pick<Routes, 'getNodeClock' | 'setNodeClock' | 'setNodeClockByPatch'>;

/** The routes of the machine's clock: read it, set it, copy the leader's time. */
export function clockHandlers(options: NodeSystemOptions): Handlers<ClockRoutes> {
  const { tasks, host, clock, log, leaderTime, onClockSet } = options;
  const setClock = {
    kind: 'system.utc_clock',
    lock: locks.clock,
    whenBusy: 'refuse' as const,
    run: async ({ utcMs }: { readonly utcMs: number | null }) => {
      const wanted = utcMs ?? (await leaderTime?.());
      if (wanted === undefined) throw new ApiError('clock_time_invalid', { cause: 'There is no leader.' });
      const before = clock.now();
      await hostCommand('set its clock', () => host.setClock(wanted));
      onClockSet?.(wanted);
      log.info('The clock was set', { from: toTimestamp(before), to: toTimestamp(wanted) });
      return true;
    },
  };
  tasks.register(setClock);
  const set: Handler<Routes['setNodeClock']> = async ({ body: { utc_clock_time: text } }) => {
    if (text === undefined && leaderTime === undefined) {
      throw new ApiError('clock_time_invalid', {
        cause: 'utc_clock_time is missing, and a leader has no other source of time.',
      });
    }
    const utcMs = text === undefined ? null : clockTime(text);
    expectControl(options, 'set the clock');
    return acceptOrLocked(options, setClock, { utcMs });
  };
  return {
    getNodeClock: () => ({ status: 200, body: { status: 'success', clock_time: toTimestamp(clock.now()) } }),
    setNodeClock: set,
    setNodeClockByPatch: set,
  };
}
