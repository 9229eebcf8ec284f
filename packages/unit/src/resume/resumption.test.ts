import { describe, expect, it } from 'vitest';
import { testDocument, testExperiment, testFile, testId } from '../testing/test-desired.ts';
import { TestUnit } from '../testing/test-desired-unit.ts';

/** A unit whose jobs the power cut has ended, just up again. */
async function cutUnit(names: readonly string[], resumeSection: Record<string, string> = {}) {
  const unit = new TestUnit();
  const before = unit.boot();
  await before.start();
  const lines = Object.entries(resumeSection).map(([key, value]) => `${key}=${value}\n`);
  const shared = testFile(`[resume]\n${lines.join('')}`);
  const document = testDocument(1, { config: { shared, own: testFile('') } });
  await before.desiredState.put(document);
  for (const name of names) unit.addJob(name, 'experiment 1', testId(1), name !== 'od_reading');
  unit.config.sections = { resume: resumeSection };
  const boot = unit.boot();
  await boot.start();
  const states = () => Object.fromEntries(unit.jobs.map(({ jobName, state }) => [jobName, state]));
  const levels = () => unit.notes.flatMap((note) => (note.kind === 'log' ? [`${note.task} ${note.level}`] : []));
  const failures = () =>
    unit.notes.flatMap((note) =>
      note.kind === 'event' && note.name === 'job_ended' ? [`${note.source}: ${String(note.data.error)}`] : [],
    );
  return { unit, boot, document, states, levels, failures };
}

describe('jobs that a power cut has ended', () => {
  it('continue at once when they only measure, and after confirmation by the leader when they act', async () => {
    const { unit, boot, document, states } = await cutUnit(['od_reading', 'stirring']);
    expect(states()).toEqual({ od_reading: 'running', stirring: 'cut' });
    expect(boot.desiredState.report().resume).toBeNull();
    await boot.desiredState.put(document);
    await boot.resumption.settled();
    expect(states()).toEqual({ od_reading: 'running', stirring: 'running' });
    const resume = { resumed: ['od_reading', 'stirring'], held: [], off: [] };
    expect(boot.desiredState.report().resume).toEqual(resume);
    // Once, for ever: the report is of the last document only.
    const outcomes = unit.notes.filter((note) => note.kind === 'event' && note.name === 'jobs_resumed');
    expect(outcomes).toMatchObject([{ experiment_uid: '$experiment', data: resume }]);
  });

  it('are recorded when they were actions, which stay off', async () => {
    const unit = new TestUnit();
    const origin = { experiment: 'experiment 1', experimentUid: testId(1), jobSource: 'user' };
    unit.over = [{ jobId: 7, jobName: 'add_media', ...origin }];
    await unit.boot().start();
    expect(unit.notes).toMatchObject([{ name: 'jobs_resumed', data: { resumed: [], held: [], off: ['add_media'] } }]);
  });

  it('are not recorded when there were none', async () => {
    const { unit, boot, document } = await cutUnit([]);
    await boot.desiredState.put(document);
    await boot.resumption.settled();
    expect(unit.notes.filter((note) => note.kind === 'event' && note.name === 'jobs_resumed')).toEqual([]);
  });

  it('come back without the leader after the wait, with a warning', async () => {
    const { unit, boot, states, levels } = await cutUnit(['stirring']);
    await boot.wire.advance(59_999);
    await boot.resumption.settled();
    expect(states()).toEqual({ stirring: 'cut' });
    await boot.wire.advance(1);
    await boot.resumption.settled();
    expect(states()).toEqual({ stirring: 'running' });
    expect(levels()).toEqual(['stirring WARNING']);
    // Where people look for it.
    expect(unit.notes.findLast(({ kind }) => kind === 'log')?.experiment_uid).toBe(testId(1));
  });

  it('stay off when the leader has moved the unit meanwhile', async () => {
    const { boot, states } = await cutUnit(['stirring']);
    await boot.desiredState.put(testDocument(2, { experiment: testExperiment(2) }));
    await boot.resumption.settled();
    expect(states()).toEqual({ stirring: 'off' });
    expect(boot.desiredState.report().resume).toEqual({ resumed: [], held: [], off: ['stirring'] });
  });

  it('follow their policy: what doses waits for a person by default', async () => {
    const { boot, document, states, levels, failures } = await cutUnit(
      ['dosing_automation', 'stirring', 'heating', 'lights'],
      {
        stirring: 'off',
        lights: 'hold',
        wait_s: '10',
      },
    );
    await boot.desiredState.put(document);
    await boot.resumption.settled();
    expect(states()).toEqual({ dosing_automation: 'cut', stirring: 'off', heating: 'running', lights: 'cut' });
    expect(boot.desiredState.report().resume).toEqual({
      resumed: ['heating'],
      held: ['dosing_automation', 'lights'],
      off: ['stirring'],
    });
    // The feed reports those, until a person starts or stops them.
    expect(boot.resumption.held.map(({ jobName }) => jobName)).toEqual(['dosing_automation', 'lights']);
    expect(levels()).toEqual(['dosing_automation WARNING', 'stirring NOTICE', 'lights WARNING', 'heating NOTICE']);
    expect(failures()).toEqual(
      ['dosing_automation', 'lights'].map(
        (job) => `${job}: It was cut by a restart and waits for a person to start it.`,
      ),
    );
  });

  it('that do not start again are left off with an error in the log', async () => {
    const { unit, boot, document, states, levels, failures } = await cutUnit(['stirring', 'heating']);
    unit.onResume = ({ jobName }) => {
      if (jobName === 'stirring') throw new Error('no motor');
    };
    await boot.desiredState.put(document);
    await boot.resumption.settled();
    expect(states()).toEqual({ stirring: 'off', heating: 'running' });
    expect(levels()).toEqual(['stirring ERROR', 'heating NOTICE']);
    expect(failures()).toEqual(['stirring: Error: no motor']);
  });

  it('of an experiment that the unit never knew do not come back on a free unit', async () => {
    const unit = new TestUnit();
    const before = unit.boot();
    await before.start();
    await before.desiredState.put(testDocument(1, { experiment: null }));
    unit.addJob('stirring', '_testing_stirring', null, true);
    const boot = unit.boot();
    await boot.start();
    await boot.desiredState.put(testDocument(1, { experiment: null }));
    await boot.resumption.settled();
    expect(unit.jobs.map(({ state }) => state)).toEqual(['off']);
    expect(unit.notes.at(-1)?.experiment_uid).toBe('$experiment');
  });
});
