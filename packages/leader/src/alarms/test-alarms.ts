import type { LiveJob, UnitStatus } from '@lcs/contract';
import type { VirtualClock } from '@lcs/platform';
import { startTestLeader } from '../api/test-leader.ts';
import { ExperimentNames } from '../live/experiment-names.ts';
import type { LiveListener } from '../live/live-hub.ts';
import { AlarmBook } from './alarm-book.ts';
import { AlarmEngine } from './alarm-engine.ts';
import { AlarmFacts } from './alarm-facts.ts';
import { toAlarm } from './alarm-store.ts';
import { NoticeQueue } from './channels/notice-queue.ts';
import { RuleBook } from './rule-book.ts';

const statusOf = (unit: string): UnitStatus => ({
  ...{ reactor_unit: unit, liveness: 'online', last_heard_at: null, trouble: null, desired_version: 1 },
  ...{ applied_version: 1, backlog: 0, clock_offset_ms: 0, outbox_full: false, app_version: null, url: null },
  is_simulated: false,
});

/** The watch of alarms over a leader's store, with units whose state the test says. */
export async function startTestAlarms(options: { readonly dataFolder?: string; readonly clock?: VirtualClock } = {}) {
  const leader = await startTestLeader(options);
  const { context, clock } = leader;
  const units = new Map<string, UnitStatus>();
  const jobs: LiveJob[] = [];
  const room: { level: 'enough' | 'low' | 'full' } = { level: 'enough' };
  const listeners = new Set<LiveListener>();
  const facts = new AlarmFacts(clock);
  const queue = new NoticeQueue(context, () => {});
  const book = new AlarmBook(context, (...notice) => queue.add(...notice));
  const rules = new RuleBook({ ...context, units: { ...context.units, statusOf: (unit) => units.get(unit) } });
  const engine = new AlarmEngine({
    ...{ context, book, rules, facts, room },
    names: new ExperimentNames(context.database, context.wire),
    units: { describe: (unit) => units.get(unit) ?? statusOf(unit) },
    jobs: { all: () => jobs },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  for (const part of [rules, book, engine]) await part.start();
  return {
    ...leader,
    ...{ book, rules, engine, facts, jobs, room, queue },
    /** A worker that has enrolled, with this about it. */
    unit: async (name: string, about: Partial<UnitStatus> = {}) => {
      const isNew = !units.has(name);
      units.set(name, { ...(units.get(name) ?? statusOf(name)), ...about });
      if (!isNew) return;
      const known = await context.database.read
        .selectFrom('workers')
        .where('reactor_unit', '=', name)
        .select('reactor_unit')
        .execute();
      if (known.length > 0) return;
      await leader.addWorker(name);
      const enrolment = {
        ...{
          reactor_unit: name,
          machine_id: `machine of ${name}`,
          base_url: 'http://127.0.0.1:1',
          epoch: 'e',
          boot: 1,
        },
        ...{ protocol: 1, app_version: '1', model_name: null, model_version: null, enrolled_at: 0, renewed_at: 0 },
      };
      await context.database.write((transaction) => transaction.insertInto('enrolments').values(enrolment).execute());
    },
    /** Time passes, with the looks of the watch. */
    pass: (seconds: number) => clock.advance(seconds * 1_000),
    open: () => book.open().map(toAlarm),
    entries: () =>
      leader.announced.flatMap((one) => ('live' in one && one.live === 'log' ? [JSON.stringify(one.data)] : [])),
    /** Ends the parts as a restart would; the store stays. */
    end: async () => {
      await engine.stop();
      await leader.stop();
    },
    [Symbol.asyncDispose]: async () => {
      await engine.stop();
      await leader[Symbol.asyncDispose]();
    },
  };
}
