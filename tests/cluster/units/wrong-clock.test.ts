import { type Clock, VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, startUnit } from '@lcs/testkit';
import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';

const reactor_unit = 'unit1';
const hourMs = 3_600_000;

/** A machine whose wall clock is off from the true one, and may be set while it runs. */
function machineOn(truth: VirtualClock) {
  const machine = { offsetMs: 0, isSynced: false };
  const clock: Clock = {
    now: () => truth.now() + machine.offsetMs,
    monotonic: () => truth.monotonic(),
    sleep: (delayMs, signal) => truth.sleep(delayMs, signal),
    after: (delayMs, action) => truth.after(delayMs, action),
    every: (intervalMs, action) => truth.every(intervalMs, action),
    hold: (reason) => truth.hold(reason),
  };
  return Object.assign(machine, { clock, hostSynced: () => machine.isSynced });
}

interface Machines {
  readonly leader?: { readonly offsetMs?: number; readonly isSynced?: boolean };
  readonly unit?: { readonly offsetMs?: number; readonly isSynced?: boolean };
}

/** A leader and a unit with clocks of their own, and what the leader has stored. */
async function clusterWith(machines: Machines = {}) {
  const truth = new VirtualClock();
  const [leaderMachine, unitMachine] = [machineOn(truth), machineOn(truth)];
  Object.assign(leaderMachine, machines.leader);
  Object.assign(unitMachine, machines.unit);
  const startMs = truth.now();
  const leader = await startLeader({
    clock: truth,
    configure: { clock: leaderMachine.clock, hostSynced: leaderMachine.hostSynced },
  });
  const unit = await startUnit({
    leaderUrl: leader.url,
    clock: truth,
    configure: {
      clock: unitMachine.clock,
      hostSynced: unitMachine.hostSynced,
      mqttUrl: () => leader.node.mqttUrl,
    },
  });
  const { client } = leader;
  const status = async () => (await client.listUnits()).find((known) => known.reactor_unit === reactor_unit);
  /** Creates an experiment, and measures in it. */
  const measure = async (experiment = 'ramp') => {
    await client.createExperiment({ body: { experiment } });
    await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
    await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
    await eventually(async () =>
      expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    );
    const params = { reactor_unit, experiment, job: 'od_reading' };
    await leader.finished(await client.runWorkerJob({ params, body: {} }));
  };
  return {
    truth,
    startMs,
    leader,
    unit,
    leaderMachine,
    unitMachine,
    status,
    measure,
    /** Lets time pass, and waits until the leader has stored the readings of every 5 s. */
    pass: async (ms: number) => {
      const before = momentsOf(leader).length;
      await truth.advance(ms);
      await eventually(() => expect(momentsOf(leader).length).toBeGreaterThanOrEqual(before + ms / 5_000 - 2));
    },
    /** Lets the leader ask the unit a few times. */
    polls: async () => {
      for (let poll = 0; poll < 4; poll += 1) {
        const before = (await status())?.last_heard_at;
        await truth.advance(5_000);
        await eventually(async () => expect((await status())?.last_heard_at).not.toBe(before));
      }
    },
    moments: () => momentsOf(leader),
    [Symbol.asyncDispose]: async () => {
      await unit[Symbol.asyncDispose]();
      await leader[Symbol.asyncDispose]();
    },
  };
}

/** The rows of a table that belong to the readings of the photodiode. */
function rowsOfOd(leader: LeaderUnderTest, table: string): readonly Readonly<Record<string, unknown>>[] {
  const ids = leader.storedRows('series').filter(({ source }) => source === 'od');
  return leader.storedRows(table).filter(({ series_id }) => ids.some(({ id }) => id === series_id));
}

/** When the readings of the photodiode were taken, in the order in which they are stored. */
const momentsOf = (leader: LeaderUnderTest): readonly number[] =>
  rowsOfOd(leader, 'samples').map(({ at }) => Number(at));

const namesOf = (leader: LeaderUnderTest) => leader.storedRows('events').map(({ name }) => name);
const alarmsOf = async (leader: LeaderUnderTest, rule: string) =>
  (await leader.client.listAlarms({ query: {} })).filter((alarm) => alarm.rule === rule);

describe('a clock of the leader that jumps', () => {
  it.each([
    ['ahead', 3 * hourMs],
    ['back', -3 * hourMs],
  ])(
    'by three hours %s moves no reading, raises an alarm, and is cleared when it is right again',
    async (_way, jumpMs) => {
      await using cluster = await clusterWith();
      const { leader, leaderMachine, truth, startMs } = cluster;
      await cluster.measure();
      await cluster.pass(30_000);
      leaderMachine.offsetMs = jumpMs;
      await cluster.polls();
      await cluster.pass(30_000);
      await eventually(() => expect(namesOf(leader)).toContain('clock_step_refused'));
      const moments = cluster.moments();
      expect(moments.length).toBeGreaterThan(10);
      expect(Math.min(...moments)).toBeGreaterThanOrEqual(startMs);
      expect(Math.max(...moments)).toBeLessThanOrEqual(truth.now());
      expect(moments).toEqual(moments.toSorted((one, other) => one - other));
      expect(namesOf(leader)).not.toContain('clock_step');
      expect((await cluster.status())?.clock_offset_ms).toBeCloseTo(-jumpMs, -4);
      await truth.advance(60_000);
      await eventually(async () =>
        expect(await alarmsOf(leader, 'clock_step_refused')).toMatchObject([{ reactor_unit, state: 'unacknowledged' }]),
      );
      const logged = leader.storedRows('logs').filter(({ task }) => task === 'clock');
      expect(logged).toMatchObject([{ level: 'ERROR', reactor_unit }]);

      leaderMachine.offsetMs = 0;
      await cluster.polls();
      await cluster.pass(30_000);
      expect((await cluster.status())?.clock_offset_ms).toBeCloseTo(0, -4);
      expect(namesOf(leader)).not.toContain('clock_step');
      expect(leader.storedRows('logs').filter(({ task }) => task === 'clock')).toHaveLength(2);
      const all = cluster.moments();
      expect(Math.max(...all)).toBeLessThanOrEqual(truth.now());
      expect(all).toEqual(all.toSorted((one, other) => one - other));
    },
  );
});

describe('a leader that started with a wrong clock', () => {
  it('is followed once NTP has corrected it, and not before', async () => {
    await using cluster = await clusterWith({ leader: { offsetMs: -5 * hourMs }, unit: { offsetMs: -9 * hourMs } });
    const { leader, leaderMachine, truth } = cluster;
    await cluster.measure();
    await cluster.pass(30_000);
    const wrong = cluster.moments();
    expect(Math.max(...wrong)).toBeLessThan(truth.now() - 4 * hourMs);
    leaderMachine.offsetMs = 0;
    await cluster.polls();
    expect(namesOf(leader)).toContain('clock_step_refused');
    leaderMachine.isSynced = true;
    await cluster.polls();
    await eventually(() => expect(namesOf(leader)).toContain('clock_step'));
    const correctedMs = truth.now();
    await cluster.pass(30_000);
    const later = cluster.moments().filter((at) => at > correctedMs);
    expect(later.length).toBeGreaterThan(3);
    expect((await cluster.status())?.clock_offset_ms).toBeCloseTo(0, -4);
  });

  it.each([
    ['ahead', 3 * hourMs],
    ['behind', -3 * hourMs],
  ])(
    '%s by three hours has its readings corrected where they are stored, once NTP has corrected it',
    async (_way, offsetMs) => {
      await using cluster = await clusterWith({ leader: { offsetMs }, unit: { offsetMs: -9 * hourMs } });
      const { leader, leaderMachine, truth, startMs } = cluster;
      await cluster.measure();
      await cluster.pass(150_000);
      const wrong = cluster.moments();
      expect(wrong.length).toBeGreaterThanOrEqual(28);
      // Moments of the past are as exact as the measured difference of the clocks, in whole milliseconds.
      const isRight = (at: number) => at >= startMs - 2 && at <= truth.now() + 2;
      expect(wrong.filter(isRight)).toEqual([]);
      const events = leader.storedRows('events').length;
      expect(events).toBeGreaterThan(0);
      Object.assign(leaderMachine, { offsetMs: 0, isSynced: true });
      await cluster.polls();
      await eventually(() => expect(namesOf(leader)).toContain('clock_step'));
      await cluster.pass(30_000);

      await eventually(() => expect(cluster.moments().filter((at) => !isRight(at))).toEqual([]));
      const moments = cluster.moments();
      expect(moments.length).toBeGreaterThanOrEqual(wrong.length + 4);
      const spans = moments.toSorted((one, other) => one - other);
      expect(spans.slice(1).map((at, index) => at - (spans[index] ?? 0) >= 3_000)).not.toContain(false);
      const shown = leader.storedRows('od_readings').map(({ timestamp }) => Date.parse(String(timestamp)));
      expect(shown.length).toBe(moments.length);
      expect(shown.filter((at) => !isRight(at))).toEqual([]);
      for (const table of ['rollup_1m', 'rollup_10m', 'rollup_1h']) {
        const buckets = rowsOfOd(leader, table);
        expect(buckets.reduce((sum, { n }) => sum + Number(n), 0)).toBe(moments.length);
        expect(
          buckets.filter(({ first_at, last_at }) => !isRight(Number(first_at)) || !isRight(Number(last_at))),
        ).toEqual([]);
      }
      const { series, data } = await leader.client.getOdReadings({ params: { experiment: 'ramp' }, query: {} });
      expect(series).toHaveLength(1);
      const points = data.flat().map(({ x }) => Date.parse(x));
      expect(points.length).toBeGreaterThan(20);
      expect(points.filter((at) => !isRight(at))).toEqual([]);
      const ofUnit = leader.storedRows('events').filter(({ unsynced_time }) => unsynced_time === undefined);
      expect(ofUnit.filter(({ at, name }) => name !== 'node_started' && !isRight(Number(at)))).toEqual([]);
      const logged = leader.storedRows('logs').filter(({ task }) => task === 'clock_correction');
      expect(logged).toMatchObject([{ level: 'WARNING', reactor_unit }]);
    },
  );

  it('does not move the clock of a unit with NTP', async () => {
    await using cluster = await clusterWith({ leader: { offsetMs: -5 * hourMs }, unit: { isSynced: true } });
    const { leader, truth, startMs } = cluster;
    await cluster.measure();
    await cluster.polls();
    await cluster.pass(30_000);
    const moments = cluster.moments();
    expect(Math.min(...moments)).toBeGreaterThanOrEqual(startMs);
    expect(Math.max(...moments)).toBeLessThanOrEqual(truth.now());
    expect(namesOf(leader)).not.toContain('clock_step');
    expect((await cluster.status())?.clock_offset_ms).toBeCloseTo(5 * hourMs, -4);
  });
});

describe('a unit that started with a wrong clock', () => {
  it('has the time of its leader from the first request on', async () => {
    await using cluster = await clusterWith({ unit: { offsetMs: -400 * 24 * hourMs } });
    const { truth, startMs } = cluster;
    await cluster.measure();
    await cluster.pass(30_000);
    const moments = cluster.moments();
    expect(moments.length).toBeGreaterThan(3);
    expect(Math.min(...moments)).toBeGreaterThanOrEqual(startMs);
    expect(Math.max(...moments)).toBeLessThanOrEqual(truth.now());
  });
});

describe('an experiment that was created while the clock of the leader was ahead', () => {
  it('starts no later than its first reading', async () => {
    await using cluster = await clusterWith({ leader: { offsetMs: 3 * hourMs }, unit: { isSynced: true } });
    const { leader, leaderMachine } = cluster;
    await cluster.measure();
    await cluster.pass(30_000);
    leaderMachine.offsetMs = 0;
    await cluster.pass(30_000);
    const first = Math.min(...cluster.moments());
    await eventually(async () => {
      const { created_at } = await leader.client.getExperiment({ params: { experiment: 'ramp' } });
      expect(Date.parse(created_at)).toBeLessThanOrEqual(first);
    });
  });
});
