import { describe, expect, it } from 'vitest';
import { contexts, stirring, until, world } from '../testing/test-jobs.ts';
import { type JobContext, SettingRefused } from './job-definition.ts';
import type { JobRuntime } from './job-runtime.ts';

/** The one job that the last run of the node has left. */
function cutOf({ interrupted: cut }: JobRuntime) {
  const [job] = cut;
  if (job === undefined || cut.length > 1) throw new Error(`One job must be cut, not ${cut.length}.`);
  return job;
}

describe('a job', () => {
  it('goes from init to ready, sleeps, wakes and ends; its values are cleared and its outputs refused', async () => {
    await using w = await world([stirring()]);
    expect(await w.run('stirring')).toEqual({ ok: true, job_id: 1, state: 'ready' });
    for (const state of ['sleeping', 'sleeping', 'ready', 'disconnected'])
      await w.runtime.update({ jobName: 'stirring' }, { $state: state }, 'http');
    expect(w.said.filter((line) => line.includes(' is '))).toEqual([
      'stirring is init',
      'stirring is ready',
      'stirring is sleeping',
      'stirring is ready',
      'stirring is disconnected',
    ]);
    expect(w.said).toContain('stirring target_rpm=null by job');
    expect(w.revoked).toEqual([1]);
    expect(w.runtime.running()).toEqual([]);
  });

  it('tells its planned end like a setting, so that it can be started again with it after a stop', async () => {
    await using w = await world([stirring()]);
    const at = (ms: number) => new Date(w.clock.now() + ms).toISOString();
    const [first, second] = [at(60_000), at(120_000)];
    await w.run('stirring', { ends_at: first });
    for (const $ends_at of [second, second, null])
      await w.runtime.update({ jobName: 'stirring' }, { $ends_at }, 'http');
    expect(w.said.filter((line) => line.includes('$ends_at'))).toEqual([
      `stirring $ends_at="${first}" by job`,
      `stirring $ends_at="${second}" by http`,
      'stirring $ends_at=null by http',
    ]);
  });

  it('that throws in a timer, a listener or a repetition ends alone, with its error in the log', async () => {
    const job = contexts();
    await using w = await world([stirring(job.start), stirring(undefined, { name: 'bystander' })]);
    await w.run('bystander');
    const breakIt = [
      () => job.last().clock.after(10, () => broken()),
      () => job.last().repeat(10, async () => broken()),
      () => {
        job.last().listen(job.last().topics.events, () => broken());
        w.runtime.topics.events.publish('x', { name: 'x', data: {} });
      },
    ];
    for (const breakNow of breakIt) {
      await w.run('stirring');
      breakNow();
      await w.clock.advance(20);
      await until(() => w.runtime.running({ jobName: 'stirring' }).length === 0);
    }
    expect(w.said.filter((line) => line.includes('ERROR'))).toEqual(
      Array(3).fill('stirring ERROR It failed. no motor'),
    );
    expect(w.runtime.running().map(({ origin }) => origin.jobName)).toEqual(['bystander']);

    function broken(): never {
      throw new Error('no motor');
    }
  });

  it('leaves no newest reading behind: the next job may be of another experiment', async () => {
    const job = contexts();
    await using w = await world([stirring(job.start)]);
    await w.run('stirring');
    job.last().reading({ source: 'rpm', channel: '1', value: 5 });
    expect(w.runtime.topics.readings.latest('rpm/1')).toMatchObject({ value: 5 });
    await w.runtime.update({ jobName: 'stirring' }, { $state: 'disconnected' }, 'http');
    expect(w.runtime.topics.readings.latest('rpm/1')).toBeUndefined();
  });

  it('has no timers, listeners or readings any more once it has ended', async () => {
    const job = contexts();
    await using w = await world([stirring(job.start)]);
    await w.run('stirring');
    const ticks: number[] = [];
    job.last().repeat(10, () => void ticks.push(1));
    job.last().clock.every(10, () => void ticks.push(2));
    await w.clock.advance(10);
    await w.runtime.stopJobs({});
    job.last().clock.after(1, () => ticks.push(3));
    job.last().reading({ source: 'rpm', value: 1 });
    await w.clock.advance(100);
    expect(ticks).toEqual([1, 2]);
    expect(job.last().signal.aborted).toBe(true);
    expect(w.said.filter((line) => line.includes('reads'))).toEqual([]);
  });

  it('does not repeat while it sleeps', async () => {
    const job = contexts();
    await using w = await world([stirring(job.start)]);
    await w.run('stirring');
    let ticks = 0;
    job.last().repeat(10, () => {
      ticks += 1;
    });
    await w.clock.advance(20);
    await w.runtime.update({ jobName: 'stirring' }, { $state: 'sleeping' }, 'http');
    await w.clock.advance(100);
    await w.runtime.update({ jobName: 'stirring' }, { $state: 'ready' }, 'http');
    await w.clock.advance(10);
    expect(ticks).toBe(3);
  });

  it('that refuses one of its settings at the start names it', async () => {
    const start = () => {
      throw new SettingRefused('target_rpm', 'No such speed.');
    };
    await using w = await world([stirring(start)]);
    await expect(w.run('stirring')).rejects.toMatchObject({
      code: 'job_setting_invalid',
      body: { field: 'target_rpm', cause: 'No such speed.', status: 400 },
    });
    expect(w.runtime.running()).toEqual([]);
  });

  it('that cannot start, or is not ready in 10 s, fails with the reason and leaves nothing running', async () => {
    let isStuck = false;
    const start = () => {
      if (isStuck) return new Promise<never>(() => {});
      throw new Error('no motor');
    };
    await using w = await world([stirring(start)]);
    await expect(w.run('stirring')).rejects.toMatchObject({ code: 'job_failed', body: { cause: 'no motor' } });
    isStuck = true;
    const stuck = expect(w.run('stirring')).rejects.toMatchObject({ code: 'job_start_timeout' });
    await until(() => w.said.filter((line) => line === 'stirring is init').length === 2);
    await w.clock.advance(10_000);
    await until(() => w.said.some((line) => line.includes('not ready in time')));
    await w.clock.advance(5_000);
    await stuck;
    expect(w.runtime.running()).toEqual([]);
    expect(w.revoked).toEqual([1, 2]);
  });

  it('that does not end in 5 s is cut off, and its outputs are refused', async () => {
    await using w = await world([stirring(() => ({ stop: () => new Promise(() => {}) }))]);
    await w.run('stirring');
    const stopped = w.runtime.stopJobs({ jobName: 'stirring' });
    await w.clock.advance(499);
    expect(w.revoked).toEqual([]);
    // The guard does not wait for it.
    await w.clock.advance(1);
    expect(w.revoked).toEqual([1]);
    await w.clock.advance(4_500);
    expect(await stopped).toEqual({ stopped: [{ job_name: 'stirring', job_id: 1 }], still_running: [] });
    expect(w.revoked).toEqual([1]);
  });

  it('has no more time than its node to end, however many hang', async () => {
    const hanging = { stop: () => new Promise<never>(() => {}) };
    const groups = ['pumps', 'heat_and_pwm', 'automations', 'rest', 'leds'] as const;
    const jobs = groups.map((stopGroup) => stirring(() => hanging, { name: `job_${stopGroup}`, stopGroup }));
    const actuators = {
      acquire: async () => Promise.reject(new Error('none')),
      revoke: () => new Promise<never>(() => {}),
    };
    await using w = await world(jobs, { actuators });
    for (const { name } of jobs) await w.run(name);
    const stopped = w.runtime.stop();
    await w.clock.advance(3_400);
    await stopped;
    expect(w.runtime.running()).toEqual([]);
  });

  it('whose outputs are not confirmed as safe is reported as still running', async () => {
    const actuators = {
      acquire: async () => Promise.reject(new Error('none')),
      revoke: async () => Promise.reject(new Error('the guard is gone')),
    };
    await using w = await world([stirring()], { actuators });
    await w.run('stirring');
    expect(await w.runtime.stopJobs({})).toEqual({
      stopped: [],
      still_running: [{ job_name: 'stirring', job_id: 1 }],
    });
  });

  it('ends by itself when its work is done', async () => {
    const done = Promise.withResolvers<void>();
    await using w = await world([stirring(() => ({ done: done.promise }))]);
    await w.run('stirring');
    done.resolve();
    await until(() => w.runtime.running().length === 0);
    expect(w.said.some((line) => line.includes('ERROR'))).toBe(false);
  });

  it('may finish by the value that it is given: then it was taken', async () => {
    const done = Promise.withResolvers<void>();
    const apply = async () => {
      done.resolve();
      await until(() => w.runtime.running().length === 0);
    };
    await using w = await world([stirring(() => ({ done: done.promise, apply }))]);
    await w.run('stirring');
    expect(await w.runtime.update({ jobName: 'stirring' }, { target_rpm: 300 }, 'http')).toEqual({
      settings: { target_rpm: 300 },
      isRecorded: true,
    });
    expect(w.said).not.toContain('stirring target_rpm=300 by http');
    expect(w.said.at(-1)).toMatch(/=null by job$/);
  });

  it('whose work fails before its state is on disk ends with that error, and nothing else does', async () => {
    await using w = await world([stirring(() => ({ done: Promise.reject(new Error('no motor')) }))]);
    await w.run('stirring');
    await until(() => w.runtime.running().length === 0);
    expect(w.said).toContain('stirring ERROR It failed. no motor');
  });
});

describe('starts and stops', () => {
  it('allow one job of a name, unless several are meant to run', async () => {
    const dose = stirring(undefined, { name: 'add_media', allowsSeveral: true });
    await using w = await world([stirring(), dose]);
    await w.run('stirring');
    await expect(w.run('stirring', { env: { EXPERIMENT: 'exp2' } })).rejects.toMatchObject({
      code: 'job_already_running',
      body: { cause: expect.stringContaining('already running (job_id=1)') },
    });
    await w.run('add_media');
    await w.run('add_media');
    expect(w.runtime.running().map(({ origin }) => origin.jobId)).toEqual([1, 2, 3]);
  });

  it('give a stop precedence over an earlier start request', async () => {
    await using w = await world([stirring()]);
    const { jobName, generation } = w.runtime.accept('stirring', {});
    await w.runtime.stopJobs({ experiment: 'exp1' });
    await expect(w.runtime.run(jobName, generation)).rejects.toMatchObject({ code: 'job_start_overtaken' });
    expect(await w.run('stirring')).toMatchObject({ ok: true });
  });

  it('let a stop win over a start that is coming up', async () => {
    const gate = Promise.withResolvers<void>();
    const ended: string[] = [];
    let isComingUp = false;
    const start = async () => {
      isComingUp = true;
      await gate.promise;
      return { stop: () => void ended.push('closed') };
    };
    await using w = await world([stirring(start)]);
    const { jobName, generation } = w.runtime.accept('stirring', {});
    const run = expect(w.runtime.run(jobName, generation)).rejects.toMatchObject({ code: 'job_start_overtaken' });
    await until(() => isComingUp);
    const stopped = w.runtime.stopJobs({ jobName: 'stirring' });
    gate.resolve();
    await Promise.all([run, stopped]);
    expect(ended).toEqual(['closed']);
    expect(w.said).not.toContain('stirring is ready');
  });

  it('end pumps first, then heat, automations, the rest and the light', async () => {
    const groups = ['leds', 'rest', 'automations', 'heat_and_pwm', 'pumps'] as const;
    const ended: string[] = [];
    const jobs = groups.map((group) =>
      stirring(() => ({ stop: () => void ended.push(group) }), { name: `a_${group}`, stopGroup: group }),
    );
    await using w = await world(jobs);
    for (const { name } of jobs) await w.run(name);
    await w.runtime.stopJobs({});
    expect(ended).toEqual(['pumps', 'heat_and_pwm', 'automations', 'rest', 'leds']);
  });

  it('need an experiment and an active unit, but not for jobs of the node', async () => {
    const monitor = stirring(undefined, { name: 'monitor', isLongRunning: true });
    const facts = () => ({ experiment: undefined, isActive: false, model: undefined });
    await using w = await world([stirring(), monitor], { facts });
    await expect(w.run('stirring')).rejects.toMatchObject({ code: 'unit_not_active' });
    await expect(w.run('stirring', { env: { ACTIVE: '1' } })).rejects.toMatchObject({ code: 'job_without_experiment' });
    expect(await w.run('monitor')).toMatchObject({ ok: true });
    expect(w.runtime.running()[0]?.origin.experiment).toBe('$experiment');
  });
});

describe('settings', () => {
  it('change all or not at all', async () => {
    await using w = await world([stirring()]);
    await w.run('stirring');
    const bad = { target_rpm: 300, interval: 1000 };
    await expect(w.runtime.update({ jobName: 'stirring' }, bad, 'http')).rejects.toMatchObject({
      code: 'job_setting_invalid',
    });
    expect(w.runtime.settings('stirring').target_rpm).toBe(500);
    const good = { target_rpm: 9000, interval: 10 };
    expect(await w.runtime.update({ jobName: 'stirring' }, good, 'http')).toEqual({
      settings: { target_rpm: 5000, interval: 10 },
      isRecorded: true,
    });
    expect(w.said.some((line) => line.startsWith('stirring WARNING') && line.includes('target_rpm to 5000'))).toBe(
      true,
    );
  });

  it('stay as they were when the job itself refuses', async () => {
    const apply = () => {
      throw new SettingRefused('interval', 'Too short for this lamp.');
    };
    await using w = await world([stirring(() => ({ apply }))]);
    await w.run('stirring');
    await expect(w.runtime.update({ jobName: 'stirring' }, { interval: 5 }, 'http')).rejects.toMatchObject({
      body: { cause: 'Too short for this lamp.' },
    });
    expect(w.runtime.settings('stirring')).not.toHaveProperty('interval');
    expect(w.runtime.running()).toHaveLength(1);
  });
});

describe('the record of jobs', () => {
  it('is put right after a crash: ended, lost, with ids that go on', async () => {
    await using w = await world([stirring()]);
    await w.run('stirring', { options: { snapshot: null } });
    await w.runtime.update({ jobName: 'stirring' }, { target_rpm: 300 }, 'http');
    w.said.length = 0;
    // A second runtime on the same database, without an end of the first: what a new process sees after a crash.
    const next = await w.startRuntime();
    expect(w.said).toEqual(expect.arrayContaining(['stirring is lost', 'stirring target_rpm=null by job']));
    const [row] = await next.history(10);
    expect(row?.endedAtMs).toBe(w.clock.now());
    const cut = cutOf(next);
    expect(cut).toMatchObject({ jobName: 'stirring', state: 'lost', settings: { target_rpm: 300 } });
    expect(await next.resume(cut)).toEqual({ ok: true, job_id: 2, state: 'ready' });
    expect(next.settings('stirring').target_rpm).toBe(300);
    expect(next.running()[0]?.origin).toMatchObject({ jobSource: 'resume', experimentUid: 'uid1' });
    expect(next.interrupted).toEqual([]);
  });

  it.each([0, 1, 2])('ends a job with those of its first source, resumed after %d restarts', async (restarts) => {
    const jobSource = 'experiment_profile/7';
    const resumed = async () => {
      const w = await world([stirring()]);
      await w.run('stirring', { env: { JOB_SOURCE: jobSource } });
      let { runtime } = w;
      for (let restart = 0; restart < restarts; restart += 1) {
        runtime = await w.startRuntime();
        await runtime.resume(cutOf(runtime));
      }
      return { w, runtime };
    };
    const { w: running, runtime } = await resumed();
    await using _running = running;
    expect((await runtime.stopJobs({ jobSource: 'user' })).stopped).toEqual([]);
    expect((await runtime.stopJobs({ jobSource })).stopped).toMatchObject([{ job_name: 'stirring' }]);
    await using interrupted = (await resumed()).w;
    const next = await interrupted.startRuntime();
    expect(next.interrupted).toHaveLength(1);
    await next.stopJobs({ jobSource });
    expect(next.interrupted).toEqual([]);
  });

  it.each(['crash', 'stop'])(
    'keeps a job asleep that a person has put to sleep before a %s of the node',
    async (end) => {
      await using w = await world([stirring()]);
      await w.run('stirring');
      await w.runtime.update({ jobName: 'stirring' }, { $state: 'sleeping' }, 'http');
      if (end === 'stop') await w.runtime.stop();
      const next = await w.startRuntime();
      await next.resume(cutOf(next));
      expect(next.settings('stirring').$state).toBe('sleeping');
      await next.update({ jobName: 'stirring' }, { $state: 'ready' }, 'http');
      const [awake] = (await w.startRuntime()).interrupted;
      expect(awake?.settings).not.toHaveProperty('$state');
    },
  );

  it('starts a job with its last settings, and not with the options of its first start', async () => {
    const { start, last } = contexts();
    await using w = await world([stirring(start)]);
    await w.run('stirring', { options: { target_rpm: 600, snapshot: null } });
    await w.runtime.update({ jobName: 'stirring' }, { target_rpm: 0, enable_dodging_od: true }, 'http');
    const next = await w.startRuntime();
    w.said.length = 0;
    await next.resume(cutOf(next));
    expect(last().options).toEqual({ target_rpm: 0, snapshot: true });
    expect([last().setting('target_rpm'), last().setting('enable_dodging_od')]).toEqual([0, true]);
    expect(w.said.filter((line) => line.includes('target_rpm'))).toEqual(['stirring target_rpm=0 by job']);
  });

  it('passes settings without an option to a job before it is ready', async () => {
    const steps: string[] = [];
    const start = async (context: JobContext) => {
      // As a job that publishes what it begins with.
      context.publish('interval', 5);
      return {
        apply: (values: object) => void steps.push(`apply ${JSON.stringify(values)}`),
        sleep: () => void steps.push('sleep'),
      };
    };
    await using w = await world([stirring(start)]);
    w.runtime.topics.states.listen(({ state }) => void steps.push(state));
    await w.run('stirring');
    await w.runtime.update({ jobName: 'stirring' }, { interval: 20 }, 'http');
    await w.runtime.update({ jobName: 'stirring' }, { $state: 'sleeping' }, 'http');
    const next = await w.startRuntime();
    steps.length = 0;
    next.topics.states.listen(({ state }) => void steps.push(state));
    expect(await next.resume(cutOf(next))).toMatchObject({ state: 'sleeping' });
    expect(steps).toEqual(['init', 'apply {"interval":20}', 'sleep', 'sleeping']);
    expect(next.settings('stirring')).toMatchObject({ interval: 20, $state: 'sleeping' });
  });

  it('logs which earlier setting the job refuses after a restart, and continues the job', async () => {
    let isNarrow = false;
    const apply = ({ interval }: Readonly<Record<string, unknown>>) => {
      if (interval !== undefined && isNarrow) throw new SettingRefused('interval', 'Too long for this lamp.');
    };
    await using w = await world([stirring(() => ({ apply }))]);
    await w.run('stirring');
    await w.runtime.update({ jobName: 'stirring' }, { interval: 20, target_rpm: 300 }, 'http');
    isNarrow = true;
    const { target_rpm: _, ...settings } = stirring().settings;
    const definitions = [stirring(() => ({ apply }), { settings })];
    const next = await w.startRuntime({ definitions });
    await next.resume(cutOf(next));
    expect(w.said.filter((line) => line.includes('WARNING'))).toEqual([
      expect.stringContaining('target_rpm could not be restored'),
      expect.stringContaining('interval could not be restored after the restart: Too long for this lamp.'),
    ]);
    expect(next.settings('stirring')).not.toHaveProperty('interval');
    expect(next.running()).toHaveLength(1);
  });

  it('keeps the settings of a job that is cut again while it comes back', async () => {
    let comesUp = true;
    const start = () => (comesUp ? {} : new Promise<never>(() => {}));
    await using w = await world([stirring(start)]);
    await w.run('stirring', { options: { target_rpm: 600 } });
    await w.runtime.update({ jobName: 'stirring' }, { target_rpm: 0, interval: 20 }, 'http');
    await w.runtime.update({ jobName: 'stirring' }, { $state: 'sleeping' }, 'http');
    comesUp = false;
    const cut = await w.startRuntime();
    void cut.resume(cutOf(cut)).catch(() => {});
    await until(() => w.said.filter((line) => line === 'stirring is init').length === 2);
    const again = await w.startRuntime();
    expect(cutOf(again)).toMatchObject({ jobId: 2, settings: { target_rpm: 0, interval: 20, $state: 'sleeping' } });
  });

  it('remembers that a setting was emptied', async () => {
    const settings = { interval: { type: 'float', nullable: true } } as const;
    const applied: unknown[] = [];
    const start = (context: JobContext) => {
      context.publish('interval', 5);
      return { apply: (values: object) => void applied.push(values) };
    };
    const definition = stirring(start, { settings, options: { interval: { type: 'float' } } });
    await using w = await world([definition]);
    await w.run('stirring', { options: { interval: 5 } });
    await w.runtime.update({ jobName: 'stirring' }, { interval: null }, 'http');
    for (const _ of [1, 2]) {
      const next = await w.startRuntime();
      applied.length = 0;
      await next.resume(cutOf(next));
      expect(applied).toEqual([{ interval: null }]);
      expect(next.settings('stirring')).not.toHaveProperty('interval');
    }
  });

  it('closes what a job has opened that cannot be put to sleep again', async () => {
    const closed: boolean[] = [];
    const sleeps = [() => {}, () => Promise.reject(new Error('no board'))];
    const start = () => ({ sleep: sleeps.shift() ?? (() => {}), stop: () => void closed.push(true) });
    await using w = await world([stirring(start)]);
    await w.run('stirring');
    await w.runtime.update({ jobName: 'stirring' }, { $state: 'sleeping' }, 'http');
    const next = await w.startRuntime();
    await expect(next.resume(cutOf(next))).rejects.toMatchObject({ code: 'job_failed' });
    expect([closed, next.running()]).toEqual([[true], []]);
  });

  it('knows after a crash which actions it has cut, which never go on by themselves', async () => {
    const dose = stirring(undefined, { name: 'add_media', allowsSeveral: true });
    await using w = await world([stirring(), dose]);
    for (const name of ['stirring', 'add_media']) await w.run(name);
    const next = await w.startRuntime();
    expect(next.endedActions.map(({ jobName }) => jobName)).toEqual(['add_media']);
    expect(next.interrupted.map(({ jobName }) => jobName)).toEqual(['stirring']);
    await next.stop();
    expect((await w.startRuntime()).endedActions).toEqual([]);
  });

  it('does not resume after a stop of the pumps what may run them, though it has not taken their outputs yet', async () => {
    const doser = stirring(undefined, { name: 'doser', mayRunPumps: true });
    await using w = await world([stirring(), doser]);
    for (const name of ['stirring', 'doser']) await w.run(name);
    await w.runtime.stop();
    const next = await w.startRuntime();
    expect(next.interrupted.map(({ jobName }) => jobName)).toEqual(['stirring', 'doser']);
    await next.stopJobs({ stopGroup: 'pumps' });
    expect(next.interrupted.map(({ jobName }) => jobName)).toEqual(['stirring']);
  });

  it('keeps the automation that ran last, also one without values, and restores it without a complaint', async () => {
    const variants = { only_record: { help: '', settings: {}, options: {} } };
    await using w = await world([stirring(undefined, { name: 'heating', settings: {}, options: {}, variants })]);
    await w.run('heating', { options: { automation_name: 'only_record' } });
    await w.runtime.stop();
    const next = await w.startRuntime();
    await next.resume(cutOf(next));
    expect(w.said.filter((line) => line.includes('WARNING'))).toEqual([]);
    await next.stopJobs({ jobName: 'heating' });
    expect(await next.lastUsed()).toMatchObject([
      { jobName: 'heating', automation: 'only_record', experiment: 'exp1', settings: {}, jobSource: 'user' },
    ]);
  });

  it('keeps a job that waits for a decision until a start of it succeeds', async () => {
    let isBroken = false;
    const start = () => {
      if (isBroken) throw new Error('no motor');
      return {};
    };
    await using w = await world([stirring(start)]);
    await w.run('stirring');
    await w.runtime.stop();
    isBroken = true;
    const endedAtMs = w.clock.now();
    await w.clock.advance(60_000);
    const next = await w.startRuntime();
    await expect(w.run('stirring', {}, next)).rejects.toMatchObject({ code: 'job_failed' });
    expect(next.interrupted).toMatchObject([{ jobId: 1, endedAtMs }]);
    const last = await w.startRuntime();
    expect(last.interrupted).toMatchObject([{ jobId: 1, endedAtMs }]);
    isBroken = false;
    await w.run('stirring', {}, last);
    expect(last.interrupted).toEqual([]);
    await last.stopJobs({});
    expect((await w.startRuntime()).interrupted).toEqual([]);
  });

  it('of a job that waited for a decision and one that was started since, only the newer waits after a crash', async () => {
    let hangs = false;
    await using w = await world([stirring(() => (hangs ? new Promise(() => {}) : {}))]);
    await w.run('stirring');
    hangs = true;
    const next = await w.startRuntime();
    void w.run('stirring', {}, next).catch(() => {});
    await until(() => next.running().length === 1);
    const last = await w.startRuntime();
    expect(last.interrupted.map(({ jobId }) => jobId)).toEqual([2]);
    await last.stopJobs({});
    expect((await w.startRuntime()).interrupted).toEqual([]);
  });

  it('notes the stop of a job that waits for a decision: it has no other record', async () => {
    await using w = await world([stirring()]);
    await w.run('stirring');
    await w.runtime.stop();
    const next = await w.startRuntime();
    w.said.length = 0;
    await next.stopJobs({ jobName: 'stirring' });
    expect(w.said).toEqual([expect.stringContaining('NOTICE')]);
  });

  it('ends by a stop of the pumps what may run them, though it has not taken their outputs yet', async () => {
    const doser = stirring(undefined, { name: 'doser', mayRunPumps: true });
    await using w = await world([stirring(), doser]);
    for (const name of ['stirring', 'doser']) await w.run(name);
    await w.runtime.stopJobs({ stopGroup: 'pumps' });
    expect(w.runtime.running().map(({ origin }) => origin.jobName)).toEqual(['stirring']);
  });

  it('resumes jobs that a stop of the node interrupted, and none that a person stopped', async () => {
    const dose = stirring(undefined, { name: 'add_media', allowsSeveral: true });
    await using w = await world([stirring(), stirring(undefined, { name: 'od_reading' }), dose]);
    for (const name of ['stirring', 'od_reading', 'add_media']) await w.run(name);
    await w.runtime.stopJobs({ jobName: 'od_reading' });
    await w.runtime.stop();
    expect(() => w.runtime.accept('stirring', {})).toThrow('stopping');
    const next = await w.startRuntime();
    expect(next.interrupted.map(({ jobName }) => jobName)).toEqual(['stirring']);
    await next.stopJobs({ experiment: 'exp1' });
    expect((await w.startRuntime()).interrupted).toEqual([]);
  });
});
