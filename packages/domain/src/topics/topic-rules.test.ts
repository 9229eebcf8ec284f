import { filterCovers, type Permission, rolePermissions } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { commandRules, limitedScope, mayPublish, mayReceive, readRules, type TopicCaller } from './topic-rules.ts';

const withPermissions = (...permissions: Permission[]): TopicCaller => ({
  is: 'client',
  permissions: new Set(permissions),
});
const callers = {
  unlimited: { is: 'unlimited' },
  administrator: { is: 'client', permissions: rolePermissions.administrator },
  operator: { is: 'client', permissions: rolePermissions.operator },
  viewer: { is: 'client', permissions: rolePermissions.viewer },
  stopper: withPermissions('jobs.stop'),
  nobody: withPermissions(),
  rx01: { is: 'unit', unit: 'rx01' },
  rx02: { is: 'unit', unit: 'rx02' },
} as const satisfies Readonly<Record<string, TopicCaller>>;

const allowed = (may: (caller: TopicCaller) => boolean): string =>
  Object.entries(callers)
    .flatMap(([name, caller]) => (may(caller) ? [name] : []))
    .join(' ');

describe('publishing', () => {
  it.each([
    ['reactor/rx01/e/stirring/target_rpm/set', '500', 'unlimited administrator operator rx01'],
    ['reactor/$broadcast/e/stirring/target_rpm/set', '500', 'unlimited administrator operator'],
    ['reactor/rx01/e/stirring/$state/set', 'sleeping', 'unlimited administrator operator rx01'],
    ['reactor/rx01/e/stirring/$state/set', 'disconnected', 'unlimited administrator operator stopper rx01'],
    ['reactor/$broadcast/$experiment/stirring/$state/set', 'disconnected', 'unlimited administrator operator stopper'],
    ['reactor/lead/e/experiment_profile/7/$state/set', 'disconnected', 'unlimited administrator operator stopper'],
    ['reactor/rx01/e/monitor/flicker_led_response_okay', '1', 'unlimited administrator operator rx01'],
    ['reactor/rx01/e/monitor/flicker_led_with_error_code', '3', 'unlimited administrator operator rx01'],
    ['reactor/rx01/e/stirring/$state', 'lost', 'unlimited rx01'],
    ['reactor/rx01/e/od_reading/od1', '{}', 'unlimited rx01'],
    ['reactor/rx01/$experiment/assignment', '{}', 'unlimited rx01'],
    ['reactor/rx02/e/logs/app/info', '{}', 'unlimited rx02'],
    ['reactor/rx010/e/logs/app/info', '{}', 'unlimited'],
    ['reactor', 'x', 'unlimited'],
    ['/reactor/rx01/e/a', 'x', 'unlimited'],
    ['other/rx01', 'x', 'unlimited'],
    ['$SYS/uptime', 'x', 'unlimited'],
    ['$share/group/reactor/rx01/e', 'x', 'unlimited'],
    ['reactor/rx01/e/stirring/target_rpm/set/', '500', 'unlimited rx01'],
  ])('to %s, %s: %s', (topic, payload, expected) => {
    expect(allowed((caller) => mayPublish(caller, topic, payload))).toBe(expected);
  });

  it('of an unknown payload needs the permission for any', () => {
    const topic = 'reactor/rx01/e/stirring/$state/set';
    expect(allowed((caller) => mayPublish(caller, topic, undefined))).toBe('unlimited administrator operator rx01');
  });
});

describe('receiving', () => {
  it.each([
    ['reactor/#', 'unlimited administrator operator viewer'],
    ['reactor/+/e/od_reading/#', 'unlimited administrator operator viewer'],
    ['reactor/rx01/e/logs/app/info', 'unlimited administrator operator viewer rx01'],
    ['reactor/rx01/#', 'unlimited administrator operator viewer rx01'],
    ['reactor/rx01/+/+/+/set', 'unlimited administrator operator viewer rx01'],
    ['reactor/$broadcast/+/+/+/set', 'unlimited administrator operator viewer rx01 rx02'],
    ['reactor/+/+/+/+/set', 'unlimited administrator operator viewer'],
    ['#', 'unlimited'],
    ['+/#', 'unlimited'],
    ['+/rx01/#', 'unlimited'],
    ['$SYS/#', 'unlimited'],
    ['$share/group/reactor/#', 'unlimited'],
    ['other/topic', 'unlimited'],
  ])('%s: %s', (filter, expected) => {
    expect(allowed((caller) => mayReceive(caller, filter))).toBe(expected);
  });

  it('needs for each topic the permission that shows it over HTTP', () => {
    const reader = withPermissions('logs.read', 'jobs.read');
    const topics = ['logs/app/info', 'stirring/$state', 'od_reading/od1', 'camera/latest_still', 'monitor/$state'];
    expect(topics.filter((topic) => mayReceive(reader, `reactor/rx01/e/${topic}`))).toEqual([
      'logs/app/info',
      'stirring/$state',
      'monitor/$state',
    ]);
    // The wider filter needs the permission of its own rule.
    expect([mayReceive(reader, 'reactor/+/+/logs/#'), mayReceive(reader, 'reactor/#')]).toEqual([true, false]);
  });
});

describe('a token with limits', () => {
  const caller: TopicCaller = {
    is: 'client',
    permissions: rolePermissions.operator,
    scope: limitedScope({ units: new Set(['rx01']), experiments: new Set(['e']) }),
  };

  it.each([
    ['reactor/rx01/e/stirring/target_rpm/set', true],
    ['reactor/rx02/e/stirring/target_rpm/set', false],
    ['reactor/rx01/f/stirring/target_rpm/set', false],
    ['reactor/$broadcast/e/stirring/target_rpm/set', false],
    ['reactor/rx01/$experiment/stirring/$state/set', false],
  ])('publishes to %s: %s', (topic, expected) => {
    expect(mayPublish(caller, topic, 'disconnected')).toBe(expected);
  });

  it.each([
    ['reactor/#', true],
    ['reactor/+/e/od_reading/#', true],
    ['reactor/rx01/e/od_reading/od1', true],
    ['reactor/rx02/#', false],
    ['reactor/rx01/f/#', false],
    ['reactor/rx01', false],
  ])('subscribes to %s: %s', (filter, expected) => {
    expect(mayReceive(caller, filter)).toBe(expected);
  });
});

it('no rule is hidden by an earlier one', () => {
  const hidden = [commandRules, readRules].flatMap((rules) =>
    rules.filter(({ topics }, index) => rules.slice(0, index).some((earlier) => filterCovers(earlier.topics, topics))),
  );
  expect(hidden).toEqual([]);
});
