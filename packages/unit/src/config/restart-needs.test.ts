import { describe, expect, it } from 'vitest';
import { type ConfigReader, RestartNeeds } from './restart-needs.ts';

const job = (jobId: number, jobName: string, isActuating = false): ConfigReader => ({
  origin: { jobId, jobName },
  definition: { isActuating },
});
const running = [job(1, 'stirring', true), job(2, 'od_reading'), job(3, 'growth_rate_calculating')];
const idle = new Set<number>();
const all = new Set([1, 2, 3]);

/** What needs a restart when one value changes while those jobs run. */
function needsOf(section: string, key: string, jobs = running, runningNow: ReadonlySet<number> = all) {
  const needs = new RestartNeeds();
  needs.note({ [section]: { [key]: '1' } }, { [section]: { [key]: '2' } }, jobs);
  return needs.list(runningNow);
}

describe('a changed key', () => {
  it.each([
    ['stirring.config', 'pwm_hz', [1]],
    ['stirring.pid', 'Kp', [1]],
    ['od_reading.config', 'ir_led_intensity', [2]],
    ['od_config.photodiode_channel', '1', [2]],
    ['PWM', '1', [1]],
    ['leds', 'A', [1, 2]],
  ])('[%s] %s waits for jobs that have read it (%j)', (section, key, readers) => {
    expect(needsOf(section, key)).toEqual([`${section}.${key}`]);
    const others = new Set([...all].filter((id) => !readers.includes(id)));
    expect(needsOf(section, key, running, others)).toEqual([]);
  });

  it.each([
    ['stirring.config', 'pwm_hz'],
    ['PWM', '1'],
  ])('[%s] %s needs no restart when no such job runs', (section, key) => {
    expect(needsOf(section, key, [job(3, 'growth_rate_calculating')])).toEqual([]);
  });

  it.each([
    ['mqtt', 'broker_address'],
    ['logging', 'console_log_level'],
    ['monitor.config', 'self_check_interval_hours'],
    ['simulator', 'seed'],
    ['cluster.topology', 'leader_address'],
  ])('[%s] %s waits for the node', (section, key) => {
    expect(needsOf(section, key, [], idle)).toEqual([`${section}.${key}`]);
  });

  it.each([
    ['mqtt', 'password'],
    ['logging', 'ui_log_level'],
    ['simulator', 'speed'],
    ['cluster.addresses', 'unit1'],
    ['resume', 'stirring'],
    ['outbox', 'max_mb'],
  ])('[%s] %s counts at once', (section, key) => {
    expect(needsOf(section, key)).toEqual([]);
  });

  it('that came or went counts like one that differs', () => {
    const needs = new RestartNeeds();
    needs.note({ 'stirring.config': { a: '1' } }, { 'stirring.config': { b: '1' } }, running);
    expect(needs.list(all)).toEqual(['stirring.config.a', 'stirring.config.b']);
  });
});
