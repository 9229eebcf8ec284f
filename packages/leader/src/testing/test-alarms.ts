import { join } from 'node:path';
import type { FeedAnswer, FeedRecord, FeedSeries, LiveJob, UnitStatus } from '@lcs/contract';
import { builtInModels } from '@lcs/domain';
import type { VirtualClock } from '@lcs/platform';
import { AlarmEngine } from '../alarms/alarm-engine.ts';
import { AlarmFacts } from '../alarms/alarm-facts.ts';
import { AlarmRegistry } from '../alarms/alarm-registry.ts';
import { toAlarm } from '../alarms/alarm-store.ts';
import { NoticeQueue } from '../alarms/channels/notice-queue.ts';
import { RuleStore } from '../alarms/rule-store.ts';
import type { LiveListener } from '../core/leader-context.ts';
import { ExperimentNames } from '../live/experiment-names.ts';
import { ModelCatalog } from '../models/model-catalog.ts';
import { conditionsOf } from '../units/unit-session.ts';
import { UnitSessions } from '../units/unit-sessions.ts';
import { testAnswer } from './test-feed.ts';
import { startTestLeader } from './test-leader.ts';

const statusOf = (unit: string): UnitStatus => ({
  reactor_unit: unit,
  liveness: 'online',
  last_heard_at: null,
  trouble: null,
  desired_version: 1,
  applied_version: 1,
  backlog: 0,
  clock_offset_ms: 0,
  outbox_full: false,
  app_version: null,
  url: null,
  is_simulated: false,
});

/** The alarm engine on a leader's store, with units whose state the test sets. */
export async function startTestAlarms(options: { readonly dataFolder?: string; readonly clock?: VirtualClock } = {}) {
  const leader = await startTestLeader(options);
  const { context, clock } = leader;
  const units = new Map<string, UnitStatus>();
  const jobs: LiveJob[] = [];
  const diskSpace: { level: 'enough' | 'low' | 'full' } = { level: 'enough' };
  const listeners = new Set<LiveListener>();
  const facts = new AlarmFacts(clock);
  const sessions = new UnitSessions();
  const queue = new NoticeQueue(context, () => {});
  const registry = new AlarmRegistry(context, (...notice) => queue.add(...notice));
  const models = new ModelCatalog({
    builtIn: builtInModels,
    folder: join(context.dataFolder, 'models'),
    log: leader.log,
  });
  const rules = new RuleStore({ ...context, models, facts });
  const engine = new AlarmEngine({
    context,
    registry,
    rules,
    models,
    facts,
    diskSpace,
    names: new ExperimentNames(context.database, context.wire),
    units: {
      describe: (unit) => units.get(unit) ?? statusOf(unit),
      conditionsOf: (unit) => conditionsOf(sessions.of(unit)),
    },
    jobs: { all: () => jobs },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  for (const part of [rules, registry, engine]) await part.start();
  return {
    ...leader,
    registry,
    rules,
    engine,
    facts,
    jobs,
    diskSpace,
    queue,
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
        reactor_unit: name,
        machine_id: `machine of ${name}`,
        base_url: 'http://127.0.0.1:1',
        epoch: 'e',
        boot: 1,
        protocol: 1,
        app_version: '1',
        model_name: null,
        model_version: null,
        enrolled_at: 0,
        renewed_at: 0,
      };
      await context.database.write((transaction) => transaction.insertInto('enrolments').values(enrolment).execute());
    },
    /** The unit answers with this. */
    answered: (unit: string, more: Partial<FeedAnswer> = {}) => {
      const [atMs, nowMs] = [clock.now(), clock.monotonic()];
      sessions.dispatch(unit, { is: 'answered', answer: testAnswer([], more), atMs, nowMs });
    },
    /** Time passes, with the looks of the watch. */
    pass: (seconds: number) => clock.advance(seconds * 1_000),
    open: () => registry.open().map(toAlarm),
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

export type TestAlarms = Awaited<ReturnType<typeof startTestAlarms>>;

/** A job of rx01. */
export const testJob = (about: Partial<LiveJob> = {}): LiveJob => ({
  reactor_unit: 'rx01',
  experiment: 'a',
  job_name: 'od_reading',
  job_id: 1,
  state: 'ready',
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings: {},
  ...about,
});

/** The experiment of the tests, `a` with the uid `uid-a`, with these workers in it. */
export async function withExperiment({ context, assign }: TestAlarms, ...workers: readonly string[]): Promise<void> {
  const experiment = { uid: 'uid-a', name: 'a', created_at: 0, description: null };
  await context.database.write((transaction) => transaction.insertInto('experiments').values(experiment).execute());
  for (const unit of workers) await assign(unit, 'a');
}

/** A batch of one record of rx01, as the ingest hands it on. */
export function store(
  { clock, facts }: Pick<TestAlarms, 'clock' | 'facts'>,
  record: object,
  backfill = false,
  source = 'temperature',
): void {
  const series: FeedSeries = {
    experiment_uid: 'uid-a',
    source,
    channel: null,
    angle: null,
    derivation: null,
    context: null,
  };
  const stamped = { seq: 1, boot: 1, mono: 1, at: clock.now(), ...record };
  // The tests say only what matters of a record.
  const whole: FeedRecord = JSON.parse(JSON.stringify(stamped));
  facts.stored({
    unit: 'rx01',
    epoch: 'e',
    after: 0,
    upTo: 1,
    headSeq: 1,
    series: [series],
    forgotten: undefined,
    records: [{ record: whole, backfill }],
  });
}
