import { describe, expect, it } from 'vitest';
import { stirring, world } from '../testing/test-jobs.ts';
import { JobMirror } from './job-mirror.ts';
import { readSetTopic, setTopicFilters } from './job-topics.ts';

/** A broker that keeps what is retained. */
function broker() {
  const retained = new Map<string, string>();
  return {
    retained,
    publish: (topic: string, payload: string, options?: { retain?: boolean; qos?: number }) => {
      expect(options).toEqual({ retain: true, qos: 2 });
      if (payload === '') retained.delete(topic);
      else retained.set(topic, payload);
    },
  };
}

async function mirrored() {
  const mqtt = broker();
  const w = await world([stirring()]);
  const refused: string[] = [];
  const mirror = new JobMirror({ unit: 'unit1', mqtt, clock: w.clock, log: w.log });
  const sink = { ...w.options.sink, state: mirror.state.bind(mirror), setting: mirror.setting.bind(mirror) };
  const runtime = await w.startRuntime({ sink });
  const set = async (topic: string, payload: string, isRetained = false) => {
    const refusal = await mirror.handle(runtime, topic, payload, isRetained);
    if (refusal !== undefined) refused.push(`${refusal.job.experiment}: ${refusal.message}`);
  };
  return { ...w, mqtt, mirror, runtime, set, refused };
}

const branch = 'reactor/unit1/exp1/stirring';

describe('the mirror on MQTT', () => {
  it('shows states and values, and keeps only the state after the end', async () => {
    await using w = await mirrored();
    // Its planned end has no topic, which the end of the job would leave behind.
    await w.run('stirring', { ends_at: new Date(w.clock.now() + 60_000).toISOString() }, w.runtime);
    expect(Object.fromEntries(w.mqtt.retained)).toEqual({
      [`${branch}/$state`]: 'ready',
      [`${branch}/target_rpm`]: '500',
      [`${branch}/enable_dodging_od`]: 'False',
    });
    await w.runtime.stopJobs({});
    expect(Object.fromEntries(w.mqtt.retained)).toEqual({ [`${branch}/$state`]: 'disconnected' });
  });

  it('takes wishes like the HTTP interface', async () => {
    await using w = await mirrored();
    await w.run('stirring', {}, w.runtime);
    await w.set(`${branch}/target_rpm/set`, '300');
    await w.set(`${branch}/enable_dodging_od/set`, 'True');
    expect(w.runtime.settings('stirring')).toMatchObject({ target_rpm: 300, enable_dodging_od: 1 });
    await w.set('reactor/$broadcast/exp1/stirring/$state/set', 'sleeping');
    expect(w.runtime.settings('stirring').$state).toBe('sleeping');
    await w.set('reactor/$broadcast/exp1/stirring/$state/set', 'ready');
    expect(w.mqtt.retained.get(`${branch}/$state`)).toBe('ready');
    await w.set('reactor/unit1/$experiment/stirring/$state/set', 'disconnected');
    expect(w.runtime.running()).toEqual([]);
  });

  it('logs a refusal in the log of the experiment, and changes nothing', async () => {
    await using w = await mirrored();
    await w.run('stirring', {}, w.runtime);
    const before = w.runtime.settings('stirring');
    const wishes = { target_rpm: 'fast', measured_rpm: '1', speed: '1', $state: 'lost', enable_dodging_od: 'maybe' };
    for (const [name, text] of Object.entries(wishes)) await w.set(`${branch}/${name}/set`, text);
    expect(w.refused).toHaveLength(5);
    expect(w.refused[2]).toContain('"1" for speed');
    await w.set(`${branch}/target_rpm/set`, '300', true);
    await w.set('reactor/unit1/exp2/stirring/target_rpm/set', '300');
    await w.set('reactor/unit2/exp1/stirring/target_rpm/set', '300');
    expect(w.refused).toHaveLength(5);
    expect(w.runtime.settings('stirring')).toEqual(before);
  });

  it('logs repeated refusals of a client only now and then', async () => {
    await using w = await mirrored();
    await w.run('stirring', {}, w.runtime);
    const payload = `"${'x'.repeat(1_000_000)}`;
    for (let count = 0; count < 25; count += 1) {
      await w.set(`${branch}/target_rpm/set`, payload);
      await w.clock.advance(1_000);
    }
    expect(w.refused).toHaveLength(3);
    expect(w.refused[0]?.length).toBeLessThan(300);
  });
});

describe('set topics', () => {
  it('are read for this unit and for all', () => {
    expect(setTopicFilters('unit1')).toEqual(['reactor/unit1/+/+/+/set', 'reactor/$broadcast/+/+/+/set']);
    expect(readSetTopic('unit1', 'reactor/$broadcast/e/stirring/target_rpm/set')).toEqual({
      jobName: 'stirring',
      experiment: 'e',
      setting: 'target_rpm',
    });
    const others = [
      'reactor/unit2/e/s/t/set',
      'x/unit1/e/s/t/set',
      'reactor/unit1/e/s/t',
      'reactor/unit1/e//t/set',
      'a',
    ];
    expect(others.map((topic) => readSetTopic('unit1', topic))).toEqual(others.map(() => undefined));
  });
});
